// node estimates.mjs PROGRAM [ASSET...]: before a bake of morph targets `apply` says about how many targets and bytes it
// will take. What is written is within a factor of two of that; with tolerances above 1, of three and a half.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { readGltf } from './gltf_file.mjs';
import { Report, temporaryFolder } from './run.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const output = path.join(temporaryFolder(), 'baked.glb');
const UNITS = { bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9 };
const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const WIDTHS = { SCALAR: 1, VEC3: 3 };

/** Of all targets and their weights. */
function countBytes({ accessors, meshes, animations = [] }) {
  const used = new Set();
  for (const { primitives } of meshes) for (const { targets = [] } of primitives) for (const target of targets) Object.values(target).forEach((index) => used.add(index));
  for (const { channels, samplers } of animations) for (const { sampler, target } of channels) if (target.path === 'weights') used.add(samplers[sampler].output);
  let sum = 0;
  for (const { count, componentType, type, sparse } of [...used].map((index) => accessors[index])) {
    const element = WIDTHS[type] * SIZES[componentType];
    sum += sparse ? sparse.count * (element + SIZES[sparse.indices.componentType]) : count * element;
  }
  return sum;
}

const bakes = [['--tolerance', '0'], ['--tolerance', '1'], ['--tolerance', '3']];
for (const asset of assetsFor(program, named, path.dirname(output))) {
  for (const [kind, options] of [...bakes.map((each) => ['corrective', each]), ['vertex', bakes[1]]]) {
    const done = spawnSync(program, ['apply', asset, '--style', 'cartoon', '--bake', kind, ...options, '-o', output], { encoding: 'utf8' });
    const [, targets, number, unit] = /about (\d+) targets on a mesh and ([\d.]+) (\w+)/.exec(done.stderr) ?? [];
    if (!targets) continue; // nothing moves
    const { json } = readGltf(output);
    const most = Math.max(...json.meshes.map(({ primitives }) => Math.max(...primitives.map((each) => each.targets?.length ?? 0))));
    const limit = options[1] > 1 ? 3.5 : 2;
    const ratio = countBytes(json) / (number * UNITS[unit]);
    report.expect(`${path.basename(asset)}, ${kind} ${options.join(' ')}: ${ratio.toFixed(2)} of ${number} ${unit}, ${(most / targets).toFixed(2)} of ${targets} targets`, ratio > 1 / limit && ratio < limit, done.stderr);
  }
}
report.end();
