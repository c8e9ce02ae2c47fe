#!/bin/sh
# Installs the built library into an empty folder and builds a ten-line program against it in every way we offer.
# Usage: run.sh BUILD_FOLDER SOURCE_FOLDER PROGRAM
set -eu
build=$1 source=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
"$program" sample cylinder -o "$work/cylinder.glb"
libdir=$(dirname "$(find "$work/prefix" -name limber.pc)")
export PKG_CONFIG_PATH="$libdir"
cc -std=c11 "$source/tests/install/ten_lines.c" $(pkg-config --cflags --libs limber) -o "$work/shared"
cc -std=c11 -static-pie -fPIE "$source/tests/install/ten_lines.c" $(pkg-config --static --cflags --libs limber) -o "$work/static" 2>/dev/null ||
    cc -std=c11 "$source/tests/install/ten_lines.c" $(pkg-config --cflags limber) "$libdir/../liblimber.a" -lm -o "$work/static"
cmake -S "$source/tests/install" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/cmake" >/dev/null
export LD_LIBRARY_PATH="$libdir/.."
expected=$("$work/shared" "$work/cylinder.glb")
for one in "$work/static" "$work/cmake/with_static" "$work/cmake/with_shared"; do
    got=$("$one" "$work/cylinder.glb")
    [ "$got" = "$expected" ] || { echo "$one printed '$got', expected '$expected'"; exit 1; }
done
c++ -fsyntax-only -Wall -Wextra -Wpedantic -Werror -x c++ "$work/prefix/include/limber/limber.h" -I"$work/prefix/include" 2>"$work/cpp" ||
    { cat "$work/cpp"; exit 1; }
hidden=$(nm -D --defined-only "$libdir/../liblimber.so" | awk '$2 == "T" && $3 !~ /^limber_/ {print $3}')
[ -z "$hidden" ] || { echo "symbols that should be hidden: $hidden"; exit 1; }
echo "installed, linked four ways, headers compile as C++, only limber_ symbols visible: $expected"
