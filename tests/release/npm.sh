#!/usr/bin/env bash
# The npm tarball in an empty project, from no network: the example of two lines with three.js in node.
# Usage: npm.sh SOURCE_FOLDER RELEASE_FOLDER PROGRAM
set -euo pipefail
tarball=$(ls "$2"/limber-[0-9]*.tgz 2>/dev/null) || { echo "there is no npm package"; exit 77; }
three=$(ls -d "$1"/build-package/limber-*/web/node_modules/three "$1"/web/node_modules/three 2>/dev/null | head -1 || true)
[ -n "$three" ] || { echo "there is no three.js"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"name": "empty", "private": true, "type": "module"}' >package.json
npm install --offline --no-audit --no-fund --loglevel=error --legacy-peer-deps "$tarball" >/dev/null
cp -r "$three" node_modules/three
[ -s node_modules/limber/NOTICES.txt ] && [ -s node_modules/limber/LICENSE ]
"$3" sample dog -o dog.glb
cat >try.js <<'JS'
import fs from 'node:fs';
import { AnimationMixer } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { limber } from 'limber/three';

globalThis.self ??= globalThis;
const bytes = fs.readFileSync('dog.glb');
const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
const mixer = new AnimationMixer(gltf.scene);
mixer.clipAction(gltf.animations.find((clip) => clip.name === 'jump')).play();

const toon = await limber(gltf.scene, 'cartoon');
for (let i = 0; i < 30; i++) {
  mixer.update(1 / 30); toon.update(1 / 30);
}

let mesh;
gltf.scene.traverse((one) => (mesh ??= one.isSkinnedMesh ? one : undefined));
gltf.scene.updateMatrixWorld(true);
const styled = toon.positions(mesh);
let most = 0;
const plain = mesh.position.clone();
for (let v = 0; v < mesh.geometry.attributes.position.count; v++) {
  mesh.getVertexPosition(v, plain);
  mesh.localToWorld(plain);
  const at = styled;
  most = Math.max(most, Math.hypot(at[3 * v] - plain.x, at[3 * v + 1] - plain.y, at[3 * v + 2] - plain.z));
}
if (!(most > 0.01 && most < 1)) throw new Error(`the preset moves a vertex by ${most}`);
console.log(`${toon.character.vertexCount} vertices; the preset moves one by ${most.toFixed(3)}`);
JS
node --no-warnings try.js
