#!/usr/bin/env bash
# What is released, made twice and then used: the same bytes both times, and a .deb that installs into an empty system and
# runs what the README says to animators and to C programmers.
# Usage: deb.sh SOURCE_FOLDER
set -euo pipefail
source=$1
[ -d "$source/.git" ] || [ -f "$source/.git" ] || { echo "not a git checkout"; exit 77; }
for tool in dpkg-deb dpkg-shlibdeps cpack node; do
    command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$source/release/run.sh" "$work/first" --no-web 2>"$work/said" || { cat "$work/said"; exit 1; }
rm -rf "$source/build-package"/*.deb "$source/build-package/limber" "$source/build-package"/liblimber.so*
"$source/release/run.sh" "$work/second" --no-web 2>"$work/said" || { cat "$work/said"; exit 1; }
diff -r "$work/first" "$work/second"
(cd "$work/first" && sha256sum --quiet -c SHA256SUMS)
node -e 'const b = JSON.parse(require("fs").readFileSync(process.argv[1])); if (b.bomFormat !== "CycloneDX" || !b.components.some((c) => c.name === "libc6")) process.exit(1)' \
    "$work"/first/*.cdx.json

# An empty system with nothing but a list of packages. What the package depends on is this machine's.
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers} "$root/etc"
touch "$root/var/lib/dpkg/status"
dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --log="$work/log" \
    --install "$work"/first/limber_*.deb >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${db:Status-Status}\n' limber | grep -qx installed
for file in copyright NOTICES.txt limber.cdx.json; do
    [ -s "$root/usr/share/doc/limber/$file" ] || { echo "$file is not in the package"; exit 1; }
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

# And a program against the library.
pc=$(find "$root" -name limber.pc)
export PKG_CONFIG_PATH=${pc%/*}
cc -std=c11 "$source/tests/install/ten_lines.c" $(pkg-config --define-variable=prefix="$root/usr" --cflags --libs limber) -o "$work/ten"
LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig} "$work/ten" "$work/use/dog.glb"
dpkg --root="$root" --force-not-root --force-script-chrootless --log="$work/log" --remove limber >/dev/null
[ ! -e "$root/usr/bin/limber" ] || { echo "removing the package leaves the program"; exit 1; }
