#!/usr/bin/env bash
# What is released, made twice: the same bytes both times, and every package there. The other tests of this folder use
# what it leaves.
# Usage: made.sh SOURCE_FOLDER FOLDER
set -euo pipefail
source=$1 folder=$2
[ -d "$source/.git" ] || [ -f "$source/.git" ] || { echo "not a git checkout"; exit 77; }
for tool in dpkg-deb dpkg-shlibdeps cpack node npm file; do
    command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder"
"$source/release/run.sh" "$folder/first" || exit 1
# Everything that is linked, bundled or packed is made again; objects are compiled twice where a compiler cache has them.
tree=$(echo "$source"/build-package/limber-*)
rm -rf "$tree"/build*/{limber,limber.exe,*.so*,*.dll*,*.a,web} "$tree"/web/*/dist "$tree"/{shaders,out}
"$source/release/run.sh" "$folder/second" || exit 1
diff -r "$folder/first" "$folder/second"
cd "$folder/first"
sha256sum --quiet -c SHA256SUMS

version=$("$source/release/version.sh")
arch=$(dpkg --print-architecture)
expected="limber-$version.tar.gz limber-$version.tgz limber_${version}_$arch.deb limber-$version-$arch.cdx.json limber-$version-notes.md"
/usr/bin/python3 -c 'import numpy' 2>/dev/null && expected+=" limber-$version-py3-none-*linux*_$(uname -m).whl limber_blender-$version-linux-*.zip"
command -v x86_64-w64-mingw32-gcc >/dev/null && expected+=" limber-$version-windows-x64.zip limber_blender-$version-windows-x64.zip"
for name in $expected; do
    compgen -G "$name" >/dev/null || { echo "$name is missing; there are: $(ls)"; exit 1; }
done
for list in *.cdx.json; do
    node -e 'const b = JSON.parse(fs.readFileSync(process.argv[1])); const name = process.argv[1].includes("windows") ? "mingw-w64-x86-64-dev" : "libc6";
        if (b.bomFormat !== "CycloneDX" || !b.components.some((c) => c.name === name)) process.exit(1)' "$list" || { echo "$list has no C library"; exit 1; }
done
mkdir "$folder/inside"
for deb in *.deb; do dpkg-deb -x "$deb" "$folder/inside"; done
for archive in *.tgz; do tar -xzf "$archive" -C "$folder/inside"; done
for archive in *.zip *.whl; do
    [ ! -f "$archive" ] || /usr/bin/python3 -m zipfile -e "$archive" "$folder/inside"
done
! grep -rlF "$source" "$folder/inside" || { echo "a place of this machine is in these files"; exit 1; }
rm -rf "$folder/inside"
rm -rf "$folder/second"
ls -l
