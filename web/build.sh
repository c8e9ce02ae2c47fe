#!/bin/sh
# Builds the npm package, the studio, the gallery and the site: build.sh BUILD_FOLDER (of cmake). The results are in
# web/limber/dist, web/studio/dist, web/gallery/dist and web/site/dist.
set -e
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
cmake --build "$build" --target wasm limber_program limber_shared
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --no-audit --no-fund --loglevel=error
fi
node limber/scripts/build.mjs "$build/web/limber.wasm"
node ../release/notices.mjs wasm >limber/NOTICES.txt
mkdir -p studio/generated
cp "$build/web/limber-gltf.wasm" studio/generated/
node studio/scripts/characters.mjs "$build/limber"
node node_modules/typescript/bin/tsc --noEmit -p .
npm run build --workspace limber-studio --silent
node ../release/notices.mjs studio >studio/dist/NOTICES.txt
node node_modules/vite/bin/vite.js build gallery --logLevel warn
node gallery/scripts/site.mjs
node site/scripts/build.mjs "$build"
