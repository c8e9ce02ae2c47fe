// node compressed.mjs PROGRAM [ASSET...]: what `apply --compress` writes is small, passes the validator, and is played by
// three.js and by limber's own reader as the plain file is. Two files; with LIMBER_TEST_LONG more.
import fs from 'node:fs';
import path from 'node:path';
import { followMeshes, readGltf } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { dump, largestDistance, Report, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const LIMIT = 5e-5; // of L without a tolerance: targets have 16 bits, of displacements up to about L in a vertex bake
const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

function assets() {
  if (named.length) return named;
  const outside = process.env.LIMBER_TEST_ASSETS;
  const own = (process.env.LIMBER_TEST_LONG ? ['cow', 'hero'] : ['cow']).map((name) => path.join(folder, `${name}.glb`));
  for (const file of own) run(program, 'sample', path.basename(file, '.glb'), '-o', file);
  const others = (process.env.LIMBER_TEST_LONG ? ['Fox.glb', 'RobotExpressive.glb'] : ['Fox.glb']).map((name) => outside && path.join(outside, name));
  return [...own, ...others.filter((file) => file && fs.existsSync(file))];
}

const style = ['--style', 'cartoon', '--clip', '0'];

async function check(asset, ...options) {
  const name = `${path.basename(asset)} ${options.join(' ')}`;
  const [plain, small] = ['plain', 'small'].map((one) => path.join(folder, `${one}.glb`));
  run(program, 'apply', asset, '--bake', 'corrective', ...style, ...options, '-o', plain, '--quiet');
  run(program, 'apply', asset, '--bake', 'corrective', ...style, ...options, '--compress', '-o', small, '--quiet');
  const sizes = [plain, small].map((file) => fs.statSync(file).size);
  report.check(`${name}: bytes, of the plain file's`, sizes[1] / sizes[0], 0.8);
  const faults = (await validate(small)).filter(isFault);
  report.expect(`${name} passes the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  const wanted = dump(program, asset, path.join(folder, 'wanted'), ...style);
  const tolerance = Number(options[options.indexOf('--tolerance') + 1] ?? 0) / 1000 || 0;
  const limit = tolerance || LIMIT;
  const read = dump(program, small, path.join(folder, 'read'), '--clip', '0');
  const off = largestDistance(wanted.array('deformed').data, read.array('skinned').data) / wanted.manifest.size;
  report.check(`${name}: read by limber, in L`, off, limit);
  const player = await Player.open(small);
  const nodes = followMeshes(readGltf(asset).json, player.json);
  const [frames, vertices] = wanted.array('deformed').shape;
  let worst = 0;
  for (let frame = 0; frame < frames; frame += 5) {
    player.pose(0, wanted.array('time').data[frame]);
    const row = wanted.array('deformed').data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3);
    worst = Math.max(worst, largestDistance(row, player.positions(nodes)) / wanted.manifest.size);
  }
  report.check(`${name}: played by three.js, in L`, worst, limit);
}

for (const asset of assets()) {
  await check(asset);
  await check(asset, '--tolerance', '1');
  await check(asset, '--bake', 'vertex', '--no-normals');
}
report.end();
