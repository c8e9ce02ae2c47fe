#!/bin/sh
# Makes the npm package: build.sh BUILD_FOLDER (where cmake was run). Leaves it in web/limber/dist.
set -e
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
cmake --build "$build" --target wasm
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --no-audit --no-fund --loglevel=error
fi
node limber/scripts/build.mjs "$build/web/limber.wasm"
