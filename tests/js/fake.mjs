// node fake.mjs PROGRAM: velocities given by hand. The numbers follow the closed form, the paths start at the plain pose
// and end at the deformed one, and the file that `apply` makes of them plays the same.
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { Player } from './player.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const [program] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const file = path.join(folder, 'cylinder.glb');
run(program, 'sample', 'cylinder', '-o', file);

const gain = 0.3;
const spin = 2.5;
const style = ['--set', `effects.floppy.angular=${gain}`, '--what-if', `Root.angular=0,0,${spin}`];
const dumped = dump(program, file, path.join(folder, 'dump'), '--clip', 'stop', ...style);
const [skinned, deformed, trajectory] = ['skinned', 'deformed', 'trajectory'].map((name) => dumped.array(name));
const [steps, vertices] = trajectory.shape;
const size = dumped.manifest.size;
const step = (i) => trajectory.data.subarray(i * vertices * 3, (i + 1) * vertices * 3);

report.expect('one frame, the pose held still', deformed.shape[0] === 1 && steps === 17);
report.check('the path starts at the plain pose, in L', largestDistance(step(0), skinned.data) / size, 0);
report.check('the path ends at the deformed pose, in L', largestDistance(step(steps - 1), deformed.data) / size, 0);
for (const i of [4, 8, 16]) {
  const expected = new Float32Array(vertices * 3);
  for (let u = 0; u < vertices; u++) {
    const [x, y, z] = skinned.data.subarray(3 * u, 3 * u + 3);
    const angle = ((-gain * spin * i) / 16) * (Math.hypot(x, y) / size);
    expected.set([x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle), z], 3 * u);
  }
  report.check(`step ${i} is the closed form, in L`, largestDistance(step(i), expected) / size, 2e-6);
}

const out = path.join(folder, 'fake.glb');
run(program, 'apply', file, '-o', out, '--clip', 'stop', ...style);
const faults = (await validate(out)).filter(isFault);
report.expect('the file passes the validator', !faults.length, faults.map(describe).join('; '));
const player = await Player.open(out);
for (const i of [0, 5, 16]) {
  player.pose(0, i / 16);
  report.check(`three.js at step ${i}, in L`, largestDistance(player.positions(), step(i)) / size, 1e-5);
}

for (const [fake, status, words] of [
  ['Rot.angular=0,1,0', 1, "did you mean 'Root'"],
  ['Root.angluar=0,1,0', 2, "did you mean 'angular'"],
  ['Root.angular=0,1', 2, 'three numbers'],
  ['Root.angular=0,nan,0', 2, 'three numbers'],
  ['Root', 2, 'JOINT.QUANTITY'],
]) {
  const done = spawnSync(program, ['dump', file, '-o', path.join(folder, 'none'), '--what-if', fake], { encoding: 'utf8' });
  report.expect(`--what-if ${fake}: status ${status} and a clear line`, done.status === status && done.stderr.includes(words) && done.stderr.split('\n').length === 2, done.stderr);
}
report.end();
