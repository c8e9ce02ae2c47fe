#!/bin/sh
# Checks the program, the tests and what reads and writes files with a compiler for Windows, as far as that goes without
# making code: headers, functions, types and warnings; and whether the program would link. build.sh makes all of it, with
# --long.
# Usage: check.sh SOURCE_FOLDER BUILD_FOLDER NATIVE_BUILD_FOLDER
set -eu
source=$1 build=$2 native=$3
prefix=x86_64-w64-mingw32
command -v $prefix-gcc >/dev/null || { echo "skipped: there is no $prefix-gcc (Debian: gcc-mingw-w64-x86-64)"; exit 77; }
cd "$source"
cmake --preset mingw -B "$build" -DLIMBER_WERROR=ON >/dev/null
cmake --build "$build" --target limber_presets >/dev/null
cd "$build"
node "$source/tests/windows/link.mjs" commands "$build" "$native" >commands
count=$(wc -l <commands)
[ "$count" -gt 200 ] || { echo "only $count files: the check is looking in the wrong place"; exit 1; }
tr '\n' '\0' <commands | xargs -0 -n 1 -P "$(nproc)" sh -c
echo "checked for Windows: $count files"
node "$source/tests/windows/link.mjs" check "$build" "$native"
