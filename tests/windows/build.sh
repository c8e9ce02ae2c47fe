#!/bin/sh
# Cross-compiles the library and the program for Windows and looks at what came out.
# Usage: build.sh SOURCE_FOLDER BUILD_FOLDER NATIVE_LIBRARY
set -eu
source=$1 build=$2 native=$3
prefix=x86_64-w64-mingw32
command -v $prefix-gcc >/dev/null || { echo "skipped: there is no $prefix-gcc (Debian: gcc-mingw-w64-x86-64)"; exit 77; }
cd "$source"
# Not optimised, unlike a release: this is to see that it builds and runs.
cmake --preset mingw -B "$build" -DCMAKE_C_FLAGS_RELEASE="-O0 -DNDEBUG -DLIMBERI_ONE_COPY" -DLIMBER_WERROR=ON >/dev/null
cmake --build "$build"
cd "$build"
for file in limber.exe liblimber.dll liblimber.dll.a liblimber.a; do
    [ -f $file ] || { echo "$file is missing"; exit 1; }
done

exports() { # of a DLL or a program
    $prefix-objdump -p "$1" | awk '/^\[Ordinal\/Name Pointer\] Table/ {on = 1; next} !NF {on = 0} on {print $NF}' | sort
}
exports liblimber.dll >exported
nm -D --defined-only "$native" | awk '$2 == "T" {print $3}' | sort >expected
diff expected exported || { echo "the DLL does not export what the shared library does"; exit 1; }
[ -z "$(exports limber.exe)" ] || { echo "the program exports symbols"; exit 1; }
others=$($prefix-objdump -p limber.exe liblimber.dll | awk '/DLL Name:/ {print tolower($3)}' | sort -u |
    grep -vxE 'kernel32.dll|msvcrt.dll|shell32.dll|api-ms-win-crt-.*|ucrtbase.dll' || true)
[ -z "$others" ] || { echo "these would have to be installed with it: $others"; exit 1; }

# A program of a user's own, against the DLL and against the static library.
$prefix-gcc -std=c11 "$source/tests/install/ten_lines.c" -I"$source/include" liblimber.dll.a -o ten_lines_shared.exe
$prefix-gcc -std=c11 -DLIMBER_STATIC "$source/tests/install/ten_lines.c" -I"$source/include" liblimber.a -o ten_lines_static.exe
echo "built for Windows: the program and a DLL with $(wc -l <exported) functions"
