#!/bin/sh
# run.sh COMPARE_TAIL [--doc|--check]: installs what run.mjs needs of npm beside it, once, and starts it.
here=$(dirname "$0")
if [ ! "$here/node_modules/.package-lock.json" -nt "$here/package-lock.json" ]; then
    (cd "$here" && npm ci --no-audit --no-fund --loglevel=error >/dev/null) || exit 1
fi
exec node "$here/run.mjs" "$@"
