#!/usr/bin/env bash
# The source archive: unpacked, built with CMake, installed into an empty folder, and a ten-line program against it. It is
# the small build of somebody who has a compiler and nothing else.
# Usage: source.sh RELEASE_FOLDER
set -euo pipefail
[ -d "$1" ] || { echo "there is no release"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$(ls "$1"/limber-*.tar.gz | grep -v -- '-site.tar.gz')" -C "$work"
tree=$(echo "$work"/limber-*)
for file in README.md LICENSE CHANGELOG.md dev CMakeLists.txt CITATION.cff; do
    [ -s "$tree/$file" ] || { echo "$file is not in the archive"; exit 1; }
done
cmake -S "$tree" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$work/prefix" -DLIMBER_TESTS=OFF \
    -DLIMBER_RENDER=OFF -DLIMBER_STUDIO=OFF -DLIMBER_ASSIMP=OFF -DLIMBER_DRACO=OFF -DLIMBER_MESHOPT=OFF >"$work/said"
cmake --build "$work/build" -j "$(nproc)" >"$work/said" 2>&1 || { tail -40 "$work/said"; exit 1; }
cmake --install "$work/build" >/dev/null
rm -rf "$work/build"
"$work/prefix/bin/limber" sample cylinder -o "$work/cylinder.glb"
"$work/prefix/bin/limber" apply "$work/cylinder.glb" --style cartoon -o "$work/toon.glb"
cmake -S "$tree/tests/install" -B "$work/ten" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/ten" >/dev/null
"$work/ten/with_static" "$work/cylinder.glb"
[ "$("$work/ten/with_static" "$work/cylinder.glb")" = "$("$work/ten/with_shared" "$work/cylinder.glb")" ]
