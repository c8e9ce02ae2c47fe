// node bones.mjs PROGRAM [ASSET...]: bone bakes played by three.js at every frame are as far off as the program says, and
// no farther than the tolerance. Clips that were not baked play as before.
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { assetsFor } from './assets.mjs';
import { followMeshes, readGltf } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { Report, dump, largestDistance, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const STYLE = 'cartoon', ROUNDING = 5e-5; // of L: players do not normalize the rotations of a file

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

// What `apply` says of the bake.
function bake(asset, out, ...options) {
  const done = spawnSync(program, ['apply', asset, '-o', out, '--bake', 'bones', '--style', STYLE, ...options], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${asset}: ${done.stderr}`);
  const [, bones, targets, error] = done.stderr.match(/(\d+) bones.* (\d+) targets?.* at most ([\d.e+-]+)\/1000 L off/);
  return { bones: +bones, targets: +targets, error: +error / 1000 };
}

function worstFrame(player, nodes, clip, dumped) {
  const wanted = dumped.array('smeared'), times = dumped.array('time').data, [frames, vertices] = wanted.shape;
  let worst = 0;
  for (let frame = 0; frame < frames; frame++) {
    player.pose(clip, times[frame]);
    const row = wanted.data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3);
    const distance = largestDistance(row, player.positions(nodes));
    if (!(distance <= worst)) worst = distance;
  }
  return worst / dumped.manifest.size;
}

const targetsOf = (json) => json.meshes.reduce((sum, mesh) => sum + (mesh.primitives[0].targets?.length ?? 0), 0);

/** Joints of skins and the nodes that hold them together, which is what Blender makes bones of. */
function countBones(json) {
  const parents = [];
  json.nodes.forEach((node, i) => node.children?.forEach((child) => { parents[child] = i; }));
  const joints = new Set((json.skins ?? []).flatMap((skin) => skin.joints));
  const below = new Map();
  for (const joint of joints)
    for (let node = joint; node !== undefined; node = parents[node]) below.set(node, (below.get(node) ?? 0) + 1);
  return [...below].filter(([node, count]) => joints.has(node) || count < joints.size).length;
}

/** How often a name is there that another node has, too. */
const repeatedNames = (json) => {
  const names = json.nodes.map((node) => node.name).filter((name) => name !== undefined);
  return names.length - new Set(names).size;
};

async function checkClip(asset, clip, before, tolerance, ...options) {
  const out = path.join(folder, 'out.glb');
  const said = bake(asset, out, '--clip', String(clip), '--tolerance', String(tolerance), ...options);
  const dumped = dump(program, asset, path.join(folder, 'numbers'), '--clip', String(clip), '--style', STYLE);
  const player = await Player.open(out);
  const worst = worstFrame(player, followMeshes(before, player.json), clip, dumped);
  const what = `${path.basename(asset)} ${dumped.manifest.clip} ${tolerance} ${options.join(' ')}`;
  report.check(`${what}, played against said, in L`, Math.abs(worst - said.error), ROUNDING + 0.005 * said.error);
  if (options.includes('--targets')) report.expect(`${what} has no new targets`, targetsOf(player.json) === targetsOf(before));
  else report.check(`${what}, ${said.bones} bones, ${said.targets} targets, in L`, worst, tolerance / 1000 + ROUNDING);
  report.expect(`${what}: ${said.bones} bones, as players see them`, said.bones === countBones(player.json), `${countBones(player.json)}`);
  report.expect(`${what}: new nodes have names of their own`, repeatedNames(player.json) <= repeatedNames(before), `${repeatedNames(player.json)}`);
  const known = new Set((await validate(asset)).filter(isFault).map(({ code }) => code));
  const faults = (await validate(out)).filter(isFault).filter(({ code }) => !known.has(code));
  report.expect(`${what} passes the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  return { out, dumped };
}

async function checkOthers(asset, before, baked, size) {
  const [plain, after] = [await Player.open(asset), await Player.open(baked)];
  const nodes = followMeshes(before, after.json);
  for (let clip = 1; clip < Math.min(plain.clips.length, 3); clip++) {
    let worst = 0;
    for (let i = 0; i <= 4; i++) {
      const time = (plain.clips[clip].duration * i) / 4;
      plain.pose(clip, time);
      after.pose(clip, time);
      worst = Math.max(worst, largestDistance(plain.positions(), after.positions(nodes)));
    }
    report.check(`${path.basename(asset)} ${plain.clips[clip].name} with only the first clip baked, in L`, worst / size, ROUNDING);
  }
}

for (const asset of assetsFor(program, named, folder).filter((file) => named.length || /(cow|snail|flower|Fox|Robot.*|CesiumMan|Soldier)\.glb$/.test(file))) {
  const before = readGltf(asset).json;
  const { out, dumped } = await checkClip(asset, 0, before, 3);
  if (before.animations.length > 1) await checkOthers(asset, before, out, dumped.manifest.size);
  await checkClip(asset, before.animations.length > 1 ? 1 : 0, before, 0.4);
  await checkClip(asset, 0, before, 1, '--targets', '0');
}
for (const wrong of [['--bake', 'bons'], ['--targets', '3'], ['--bake', 'bones', '--targets', 'few']]) {
  const out = path.join(folder, 'wrong.glb');
  const done = spawnSync(program, ['apply', 'none.glb', '-o', out, ...wrong], { encoding: 'utf8' });
  report.expect(`${wrong.join(' ')} is refused in one line`, done.status === 2 && done.stderr.trim().split('\n').length === 1, done.stderr);
}
report.end();
