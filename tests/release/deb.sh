#!/usr/bin/env bash
# The .deb of this machine's architecture installs into an empty system and runs what the README says to animators and to
# C programmers, and the first tutorial. That of the other architecture has the same files.
# Usage: deb.sh SOURCE_FOLDER RELEASE_FOLDER
set -euo pipefail
source=$1 release=$2
arch=$(dpkg --print-architecture)
deb=$(ls "$release"/limber_*_"$arch".deb 2>/dev/null) || { echo "there is no .deb"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An empty system with nothing but a list of packages. What the package depends on is this machine's.
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers} "$root/etc"
touch "$root/var/lib/dpkg/status"
dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --log="$work/log" \
    --install "$deb" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${db:Status-Status}\n' limber | grep -qx installed
for file in doc/limber/{copyright,NOTICES.txt,limber.cdx.json} limber/studio/index.html limber/shaders/spv/limber_deform.spv; do
    [ -s "$root/usr/share/$file" ] || { echo "$file is not in the package"; exit 1; }
done

# The README's commands for animators, as they stand there.
mkdir "$work/use"
sed -n '/^## For animators/,/^## /s/^    build\/limber //p' "$source/README.md" | sed 's/ *#.*//' >"$work/lines"
[ -s "$work/lines" ] || { echo "the README has no commands"; exit 1; }
while read -r -a words; do
    case " ${words[*]} " in *.mp4*) command -v ffmpeg >/dev/null || continue ;; esac
    (cd "$work/use" && "$root/usr/bin/limber" "${words[@]}" >"$work/said" 2>&1) || { cat "$work/said"; exit 1; }
    echo "limber ${words[*]}"
done <"$work/lines"
for file in dog.glb toon.glb toon.png; do
    [ -s "$work/use/$file" ] || { echo "$file was not written"; exit 1; }
done
if [ -f "$source/tests/docs/run.mjs" ] && [ -f "$source/docs/tutorials/command-line.md" ]; then
    node "$source/tests/docs/run.mjs" "$source/docs/tutorials/command-line.md" "$root/usr/bin/limber"
fi

# And a program against the library.
pc=$(find "$root" -name limber.pc)
export PKG_CONFIG_PATH=${pc%/*}
cc -std=c11 "$source/tests/install/ten_lines.c" $(pkg-config --define-variable=prefix="$root/usr" --cflags --libs limber) -o "$work/ten"
LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig} "$work/ten" "$work/use/dog.glb"

# The other architecture: the same files in its own folder, and the program runs where qemu is.
other=$(ls "$release"/limber_*.deb | grep -v "_$arch.deb" || true)
if [ -n "$other" ]; then
    dpkg-deb -x "$other" "$work/other"
    list() { (cd "$1/usr" && find . -type f -o -type l | sed -E 's,/(aarch64|x86_64)-linux-gnu/,/TRIPLET/,' | sort); }
    diff <(list "$root" | grep -v '/doc/limber/') <(list "$work/other" | grep -v '/doc/limber/')
    dpkg-deb -f "$other" Depends | grep -q "libc6 (>= "
    machine=$(readelf -h "$work/other/usr/bin/limber" | sed -n 's/ *Machine: *//p')
    echo "the other .deb: $machine, $(dpkg-deb -f "$other" Architecture)"
    emulator=qemu-aarch64
    [ "$arch" = amd64 ] || emulator=qemu-x86_64
    if command -v $emulator >/dev/null; then
        run() { $emulator -L "$source/build-package/sysroot" "$work/other/usr/bin/limber" "$@"; }
        run sample dog -o "$work/other.glb"
        run apply "$work/other.glb" --style cartoon --clip jump --bake vertex --quiet -o "$work/other_toon.glb"
        "$root/usr/bin/limber" apply "$work/use/dog.glb" --style cartoon --clip jump --bake vertex --quiet -o "$work/own_toon.glb"
        node "$source/tests/windows/same_glb.mjs" "$work/use/dog.glb" "$work/other.glb"
        node "$source/tests/windows/same_glb.mjs" "$work/own_toon.glb" "$work/other_toon.glb"
    else
        echo "it was not run: there is no $emulator (Debian: qemu-user)"
    fi
fi

dpkg --root="$root" --force-not-root --force-script-chrootless --log="$work/log" --remove limber >/dev/null
[ ! -e "$root/usr/bin/limber" ] || { echo "removing the package leaves the program"; exit 1; }
echo "installed, used and removed"
