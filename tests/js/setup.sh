#!/bin/sh
# Installs what checks need beside them, once: setup.sh [FOLDER], this one unless told.
cd "${1:-$(dirname "$0")}" || exit 1
if [ node_modules/.package-lock.json -nt package-lock.json ]; then
    exit 0
fi
exec npm ci --no-audit --no-fund --loglevel=error
