#!/bin/sh
# Runs what build.sh has built, under wine, and compares its files with the native ones.
# Usage: run.sh SOURCE_FOLDER BUILD_FOLDER NATIVE_PROGRAM; LIMBER_WINE names another command than wine.
set -eu
source=$1 build=$2 native=$3
wine=${LIMBER_WINE:-$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null || true)}
[ -x "$build/limber.exe" ] || { echo "skipped: nothing was built for Windows"; exit 77; }
[ -n "${LIMBER_WINE:-}" ] || [ "$(uname -m)" = x86_64 ] || { echo "skipped: this is not an x86-64 machine"; exit 77; }
[ -n "$wine" ] || { echo "skipped: there is no wine (Debian: wine64)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree,mshtml=" WINEPREFIX="${WINEPREFIX:-$work/prefix}"
cp "$build"/*.exe "$build/liblimber.dll" "$work"
cd "$work"

for test in "$build"/tests/*.exe; do
    $wine "$test" || { echo "failed: $test"; exit 1; }
done

# A name that is not ASCII, both ways.
$wine limber.exe sample cow -o "kühe.glb"
"$native" sample cow -o native.glb
node "$source/tests/windows/same_glb.mjs" native.glb "kühe.glb"
$wine limber.exe apply "kühe.glb" --style cartoon --clip jump --threads 3 -o toon.glb
"$native" apply "kühe.glb" --style cartoon --clip jump -o native_toon.glb
node "$source/tests/windows/same_glb.mjs" native_toon.glb toon.glb
$wine limber.exe apply "kühe.glb" --style cartoon --clip jump -o toon.glb # over a file that is there
$wine limber.exe apply "kühe.glb" --style jelly --clip jump --fps 6 -o cache.usda
$wine limber.exe convert toon.glb -o toon.gltf
[ -f toon.bin ] || { echo "toon.bin is missing"; exit 1; }
$wine limber.exe dump "kühe.glb" --clip jump --range 0:0.2 -o numbers
[ -f numbers/manifest.json ] || { echo "numbers/manifest.json is missing"; exit 1; }
$wine limber.exe info toon.gltf --json >info.json
node -e 'JSON.parse(fs.readFileSync("info.json", "utf8"))'
for text in info.json cache.usda toon.gltf numbers/manifest.json; do
    ! grep -q "$(printf '\r')" $text || { echo "$text has line ends of Windows"; exit 1; }
done
! $wine limber.exe info . 2>error || { echo "a folder was read as a file"; exit 1; }
! ls | grep -q '\.tmp\|\.frames' || { echo "temporary files are left: $(ls)"; exit 1; }
for one in shared static; do
    [ "$($wine ten_lines_$one.exe native.glb | tr -d '\r')" = "$($wine ten_lines_static.exe native.glb | tr -d '\r')" ]
done
echo "ran under wine: $(ls "$build"/tests/*.exe | wc -l) tests, and the program's files are those of the native one"
