#!/usr/bin/env bash
# Packs the add-on and installs it into a Blender whose user folders are empty: install.sh BLENDER PYTHON LIBRARY
set -euo pipefail
blender=$1 python=$2 library=$3
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" "$here/../package.py" "$library" "$folder/first"
"$python" "$here/../package.py" "$library" "$folder/second"
for zip in "$folder"/first/*.zip; do
    cmp "$zip" "$folder/second/$(basename "$zip")"
done

unset LIMBER_LIBRARY PYTHONPATH
export BLENDER_USER_RESOURCES=$folder/user
export BLENDER_USER_SCRIPTS=$folder/user/scripts BLENDER_USER_CONFIG=$folder/user/config
mkdir -p "$BLENDER_USER_SCRIPTS" "$BLENDER_USER_CONFIG"
"$blender" -b --factory-startup --python-exit-code 7 --python "$here/install.py" -- \
    "$(ls "$folder"/first/*[0-9a-z].zip | grep -v extension)" "$(ls "$folder"/first/*-extension.zip)" "$folder"
[ -z "$(ls "$BLENDER_USER_SCRIPTS/addons")" ] || { echo "left behind: $(ls "$BLENDER_USER_SCRIPTS/addons")"; exit 1; }
