#!/usr/bin/env bash
# Does what CONTRIBUTING.md says: adds its example effect in three files and a parameter to it in one, builds the program
# and uses both.
#   tests/rules/new_effect.sh SOURCE-FOLDER
set -euo pipefail
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

(cd "$source" && git ls-files -z --cached --others --exclude-standard | xargs -0 -I{} sh -c '[ -f "$1" ] && echo "$1"' _ {} |
    grep -vE '^(docs/images|web|tests|fuzz)/' | tar -cf - -T -) | tar -xf - -C "$folder"
cd "$folder"

# 1. the code block, without its indentation
awk '/^   ```c$/ { inside = 1; next } /^   ```$/ { if (inside) exit } inside { sub(/^   /, ""); print }' CONTRIBUTING.md \
    >src/deform/effects/bob.c
# 2. the name
sed -i 's/^    LIMBER_EFFECT_COUNT$/    LIMBER_EFFECT_BOB,\n    LIMBER_EFFECT_COUNT/' include/limber/stages/deform.h
# 3. the line
sed -i 's/^    X(HOSE, hose)$/    X(HOSE, hose) \\\n    X(BOB, bob)/' src/deform/effects/effects.c
# The parameter, which changes one file.
awk '/^```diff$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' CONTRIBUTING.md >parameter.diff
[ "$(grep -c '^+++ ' parameter.diff)" = 1 ] || { echo "a parameter changes more than one file"; exit 1; }
patch --quiet -p1 <parameter.diff

cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Release -DLIMBER_WERROR=ON -DLIMBER_TESTS=OFF -DLIMBER_RENDER=OFF \
    -DLIMBER_STUDIO=OFF . >/dev/null
cmake --build build --target limber_program >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }

build/limber help style >help
grep -q bob help || { echo "no help on bob"; exit 1; }
build/limber sample cow -o cow.glb >/dev/null
build/limber dump cow.glb --clip jump --set effects.bob.linear=0.1 -o numbers --quiet >/dev/null
build/limber dump cow.glb --clip jump --set effects.bob.linear=0.1 --set 'meshes.*.effects.bob=0' -o still --quiet >/dev/null
build/limber dump cow.glb --clip jump --set effects.bob.linear=0.1 --set effects.bob.down=0 -o upwards --quiet >/dev/null
said=$(build/limber dump cow.glb --set 'meshes.*.effects.bop=0' -o none 2>&1 || true)
[[ $said == *"did you mean 'bob'?"* ]] || { echo "a typo in the gain of a mesh says: $said"; exit 1; }
# Vertices move up and down, and in no other direction; those of meshes with a gain of 0 do not move.
node -e '
const { readFileSync } = require("node:fs")
const numbers = (name, folder = "numbers") => {
  const file = readFileSync(`${folder}/${name}.npy`)
  return new Float32Array(file.buffer.slice(file.byteOffset + 10 + file.readUInt16LE(8), file.byteOffset + file.length))
}
const before = numbers("skinned"), after = numbers("deformed")
const moved = [0, 0, 0]
after.forEach((x, i) => { moved[i % 3] = Math.max(moved[i % 3], Math.abs(x - before[i])) })
console.log(`moved by at most ${moved}`)
const still = numbers("skinned", "still")
if (numbers("deformed", "still").some((x, i) => x !== still[i])) throw new Error("the gain of meshes does nothing")
// On the way down nothing lags any more: what moves, moves downwards.
const heights = numbers("deformed", "upwards").map((x, i) => i % 3 === 1 ? x - before[i] : 0)
if (heights.some((x) => x > 1e-6) || !heights.some((x) => x < -0.01))
  throw new Error("effects.bob.down does nothing")
process.exit(moved[1] > 0.01 && moved[0] === 0 && moved[2] === 0 ? 0 : 1)'
