#!/usr/bin/env bash
# Every file says the version of CMakeLists.txt, and release/version.sh sets all of them: done on a copy, where no file may
# say the old one afterwards but those that tell history.
# Usage: version.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
release/version.sh --check
version=$(release/version.sh)
[ -s "release/notes/$version.md" ] || { echo "release/notes/$version.md is missing"; exit 1; }
grep -q "^## $version\b" CHANGELOG.md || { echo "CHANGELOG.md has no section $version"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Files that could say it; in a source archive without git, all but what was built.
if git rev-parse --git-dir >/dev/null 2>&1; then
    git grep -lIE "${version//./\\.}|${version//./, }|VERSION_(MAJOR|MINOR|PATCH) " -- . >"$work/files"
else
    grep -rlIE --exclude-dir=node_modules --exclude-dir='build*' --exclude-dir=dist --exclude-dir=out \
        "${version//./\\.}|${version//./, }|VERSION_(MAJOR|MINOR|PATCH) " . >"$work/files"
fi
mkdir "$work/copy"
tr '\n' '\0' <"$work/files" | xargs -0 cp --parents -t "$work/copy"
cp --parents release/version.sh "$work/copy"
cd "$work/copy"

# One wrong file is found, wherever it is.
sed -i "s/^VERSION = .*/VERSION = \"0.0.77\"/" python/limber/_library.py
! release/version.sh --check 2>"$work/said" || { echo "a wrong version in python/limber/_library.py is not noticed"; exit 1; }
grep -q "python/limber/_library.py has '0.0.77'" "$work/said" || { cat "$work/said"; exit 1; }
! release/version.sh 1.2 2>"$work/said" || { echo "1.2 was taken for a version"; exit 1; }

release/version.sh 12.34.567 >"$work/said"
release/version.sh --check
[ "$(release/version.sh)" = 12.34.567 ]
grep -q 'now write release/notes/12.34.567.md' "$work/said"
grep -q '"version": (12, 34, 567)' blender/limber_blender/__init__.py
grep -q '^#define LIMBER_VERSION_PATCH 567$' include/limber/base.h
# Locks of npm have the versions of others, too; limber's own places in them are checked above.
grep -rnE "(^|[^0-9.])${version//./\\.}([^0-9]|$)" . |
    grep -vE '^\./(CHANGELOG\.md|ROADMAP\.md|docs/releases\.md|release/notes/|(release|tests/release)/version\.sh)' |
    grep -vE '^\./(web|tests/js)/package-lock\.json:' >"$work/left" || true
[ ! -s "$work/left" ] || { echo "these still say $version; derive it, or add them to release/version.sh:"; cat "$work/left"; exit 1; }
for file in $(cut -d'|' -f1 release/version.sh | grep -E '^[A-Za-z].*\.(txt|cff|h|py|toml|json|ts|md)$' | sort -u); do
    ! cmp -s "$file" "$1/$file" || { echo "$file was not changed"; exit 1; }
done
echo "version $version in every place; set to 12.34.567 on a copy of $(wc -l <"$work/files") files"
