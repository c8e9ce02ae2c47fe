#!/usr/bin/env bash
# Makes what is released: run.sh OUT [--no-web]. A source archive, a .deb, npm tarballs, the wheel and the add-on where
# there is a Python with numpy, what it consists of, and checksums. The same commit gives the same bytes: times come from the commit, nothing else from the machine but the
# versions of its packages.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
rm -f "$out"/*
build=build-package
version=$(sed -n 's/^project(limber VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022

[ -z "$(git status --porcelain)" ] || echo "uncommitted changes are in the packages, but not in the source archive" >&2
git archive --format=tar --prefix="limber-$version/" HEAD | gzip -9n >"$out/limber-$version.tar.gz"

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DLIMBER_TESTS=OFF \
    -DCMAKE_C_FLAGS=-ffile-prefix-map="$PWD"=. >/dev/null
cmake --build "$build" -j "$(nproc)" >/dev/null
if [ "${2:-}" != --no-web ]; then
    web/build.sh "$build" >/dev/null
    (cd web/limber && npm pack --silent --pack-destination "$out" >/dev/null)
fi
node release/notices.mjs program "$build" >"$build/NOTICES.txt"
node release/sbom.mjs "$build" "$version" >"$build/limber.cdx.json"
cp "$build/limber.cdx.json" "$out/limber-$version.cdx.json"
rm -f "$build"/limber_*.deb
(cd "$build" && cpack -G DEB >/dev/null 2>&1)
mv "$build"/limber_*.deb "$out/"
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    /usr/bin/python3 python/build_wheel.py "$build/liblimber.so" --no-program -o "$out" >/dev/null
    /usr/bin/python3 blender/package.py "$build/liblimber.so" "$out" >/dev/null
fi
(cd "$out" && sha256sum -- * >"$out/SHA256SUMS.new" && mv SHA256SUMS.new SHA256SUMS)
