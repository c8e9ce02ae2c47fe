#!/usr/bin/env bash
# hardening.sh READELF PROGRAM LIBRARY BUILT_WITH_GUARDS OBJECTS: what was built is guarded as cmake/hardening.cmake says.
# OBJECTS is the folder with what the program was linked from.
set -u
readelf=$1 program=$2 library=$3 guards=$4 objects=$5
command -v "$readelf" >/dev/null || { echo "there is no readelf"; exit 77; }
[ "$guards" = ON ] || { echo "built with LIMBER_HARDENING=OFF"; exit 77; }
failed=0

# file, what it is about, a pattern, yes or no, and what readelf said
expect() {
    if { grep -Eq -- "$3" <<<"$5" && [ "$4" = no ]; } || { ! grep -Eq -- "$3" <<<"$5" && [ "$4" = yes ]; }; then
        echo "$1: $2"
        failed=1
    fi
}

for file in "$program" "$library"; do
    header=$("$readelf" -hW "$file") || exit 1
    segments=$("$readelf" -lW "$file")
    dynamic=$("$readelf" -dW "$file")
    symbols=$("$readelf" -W --dyn-syms "$file")
    expect "$file" "has a fixed address" 'Type: +DYN' yes "$header"
    expect "$file" "has no read-only relocations" 'GNU_RELRO' yes "$segments"
    expect "$file" "binds its functions late" 'BIND_NOW|FLAGS_1.*NOW' yes "$dynamic"
    expect "$file" "has an executable stack" 'GNU_STACK.* RWE ' no "$segments"
    expect "$file" "has memory that is writable and executable" 'LOAD.* RWE ' no "$segments"
    expect "$file" "has relocations in its code" 'TEXTREL' no "$dynamic"
    expect "$file" "looks for libraries in odd places" '\((RPATH|RUNPATH)\).*\[[^/]' no "$dynamic"
    expect "$file" "does not guard its stack" '__stack_chk_fail' yes "$symbols"
    expect "$file" "does not check its copies" '__[a-z]+_chk' yes "$symbols"
done
expect "$program" "is no program that can be moved" 'FLAGS_1.*PIE' yes "$("$readelf" -dW "$program")"
# Only `limber studio` opens it.
expect "$program" "loads a web server with every command" 'NEEDED.*microhttpd' no "$("$readelf" -dW "$program")"
# Branches end where they may: BTI and PAC, or IBT and shadow stacks. The note is in every object, C++ too; whether the
# program has it as well depends on the C library's own objects.
case $("$readelf" -hW "$program") in
*AArch64*) note='AArch64 feature:.*BTI.*PAC' ;;
*X86-64*) note='x86 feature:.*IBT.*SHSTK' ;;
*) note= ;;
esac
count=0
while [ -n "$note" ] && read -r object; do
    count=$((count + 1))
    expect "$object" "does not guard its branches" "$note" yes "$("$readelf" -nW "$object")"
done < <(find "$objects/limber_program.dir" "$objects/limber_objects.dir" "$objects/limber_unpack_draco.dir" -name '*.o' 2>/dev/null)
[ -z "$note" ] || [ $count -gt 300 ] || { echo "only $count objects were found in $objects"; failed=1; }
exit $failed
