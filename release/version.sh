#!/usr/bin/env bash
# The version of limber is that of project() in CMakeLists.txt. Files that other programs read by themselves repeat it;
# the table below has every such place.
#   version.sh           prints it
#   version.sh --check   fails where a file has another one
#   version.sh X.Y.Z     sets it everywhere
set -euo pipefail
cd "$(dirname "$0")/.."

# File, what stands before the number (extended regular expression, \n is a line end), and its form.
places='
CMakeLists.txt|project\(limber VERSION |dots
CITATION.cff|\nversion: |dots
include/limber/base.h|#define LIMBER_VERSION_MAJOR |major
include/limber/base.h|#define LIMBER_VERSION_MINOR |minor
include/limber/base.h|#define LIMBER_VERSION_PATCH |patch
include/limber/base.h|\n// The version of the library: "|dots
python/limber/_library.py|\nVERSION = "|dots
python/limber/_library.py|version of the C library, such as "|dots
blender/limber_blender/__init__.py|"version": \(|commas
blender/limber_blender/blender_manifest.toml|\nversion = "|dots
web/limber/package.json|\n  "version": "|dots
web/studio/package.json|\n  "version": "|dots
web/package-lock.json|\n    "limber": \{\n      "version": "|dots
web/package-lock.json|"name": "limber-studio",\n      "version": "|dots
web/limber/src/engine.ts|Version of the module, such as "|dots
docs/studio.md|"version": "|dots
'

# Names of packages in the documentation.
for file in README.md python/README.md web/limber/README.md $(find docs -name '*.md'); do
    for before in 'limber_blender-' 'limber[-_]'; do
        ! grep -qE "(^|[^a-z])$before[0-9]+\.[0-9]+\.[0-9]" "$file" 2>/dev/null || places+="$file|$before|dots"$'\n'
    done
done

pattern_of() { # form
    case $1 in
        dots) echo '[0-9]+\.[0-9]+\.[0-9]+' ;;
        commas) echo '[0-9]+, [0-9]+, [0-9]+' ;;
        *) echo '[0-9]+' ;;
    esac
}

number_of() { # form X.Y.Z
    local major minor patch
    IFS=. read -r major minor patch <<<"$2"
    case $1 in
        dots) echo "$2" ;;
        commas) echo "$major, $minor, $patch" ;;
        *) echo "${!1}" ;;
    esac
}

each_place() { # function X.Y.Z: calls it with file, before, pattern, number
    local file before form
    while IFS='|' read -r file before form; do
        [ -z "$file" ] || "$1" "$file" "$before" "$(pattern_of "$form")" "$(number_of "$form" "$2")"
    done <<<"$places"
}

wrong=0
check() {
    local found
    found=$(sed -zE "s~$2($3)~\n@\1@\n~g" "$1" | sed -n 's/^@\([0-9., ]*\)@$/\1/p' | sort -u)
    [ "$found" = "$4" ] || { echo "$1 has '${found//$'\n'/ and }' instead of '$4' (after '$2')" >&2; wrong=1; }
}

change() {
    sed -zEi "s~($2)$3~\1$4~g" "$1"
}

[ $# -le 1 ] || { echo "version.sh: one version, not $#; usage: version.sh [--check | X.Y.Z]" >&2; exit 2; }
current=$(sed -n 's/^project(limber VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
case ${1:-} in
    '') echo "$current" ;;
    --check)
        each_place check "$current"
        [ $wrong = 0 ] || { echo "set all of them with release/version.sh X.Y.Z" >&2; exit 1; }
        ;;
    *)
        [[ $1 =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] || { echo "version.sh: '$1' is not a version; write X.Y.Z" >&2; exit 2; }
        each_place change "$1"
        each_place check "$1"
        [ $wrong = 0 ] || exit 1
        [ -s "release/notes/$1.md" ] || echo "now write release/notes/$1.md, and the section $1 in CHANGELOG.md"
        ;;
esac
