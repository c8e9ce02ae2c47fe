#!/usr/bin/env bash
# The zip for Windows: nothing is missing, the program and the DLL need nothing that Windows does not have, a program
# links with it, and, under wine, the commands of its README.txt write what the native program writes.
# Usage: windows.sh SOURCE_FOLDER RELEASE_FOLDER PROGRAM
set -euo pipefail
source=$1 native=$3
zip=$(ls "$2"/limber-*-windows-x64.zip 2>/dev/null) || { echo "there is no zip for Windows"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
/usr/bin/python3 -m zipfile -e "$zip" .
tree=$(echo "$work"/limber-*)
for file in bin/limber.exe bin/liblimber.dll lib/liblimber.dll.a lib/liblimber.a include/limber/limber.h share/limber/presets/cartoon.json \
    lib/cmake/limber/limberConfig.cmake README.txt LICENSE NOTICES.txt limber.cdx.json; do
    [ -s "$tree/$file" ] || { echo "$file is not in the zip"; exit 1; }
done
others=$(x86_64-w64-mingw32-objdump -p "$tree"/bin/* | awk '/DLL Name:/ {print tolower($3)}' | sort -u |
    grep -vxE 'kernel32.dll|msvcrt.dll|shell32.dll|api-ms-win-crt-.*|ucrtbase.dll' || true)
[ -z "$others" ] || { echo "these would have to be installed with it: $others"; exit 1; }
x86_64-w64-mingw32-gcc -std=c11 "$source/tests/install/ten_lines.c" -I"$tree/include" "$tree/lib/liblimber.dll.a" -o "$tree/bin/ten.exe"

wine=${LIMBER_WINE:-$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null || true)}
if [ "$(uname -m)" != x86_64 ] || [ -z "$wine" ]; then
    echo "not run: there is no wine for x86-64 (Debian: wine64)"
    exit
fi
export WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" WINEPREFIX="$work/prefix"
cd "$tree"
tr -d '\r' <README.txt | sed -n 's/^  bin\\limber //p' >"$work/lines"
[ "$(wc -l <"$work/lines")" -ge 4 ] || { echo "README.txt has no commands"; exit 1; }
while read -r -a words; do
    $wine bin/limber.exe "${words[@]}" >"$work/said" 2>&1 || { cat "$work/said"; echo "failed: limber ${words[*]}"; exit 1; }
    echo "limber ${words[*]}"
done <"$work/lines"
"$native" sample dog -o "$work/dog.glb"
# Bakes of bones solve equations, whose last bits other C libraries turn into other bones; every frame's vertices are alike.
$wine bin/limber.exe apply dog.glb --style cartoon --clip jump --bake vertex --quiet -o frames.glb
"$native" apply "$work/dog.glb" --style cartoon --clip jump --bake vertex --quiet -o "$work/frames.glb"
node "$source/tests/windows/same_glb.mjs" "$work/dog.glb" dog.glb
node "$source/tests/windows/same_glb.mjs" "$work/frames.glb" frames.glb
[ -s toon.glb ]
$wine bin/ten.exe dog.glb
