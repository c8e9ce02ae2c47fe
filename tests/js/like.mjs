// node like.mjs PROGRAM: `apply --like` moves a coarser mesh with the bones of the fine one's bake: what vertices of the
// coarse mesh are also in the fine one, they are in the same place.
import fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { makeGlb, parseGlb } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { Report, run, temporaryFolder } from './run.mjs';
import { describe, newFaults } from './validate.mjs';

const [program] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const [fine, coarse, baked, like] = ['fine.glb', 'coarse.glb', 'baked.glb', 'like.glb'].map((name) => path.join(folder, name));

/** Every second triangle goes; the vertices stay, so that they can be compared one by one. */
function thin() {
  const { json, binary } = parseGlb(fs.readFileSync(fine));
  for (const { primitives } of json.meshes)
    for (const { indices } of primitives) json.accessors[indices].count = 3 * Math.floor(json.accessors[indices].count / 6);
  for (const accessor of json.accessors) if (accessor.type === 'SCALAR' && accessor.componentType !== 5126) ['min', 'max'].forEach((key) => delete accessor[key]);
  fs.writeFileSync(coarse, makeGlb(json, binary));
}

const style = ['--style', 'cartoon', '--clip', 'walk', '--quiet'];
run(program, 'sample', 'cow', '-o', fine);
thin();
run(program, 'apply', fine, ...style, '--bake', 'bones', '--targets', '0', '-o', baked);
run(program, 'apply', coarse, '--like', fine, ...style, '-o', like);
const faults = await newFaults(like, coarse);
report.expect('the validator', !faults.length, faults.map(describe).join('; '));
const players = [await Player.open(baked), await Player.open(like), await Player.open(fine)];
for (const time of [0.2, 0.7]) {
  players.forEach((player) => player.pose(0, time));
  const [a, b, plain] = players.map((player) => player.positions());
  const near = (other) => Array.from({ length: a.length / 3 }, (_, v) => Math.hypot(...[0, 1, 2].map((c) => a[3 * v + c] - other[3 * v + c]))).filter((distance) => distance < 1e-5).length / (a.length / 3);
  report.expect(`at ${time} s ${(100 * near(b)).toFixed(1)} % are where those of the fine one are, without it ${(100 * near(plain)).toFixed(1)} %`, near(b) > 0.7 && near(plain) < 0.2);
}
const other = path.join(folder, 'other.glb');
run(program, 'sample', 'snail', '-o', other);
const refused = spawnSync(program, ['apply', other, '--like', fine, ...style, '-o', like], { encoding: 'utf8' });
report.expect('another skeleton is refused', refused.status === 1 && /has no (joint|clip)/.test(refused.stderr), refused.stderr);
const wrong = spawnSync(program, ['apply', coarse, '--like', fine, '--bake', 'vertex', '-o', like], { encoding: 'utf8' });
report.expect('so is another bake', wrong.status === 2, wrong.stderr);
report.end();
