// node compare_style.mjs PROGRAM [--long] [ASSET...]: with effects on, what three.js plays is what limber computed; reduced
// targets hold their tolerance; a style carried by the file acts like one on the command line, once. --long: every asset
// in both styles, and the frame rate does not matter (which the test invariance sees, too).
import fs from 'node:fs';
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { followMeshes, readGltf } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const LIMIT = 1e-4; // of L
const TOLERANCE = 0.5; // thousandths of L

const [program, ...given] = process.argv.slice(2);
const long = given.includes('--long'), named = given.filter((one) => one !== '--long');
const report = new Report();
const folder = temporaryFolder();

async function checkPlayed(asset, what, file, dumped, before, limit) {
  const faults = (await validate(file)).filter(isFault);
  report.expect(`${what} passes the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  const player = await Player.open(file);
  const nodes = followMeshes(before, player.json);
  const deformed = dumped.array('deformed');
  const times = dumped.array('time').data;
  const [frames, vertices] = deformed.shape;
  let worst = 0;
  for (let frame = 0; frame < frames; frame += Math.max(1, Math.floor(frames / 12))) {
    player.pose(0, times[frame]);
    const row = deformed.data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3);
    worst = Math.max(worst, largestDistance(row, player.positions(nodes)));
  }
  report.check(`${what}, in L`, worst / dumped.manifest.size, limit);
}

// Frames that two rates have in common.
function compareRates(what, a, b) {
  const [ta, tb] = [a.array('time').data, b.array('time').data];
  const [da, db] = [a.array('deformed'), b.array('deformed')];
  const width = da.shape[1] * 3;
  let worst = 0;
  let common = 0;
  for (let i = 0, k = 0; i < ta.length; i++) {
    while (k < tb.length - 1 && tb[k] < ta[i] - 1e-6) k++;
    if (Math.abs(tb[k] - ta[i]) > 1e-6) continue;
    common++;
    worst = Math.max(worst, largestDistance(da.data.subarray(i * width, (i + 1) * width), db.data.subarray(k * width, (k + 1) * width)));
  }
  report.expect(`${what}: ${common} common frames`, common > 1);
  report.check(`${what}, in L`, worst / a.manifest.size, 2e-5);
}

for (const [i, asset] of assetsFor(program, named, folder).entries()) {
  const name = path.basename(asset);
  const before = readGltf(asset).json;
  const clip = ['--clip', '0', '--quiet'];
  for (const style of ['cartoon', 'jelly'].filter((_, k) => long || k === i % 2)) {
    const dumped = dump(program, asset, path.join(folder, 'dump'), '--clip', '0', '--style', style);
    const moved = largestDistance(dumped.array('skinned').data, dumped.array('deformed').data) / dumped.manifest.size;
    report.expect(`${name} ${style} moves vertices by up to ${moved.toFixed(3)} L`, moved > 1e-3 && moved < 2);
    const corrective = path.join(folder, 'corrective.glb');
    run(program, 'apply', asset, '-o', corrective, '--bake', 'corrective', '--style', style, ...clip);
    await checkPlayed(asset, `${name} ${style} corrective`, corrective, dumped, before, LIMIT);
    const vertex = path.join(folder, 'vertex.glb');
    run(program, 'apply', asset, '-o', vertex, '--style', style, '--bake', 'vertex', '--tolerance', String(TOLERANCE), ...clip);
    await checkPlayed(asset, `${name} ${style} vertex, reduced`, vertex, dumped, before, (TOLERANCE / 1000) * 1.02);
    const exact = path.join(folder, 'exact.glb');
    run(program, 'apply', asset, '-o', exact, '--style', style, '--bake', 'vertex', ...clip);
    report.expect(`${name} ${style}: reduction does not make the file larger`, fs.statSync(vertex).size < 1.01 * fs.statSync(exact).size);
  }
  const carried = path.join(folder, 'carried.glb');
  const direct = path.join(folder, 'direct.glb');
  const later = path.join(folder, 'later.glb');
  run(program, 'apply', asset, '-o', carried, '--style', 'cartoon', '--bake', 'none', ...clip);
  run(program, 'apply', carried, '-o', later, '--bake', 'corrective', ...clip);
  run(program, 'apply', asset, '-o', direct, '--bake', 'corrective', '--style', 'cartoon', ...clip);
  const [a, b] = [dump(program, later, path.join(folder, 'a'), '--clip', '0'), dump(program, direct, path.join(folder, 'b'), '--clip', '0')];
  report.check(`${name}: a carried style acts like a given one, in L`, largestDistance(a.array('deformed').data, b.array('deformed').data) / a.manifest.size, 1e-6);
  const twice = largestDistance(a.array('skinned').data, a.array('deformed').data) / a.manifest.size;
  report.check(`${name}: a baked style is not applied a second time, in L`, twice, 0);
  if (!long) continue;
  const rates = [24, 30, 60, 120].map((fps) => dump(program, asset, path.join(folder, `r${fps}`), '--clip', '0', '--style', 'cartoon', '--fps', String(fps)));
  compareRates(`${name} cartoon 24 and 120 fps`, rates[0], rates[3]);
  compareRates(`${name} cartoon 30 and 60 fps`, rates[1], rates[2]);
}
report.end();
