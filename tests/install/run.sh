#!/bin/sh
# Installs the built library into an empty folder and builds a ten-line program against it in every way we offer, and
# the examples.
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

# The examples, copied away from the sources: they have the installed package only.
cp -r "$source/examples" "$work/examples"
mkdir "$work/built"
names= gl=
if pkg-config --exists egl glesv2; then gl=$(pkg-config --cflags --libs egl glesv2); else echo "no EGL headers: own_engine is left out"; fi
for file in "$work"/examples/*/*.c; do
    name=$(basename "$file" .c)
    [ "$name" = own_engine ] && [ -z "$gl" ] && continue
    cc -std=c11 -Wall -Wextra -Werror "$file" $(pkg-config --cflags --libs limber) $gl -lm -pthread -o "$work/built/$name"
    names="$names $name"
done
cmake -S "$work/examples" -B "$work/examples-cmake" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/examples-cmake" >/dev/null
export LIMBER_SHADERS="$(pkg-config --variable=shaders limber)"
"$source/examples/test.sh" "$program" "$work/built" $names >"$work/said" || { cat "$work/said"; exit 1; }
"$source/examples/test.sh" "$program" "$work/examples-cmake" play >"$work/said" || { cat "$work/said"; exit 1; }

c++ -fsyntax-only -Wall -Wextra -Wpedantic -Werror -x c++ "$work/prefix/include/limber/limber.h" -I"$work/prefix/include" 2>"$work/cpp" ||
    { cat "$work/cpp"; exit 1; }
hidden=$(nm -D --defined-only "$libdir/../liblimber.so" | awk '$2 == "T" && $3 !~ /^limber_/ {print $3}')
[ -z "$hidden" ] || { echo "symbols that should be hidden: $hidden"; exit 1; }
echo "installed, linked four ways, examples run ($(echo $names)), headers compile as C++, only limber_ symbols visible: $expected"
