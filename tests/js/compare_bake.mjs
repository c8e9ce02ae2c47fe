// node compare_bake.mjs PROGRAM [--long] [ASSET...]: both bakes, linear and dual quaternion, played by three.js at every
// baked frame, against deformed.npy. (compare_style.mjs has effects.) --long: more clips, and all ways.
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { followMeshes, readGltf } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const LIMIT = 1e-4; // of L

const [program, ...given] = process.argv.slice(2);
const long = given.includes('--long'), named = given.filter((one) => one !== '--long');

// `most`: how many clips are played frame by frame; of the others a few frames are looked at. Plain linear skinning
// needs no targets, so two clips show all there is to see. Ways with the same numbers stand together: they are dumped once.
// `turn`: every other asset only.
const WAYS = long ? [
  { bake: 'corrective', skinning: 'linear', most: 2 },
  { bake: 'vertex', skinning: 'linear', most: 1 },
  { bake: 'corrective', skinning: 'dualquat', most: 3 },
  { bake: 'vertex', skinning: 'dualquat', most: 2 },
  { bake: 'corrective', skinning: 'linear', most: 1, style: 'cartoon' },
] : [
  { bake: 'corrective', skinning: 'linear', most: 1, alone: true },
  { bake: 'corrective', skinning: 'dualquat', most: 1, turn: 0 },
  { bake: 'vertex', skinning: 'dualquat', most: 1, turn: 1 },
];

const report = new Report();
const folder = temporaryFolder();
const assets = assetsFor(program, named, folder);
const dumps = new Map(); // by clip: what the folder of that clip holds

// Looking over a file costs as much as playing it. One clip alone is looked at in every way, all clips together once for
// each kind of bake, where targets are sure to be.
async function checkValid(file, what) {
  const faults = (await validate(file)).filter(isFault);
  report.expect(`${what} passes the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
}

// Written once for each clip and choice of numbers; both bakes read it, for the clip alone and for all together.
function dumpClip(asset, clip, options) {
  const to = path.join(folder, `dump${clip}`);
  const key = [asset, ...options].join(' ');
  if (dumps.get(clip)?.key !== key) dumps.set(clip, { key, dumped: dump(program, asset, to, '--clip', String(clip), ...options) });
  return dumps.get(clip).dumped;
}

function worstFrame(player, nodes, clip, dumped, step) {
  const deformed = dumped.array('deformed');
  const times = dumped.array('time').data;
  const [frames, vertices] = deformed.shape;
  let worst = 0;
  for (let frame = 0; frame < frames; frame += frame + step < frames || frame === frames - 1 ? step : frames - 1 - frame) {
    player.pose(clip, times[frame]);
    const row = deformed.data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3);
    const distance = largestDistance(row, player.positions(nodes));
    if (!(distance <= worst)) worst = distance;
  }
  return worst / dumped.manifest.size;
}

// One clip alone at every frame: the file holds few targets, so three.js can play all of it.
async function compareClip(asset, before, clip, bake, options) {
  const dumped = dumpClip(asset, clip, options);
  const out = path.join(folder, 'out.glb');
  run(program, 'apply', asset, '-o', out, '--bake', bake, ...options, '--clip', String(clip), '--quiet');
  const what = `${path.basename(asset)} ${dumped.manifest.clip} ${bake} ${options.join(' ')}`;
  const player = await Player.open(out);
  const worst = worstFrame(player, followMeshes(before, player.json), clip, dumped, 1);
  report.check(`${what}, ${dumped.manifest.frames} frames, in L`, worst, LIMIT);
  if (clip === 0) await checkValid(out, what);
  if (bake === 'corrective' && String(options) !== '--skinning,linear') checkCorrection(asset, clip, what, before, player.json, dumped);
}

// Where the result differs from plain skinning there must be targets, or the comparison above proves nothing.
function checkCorrection(asset, clip, what, before, after, dumped) {
  const linear = dump(program, asset, path.join(folder, 'linear'), '--clip', String(clip));
  const needed = largestDistance(linear.array('skinned').data, dumped.array('deformed').data) / dumped.manifest.size;
  const count = (json) => json.meshes.reduce((n, mesh) => n + (mesh.primitives[0].targets?.length ?? 0), 0);
  const added = count(after) - count(before);
  report.expect(`${what}: ${added} targets for a correction of up to ${needed.toExponential(2)} L`, needed <= LIMIT || added > 0);
}

// All clips in one file, a few frames of each: targets of one clip must not disturb another.
async function compareTogether(asset, before, count, bake, options) {
  const out = path.join(folder, 'all.glb');
  run(program, 'apply', asset, '-o', out, '--bake', bake, ...options, '--quiet');
  const player = await Player.open(out);
  const nodes = followMeshes(before, player.json);
  let worst = 0;
  for (let clip = 0; clip < count; clip++) {
    const dumped = dumpClip(asset, clip, options);
    worst = Math.max(worst, worstFrame(player, nodes, clip, dumped, Math.max(1, Math.ceil(dumped.manifest.frames / 4))));
  }
  const what = `${path.basename(asset)} all ${count} clips ${bake} ${options.join(' ')}`;
  report.check(`${what}, in L`, worst, LIMIT);
  if (String(options) === '--skinning,dualquat') await checkValid(out, what);
}

// A clip that was not baked plays as before, although the mesh has got more targets.
async function compareOthers(asset, before, count) {
  const out = path.join(folder, 'one.glb');
  run(program, 'apply', asset, '-o', out, '--bake', 'corrective', '--skinning', 'dualquat', '--clip', '0', '--quiet');
  const [plain, baked] = [await Player.open(asset), await Player.open(out)];
  const nodes = followMeshes(before, baked.json);
  const { size } = dump(program, asset, path.join(folder, 'linear'), '--clip', '0').manifest;
  for (let clip = 1; clip < Math.min(count, 5); clip++) {
    let worst = 0;
    for (let i = 0; i <= 8; i++) {
      const time = (plain.clips[clip].duration * i) / 8;
      plain.pose(clip, time);
      baked.pose(clip, time);
      worst = Math.max(worst, largestDistance(plain.positions(), baked.positions(nodes)));
    }
    report.check(`${path.basename(asset)} ${plain.clips[clip].name} with only clip 0 baked, in L`, worst / size, LIMIT);
  }
}

const rich = writeRichFiles(folder).map(({ file }) => file).filter((file) => /strip|skin/.test(file));
for (const [i, asset] of [...assets, ...rich].entries()) {
  const before = readGltf(asset).json;
  const count = before.animations?.length ?? 0;
  for (const { bake, skinning, most, style, alone } of WAYS.filter(({ turn }) => turn === undefined || turn === i % 2)) {
    const options = ['--skinning', skinning, ...(style ? ['--style', style] : [])];
    for (let clip = 0; clip < Math.min(count, most); clip++) await compareClip(asset, before, clip, bake, options);
    if (count > 1 && !alone) await compareTogether(asset, before, count, bake, options);
  }
  if (count > 1) await compareOthers(asset, before, count);
}
report.end();
