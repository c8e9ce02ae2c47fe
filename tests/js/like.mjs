// node like.mjs PROGRAM: `apply --like` moves a coarser mesh with the bones of the fine one's bake: what vertices of the
// coarse mesh are also in the fine one, they are in the same place.
import fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { makeGlb, parseGlb } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
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

const style = ['--style', 'cartoon', '--clip', 'walk', '--fps', '10', '--quiet'];
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
  report.expect(`at ${time} s ${(100 * near(b)).toFixed(1)} % are where those of the fine one are, without it ${(100 * near(plain)).toFixed(1)} %`, near(b) > 0.999 && near(plain) < 0.2);
}
// A level of detail as tools make them: fewer vertices, each one of the fine mesh. `order` says which vertex of a cell stays.
const rowsOf = (json, binary, index) => {
  const { bufferView, byteOffset = 0, componentType, count, type } = json.accessors[index];
  const Kind = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array }[componentType];
  const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[type];
  const view = json.bufferViews[bufferView];
  const at = binary.byteOffset + (view.byteOffset ?? 0) + byteOffset;
  if (view.byteStride && view.byteStride !== width * Kind.BYTES_PER_ELEMENT) throw new Error('interleaved');
  return { width, rows: new Kind(binary.buffer.slice(at, at + count * width * Kind.BYTES_PER_ELEMENT)) };
};

/** Which fine vertex each vertex of the coarse mesh is. */
function decimate(from, to, cell) {
  const { json, binary } = parseGlb(fs.readFileSync(from));
  const chunks = [binary];
  let size = binary.length;
  const replace = (index, rows) => {
    const accessor = json.accessors[index];
    const bytes = new Uint8Array(Math.ceil(rows.byteLength / 4) * 4);
    bytes.set(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength));
    json.accessors[index] = { componentType: accessor.componentType, type: accessor.type, normalized: accessor.normalized, bufferView: json.bufferViews.push({ buffer: 0, byteOffset: size, byteLength: rows.byteLength }) - 1, count: rows.length / { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[accessor.type] };
    chunks.push(bytes);
    size += bytes.length;
    return json.accessors[index];
  };
  const { attributes, indices } = json.meshes[0].primitives[0];
  const { rows: places } = rowsOf(json, binary, attributes.POSITION);
  const count = places.length / 3;
  const cells = new Map();
  const stays = Array.from({ length: count }, (_, v) => {
    const key = [0, 1, 2].map((c) => Math.floor(places[3 * v + c] / cell)).join(' ');
    if (!cells.has(key)) cells.set(key, v);
    return cells.get(key);
  });
  const kept = [...cells.values()];
  const number = new Map(kept.map((v, i) => [v, i]));
  const old = rowsOf(json, binary, indices).rows;
  const faces = [];
  for (let t = 0; t < old.length; t += 3) {
    const corners = [0, 1, 2].map((c) => number.get(stays[old[t + c]]));
    if (new Set(corners).size === 3) faces.push(...corners);
  }
  replace(indices, old.constructor.from(faces));
  for (const [name, index] of Object.entries(attributes)) {
    const { width, rows } = rowsOf(json, binary, index);
    const made = replace(index, rows.constructor.from(kept.flatMap((v) => Array.from(rows.subarray(width * v, width * (v + 1))))));
    if (name === 'POSITION') for (const [key, best] of [['min', Math.min], ['max', Math.max]]) made[key] = [0, 1, 2].map((c) => best(...kept.map((v) => places[3 * v + c])));
  }
  json.buffers[0].byteLength = size;
  fs.writeFileSync(to, makeGlb(json, Buffer.concat(chunks)));
  return kept;
}

const edited = (from, to, change) => {
  const { json, binary } = parseGlb(fs.readFileSync(from));
  change(json);
  fs.writeFileSync(to, makeGlb(json, binary));
};

/** All nodes in the opposite order. */
function turnNodes(json) {
  const last = json.nodes.length - 1;
  const turned = (list) => list.map((node) => last - node);
  json.nodes = [...json.nodes].reverse();
  for (const node of json.nodes) if (node.children) node.children = turned(node.children);
  for (const scene of json.scenes) scene.nodes = turned(scene.nodes);
  for (const skin of json.skins) {
    skin.joints = turned(skin.joints);
    if (skin.skeleton !== undefined) skin.skeleton = last - skin.skeleton;
  }
  for (const { channels } of json.animations) for (const { target } of channels) target.node = last - target.node;
}

/** Two joints with one name. */
function callAlike(json) {
  json.nodes.find(({ name }) => name === 'Head').name = 'TailTip';
  json.nodes.find(({ name }) => /^Tail/.test(name) && name !== 'TailTip').name = 'TailTip';
}

/** The share of a level's vertices that are where those of the fine mesh are that they were, by 1e-5. */
async function shareNear(file, kept) {
  const [a, b] = [await Player.open(baked), await Player.open(file)];
  const index = (player) => player.clips.findIndex(({ name }) => name === 'walk');
  const far = new Set();
  for (const time of [0, 0.2, 0.45, 0.7]) {
    a.pose(index(a), time);
    b.pose(index(b), time);
    const [from, to] = [a.positions(), b.positions()];
    if (to.length !== 3 * kept.length) return NaN;
    kept.forEach((v, i) => Math.hypot(...[0, 1, 2].map((c) => from[3 * v + c] - to[3 * i + c])) < 1e-5 || far.add(i));
  }
  return 1 - far.size / kept.length;
}

const kept = decimate(fine, coarse, 0.06);
report.expect(`${kept.length} vertices are left`, kept.length > 100 && kept.length < players[0].positions().length / 6, `of ${players[0].positions().length / 3}`);
const steps = [
  ['a decimated level', () => {}],
  ['one whose file has its nodes in another order', turnNodes],
  ['one whose tail is called as its head', callAlike],
  ['one whose file has one clip', (json) => (json.animations = json.animations.filter(({ name }) => name === 'walk'))],
];
const level = path.join(folder, 'level.glb');
run(program, 'apply', fine, ...style, '--bake', 'bones', '--targets', '0', '-o', baked);
for (const [what, change] of steps) {
  edited(coarse, level, change);
  const from = change === callAlike ? path.join(folder, 'alike.glb') : fine;
  if (from !== fine) edited(fine, from, change);
  const done = spawnSync(program, ['apply', level, '--like', from, ...style, '-o', like], { encoding: 'utf8' });
  const share = done.status ? NaN : await shareNear(like, kept);
  report.expect(`${what}: ${(100 * share).toFixed(1)} % are where those of the fine mesh are`, share > 0.999, done.stderr);
}
// A mesh next to the fine one: the summary says how far.
edited(coarse, level, (json) => json.nodes.filter(({ mesh }) => mesh !== undefined).forEach((node) => (node.name = 'Level')));
const moved = parseGlb(fs.readFileSync(level));
const { rows: places } = rowsOf(moved.json, moved.binary, moved.json.meshes[0].primitives[0].attributes.POSITION);
const at = moved.json.accessors[moved.json.meshes[0].primitives[0].attributes.POSITION];
const shifted = new Float32Array(moved.binary.buffer, moved.binary.byteOffset + (moved.json.bufferViews[at.bufferView].byteOffset ?? 0) + (at.byteOffset ?? 0), places.length);
for (let i = 0; i < shifted.length; i += 3) shifted[i] += 0.02;
at.min[0] += 0.02;
at.max[0] += 0.02;
fs.writeFileSync(level, makeGlb(moved.json, moved.binary));
const size = Number(JSON.parse(spawnSync(program, ['info', fine, '--json'], { encoding: 'utf8' }).stdout).size);
for (const [file, most] of [[coarse, 0], [level, 20 / size]]) {
  const said = spawnSync(program, ['apply', file, '--like', fine, '--style', 'cartoon', '--clip', 'walk', '-o', like], { encoding: 'utf8' });
  const [, helpers, off, away] = /\((?:\d+) baked, (\d+) helpers\), .*at most ([\d.e+-]+)\/1000 L off in fine\.glb, ([\d.e+-]+)\/1000 L from it/.exec(said.stdout + said.stderr) ?? [];
  report.expect(`the summary: ${helpers} helpers, ${off}/1000 L off, ${away}/1000 L from it`, / \d[\d.]*\/1000 L from the style,/.test(said.stderr) && helpers > 0 && off > 0 && Number(away) <= 1.01 * most + 1e-3 && Number(away) >= 0.7 * most, said.stderr + said.stdout);
}
// How far it is from the style itself: what --json says is what a player shows.
const said = (file) => JSON.parse(run(program, 'apply', file, '--like', fine, ...style, '--json', '-o', like));
const itself = said(fine);
report.check('FILE like itself: from the style as far as its bake', Math.abs(itself.error_to_style - itself.error), 1e-5);
const told = said(coarse);
const wanted = dump(program, coarse, path.join(folder, 'numbers'), '--clip', 'walk', '--style', 'cartoon', '--fps', '10');
const player = await Player.open(like);
const shape = wanted.array('smeared');
let worst = 0;
wanted.array('time').data.forEach((time, frame) => {
  player.pose(player.clips.findIndex(({ name }) => name === 'walk'), time);
  const row = shape.data.subarray(frame * shape.shape[1] * 3, (frame + 1) * shape.shape[1] * 3);
  worst = Math.max(worst, largestDistance(row, player.positions()) / wanted.manifest.size);
});
report.check(`a decimated level: ${told.error_to_style} L from the style, played ${worst.toFixed(6)}`, Math.abs(told.error_to_style - worst), 5e-5 + 0.005 * worst);
report.expect('and not as far as without the bake, nor as near as FILE', told.error_to_style > told.error && told.error_to_style < 0.1, JSON.stringify(told));
const refuses = (what, change, reason) => {
  edited(coarse, level, change);
  const done = spawnSync(program, ['apply', level, '--like', fine, ...style, '-o', like], { encoding: 'utf8' });
  report.expect(`${what} is refused: ${done.stderr.trim()}`, done.status === 1 && reason.test(done.stderr), `status ${done.status}`);
};
refuses('a level without the clip', (json) => (json.animations = json.animations.filter(({ name }) => name !== 'walk')), /has no clip 'walk'/);
refuses('a level without a joint', (json) => (json.nodes.find(({ name }) => name === 'Head').name = 'Kopf'), /has no joint 'Head'/);
refuses('a level without skin', (json) => {
  delete json.skins;
  for (const node of json.nodes) delete node.skin;
}, /has no joint/);
const other = path.join(folder, 'other.glb');
run(program, 'sample', 'snail', '-o', other);
const refused = spawnSync(program, ['apply', other, '--like', fine, ...style, '-o', like], { encoding: 'utf8' });
report.expect('another skeleton is refused', refused.status === 1 && /has no (joint|clip)/.test(refused.stderr), refused.stderr);
const wrong = spawnSync(program, ['apply', coarse, '--like', fine, '--bake', 'vertex', '-o', like], { encoding: 'utf8' });
report.expect('so is another bake', wrong.status === 2, wrong.stderr);
report.end();
