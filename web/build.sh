#!/bin/sh
# Builds the npm package and the studio: build.sh BUILD_FOLDER (of cmake). The results are in web/limber/dist and
# web/studio/dist.
set -e
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
cmake --build "$build" --target wasm limber_program
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --no-audit --no-fund --loglevel=error
fi
node limber/scripts/build.mjs "$build/web/limber.wasm"
node ../release/notices.mjs wasm >limber/NOTICES.txt
node studio/scripts/characters.mjs "$build/limber"
npm run build --workspace limber-studio --silent
node ../release/notices.mjs studio >studio/dist/NOTICES.txt
