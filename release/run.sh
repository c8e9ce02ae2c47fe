#!/usr/bin/env bash
# Makes what is released: run.sh OUT [PART...]. The parts, all by default: source (the archive, which is always made, and
# from which everything else is built), web (npm package; without it the .debs have no studio), native (.deb, wheel and
# add-on for this machine's architecture), foreign (the same for the other of amd64 and arm64), windows (zip, wheel and
# add-on), site. Then checksums.
# The same commit gives the same bytes: times come from the commit, nothing else from the machine but the versions of its
# packages. Builds of the same commit are kept in build-package and used again.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "usage: run.sh OUT [source|web|native|foreign|windows|site]..." >&2; exit 2; }
for part in "${@:2}"; do
    [[ " source web native foreign windows site " == *" $part "* ]] || { echo "run.sh: there is no part '$part'" >&2; exit 2; }
done
mkdir -p "$1"
out=$(cd "$1" && pwd)
parts=" ${*:2} "
[ $# -gt 1 ] || parts=" web native foreign windows site "
rm -f "$out"/*
version=$(release/version.sh)
release/version.sh --check
[ -s "release/notes/$version.md" ] || { echo "write release/notes/$version.md first: what users are to know of $version" >&2; exit 1; }
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022
python=/usr/bin/python3
[ -x $python ] || python=python3

make_source() {
    local commit
    commit=$(git rev-parse HEAD)
    [ -z "$(git status --porcelain)" ] || echo "uncommitted changes are not in the release" >&2
    git archive --format=tar --prefix="limber-$version/" HEAD | gzip -9n >"$out/limber-$version.tar.gz"
    if [ "$(cat build-package/commit 2>/dev/null || true)" != "$commit" ]; then
        rm -rf build-package/limber-* build-package/commit
        mkdir -p build-package
        tar -xzf "$out/limber-$version.tar.gz" -C build-package
        echo "$commit" >build-package/commit
    fi
    root=$(cd build-package && pwd)
    sysroot=$root/sysroot
    cd "build-package/limber-$version"
}

is() { [[ $parts == *" $1 "* ]]; }

quietly() { # command: says what it said only where it fails
    "$@" >"$root/log" 2>&1 || { tail -n 60 "$root/log" >&2; echo "failed: $*" >&2; exit 1; }
}

compile() { # folder, what only this build has
    quietly cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DLIMBER_TESTS=OFF \
        -DLIMBER_EXAMPLES=OFF -DCMAKE_C_FLAGS="$maps" -DCMAKE_CXX_FLAGS="$maps" "${@:2}"
    quietly cmake --build "$1" -j "$(nproc)"
}

about() { # build folder, kind of its notices, platform: what it contains that others wrote
    node release/notices.mjs "$2" "$1" >"$1/NOTICES.txt"
    node release/sbom.mjs "$1" "$version" >"$1/limber.cdx.json"
    cp "$1/limber.cdx.json" "$out/limber-$version-$3.cdx.json"
}

pack_deb() { # build folder, options of cpack
    rm -f "$1"/limber_*.deb
    (cd "$1" && quietly cpack -G DEB "${@:2}")
    mv "$1"/limber_*.deb "$out/"
}

pack_python() { # library: the wheel and the add-on
    $python -c 'import numpy' 2>/dev/null || { echo "no wheel and no add-on: there is no numpy (Debian: python3-numpy)" >&2; return; }
    quietly $python python/build_wheel.py "$1" --no-program -o "$out"
    quietly $python blender/package.py "$1" "$out"
}

make_web() {
    quietly web/build.sh build
    quietly node web/scripts/shaders.mjs shaders
    (cd web/limber && quietly npm pack --silent --pack-destination "$out")
}

make_native() {
    about build program "$architecture"
    pack_deb build
    pack_python build/liblimber.so
}

make_foreign() {
    local other=arm64 machine=aarch64 depends
    [ "$architecture" = amd64 ] || other=amd64 machine=x86_64
    command -v $machine-linux-gnu-g++ >/dev/null ||
        { echo "nothing for $other: there is no $machine-linux-gnu-g++ (Debian: g++-${machine/_/-}-linux-gnu)" >&2; return; }
    [ -f "$out/limber_${version}_$architecture.deb" ] || { echo "the part foreign needs the part native" >&2; exit 2; }
    release/sysroot.sh $other "$sysroot" libc6-dev libstdc++-12-dev libegl-dev libgles-dev libmicrohttpd-dev \
        libmeshoptimizer-dev libdraco-dev libassimp-dev libpng-dev libjpeg62-turbo-dev
    maps="$maps -ffile-prefix-map=$sysroot=" compile build-foreign -DCMAKE_TOOLCHAIN_FILE=cmake/foreign.cmake \
        -DLIMBER_FOREIGN=$machine -DCMAKE_SYSROOT="$sysroot"
    LIMBER_SYSROOT=$sysroot about build-foreign program $other
    # dpkg-shlibdeps knows this system only. Libraries that both link are needed in the same version; others as they are.
    depends=$(node release/depends.mjs build-foreign/limber.cdx.json "$(dpkg-deb -f "$out/limber_${version}_$architecture.deb" Depends)")
    pack_deb build-foreign -D CPACK_DEBIAN_PACKAGE_ARCHITECTURE=$other -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF \
        -D "CPACK_DEBIAN_PACKAGE_DEPENDS=$depends"
    pack_python build-foreign/liblimber.so
}

make_windows() {
    local folder=build-mingw/limber-$version-windows-x64
    command -v x86_64-w64-mingw32-gcc >/dev/null ||
        { echo "nothing for Windows: there is no x86_64-w64-mingw32-gcc (Debian: gcc-mingw-w64-x86-64)" >&2; return; }
    compile build-mingw -DCMAKE_TOOLCHAIN_FILE=cmake/mingw.cmake -DLIMBER_RENDER=OFF -DLIMBER_STUDIO=OFF \
        -DCMAKE_EXE_LINKER_FLAGS="-s -Wl,--no-insert-timestamp" -DCMAKE_SHARED_LINKER_FLAGS="-s -Wl,--no-insert-timestamp"
    about build-mingw windows windows-x64
    rm -rf "$folder"
    quietly cmake --install build-mingw --prefix "$PWD/$folder"
    rm -rf "$folder/share/limber/studio" # which has no server there
    cp LICENSE CHANGELOG.md build-mingw/NOTICES.txt build-mingw/limber.cdx.json "$folder"
    sed 's/$/\r/' release/windows.txt >"$folder/README.txt"
    $python release/zip.py "$out/limber-$version-windows-x64.zip" "$folder"
    pack_python build-mingw/liblimber.dll
}

make_site() {
    grep -q '^cmd_site()' dev || { echo "no site: ./dev has no command for it" >&2; return; }
    quietly ./dev site
    tar -c --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        --transform="s|^site|limber-$version-site|" -C out site | gzip -9n >"$out/limber-$version-site.tar.gz"
}

make_source
architecture=$(dpkg --print-architecture)
maps="-ffile-prefix-map=$PWD=."
compile build
for part in web native foreign windows site; do
    is $part || continue
    echo "making: $part"
    make_$part
done
cp "release/notes/$version.md" "$out/limber-$version-notes.md"
(cd "$out" && sha256sum -- * >"$out/SHA256SUMS.new" && mv SHA256SUMS.new SHA256SUMS)
