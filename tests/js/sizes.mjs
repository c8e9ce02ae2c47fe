// node sizes.mjs PROGRAM [ASSET...]: bakes with default settings are at most three times as large as the character (as a
// .glb), hold the tolerance, leave nothing in the file that nobody uses, and nothing that the validator objects to.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { readGltf } from './gltf_file.mjs';
import { Report, run, temporaryFolder } from './run.mjs';
import { describe, newFaults } from './validate.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const LARGE = 30000; // bytes: smaller characters may grow more
const MOST = 3;
const STILL_MORE = { 'Puffer.glb': 9.9, 'ball.glb': 11.6 }; // as of today

/** How many accessors and views nobody names. */
function countUnused(json) {
  const named = new Set();
  const views = new Set();
  for (const { primitives } of json.meshes ?? [])
    for (const { attributes, indices, targets = [] } of primitives)
      for (const index of [indices, ...[attributes, ...targets].flatMap(Object.values)]) named.add(index);
  for (const { inverseBindMatrices } of json.skins ?? []) named.add(inverseBindMatrices);
  for (const { samplers } of json.animations ?? []) for (const { input, output } of samplers) named.add(input).add(output);
  for (const { bufferView, sparse } of json.accessors) views.add(bufferView).add(sparse?.indices.bufferView).add(sparse?.values.bufferView);
  for (const { bufferView } of json.images ?? []) views.add(bufferView);
  return json.accessors.filter((_, i) => !named.has(i)).length + json.bufferViews.filter((_, i) => !views.has(i)).length;
}

function more() {
  const place = path.join(process.env.LIMBER_TEST_ASSETS ?? '', 'more');
  if (named.length || !process.env.LIMBER_TEST_LONG || !fs.existsSync(place)) return [];
  return fs.readdirSync(place).filter((file) => /\.(glb|gltf|fbx)$/i.test(file)).map((file) => path.join(place, file));
}

for (const asset of [...assetsFor(program, named, folder), ...more()]) {
  const name = path.basename(asset);
  const [plain, baked] = ['plain.glb', 'baked.glb'].map((file) => path.join(folder, file));
  run(program, 'convert', asset, '-o', plain);
  const done = spawnSync(program, ['apply', asset, '--style', 'cartoon', '-o', baked], { encoding: 'utf8' });
  const [before, after] = [plain, baked].map((file) => fs.statSync(file).size);
  const error = Number(done.stderr.match(/at most ([\d.e+-]+)\/1000 L off/)?.[1] ?? 0);
  report.expect(`${name}: at most 1/1000 L off`, done.status === 0 && error <= 1, done.stderr);
  if (before > LARGE) report.check(`${name}: ${before} bytes become ${after}, times`, after / before, STILL_MORE[name] ?? MOST);
  const faults = await newFaults(baked, plain);
  report.expect(`${name}: the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  const unused = [plain, baked].map((file) => countUnused(readGltf(file).json));
  report.expect(`${name}: ${unused[1]} unused accessors and views, ${unused[0]} before`, unused[1] <= unused[0]);
}
report.end();
