// node invariance.mjs PROGRAM [ASSET...]: a hundred times larger, turned, or sampled at another rate, a file gives the
// same numbers up to units, rotation and which frames there are.
import fs from 'node:fs';
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { makeGlb, readGltf } from './gltf_file.mjs';
import { Report, dump, temporaryFolder } from './run.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const assets = assetsFor(program, named, folder);

const WRAPPER = 'limber invariance wrapper';
const SCALE = 100;
const TURN = [0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214]; // unit, about no axis

// power: how the quantity grows with the size of the world. Limits are relative to the largest value; derivatives lose
// digits to the differences they are made of: one for the first, two for the second.
const QUANTITIES = [
  { name: 'rest', power: 1, limit: 1e-5 },
  { name: 'skinned', power: 1, limit: 1e-5 },
  { name: 'deformed', power: 1, limit: 1e-5 },
  { name: 'normals', power: 0, limit: 1e-4 },
  { name: 'centroids', power: 1, limit: 1e-5, joints: true },
  { name: 'joint_position', power: 1, limit: 1e-5, joints: true },
  { name: 'velocity', power: 1, limit: 1e-4, joints: true },
  { name: 'angular_velocity', power: 0, limit: 1e-4, joints: true },
  { name: 'acceleration', power: 1, limit: 1e-3, joints: true },
  { name: 'angular_acceleration', power: 0, limit: 1e-3, joints: true },
];

function wrapped(file, transform) {
  const { json, buffers } = readGltf(file);
  const wrapper = json.nodes.push({ name: WRAPPER, ...transform }) - 1;
  const scene = json.scenes[json.scene ?? 0];
  json.nodes[wrapper].children = scene.nodes;
  scene.nodes = [wrapper];
  const out = path.join(folder, 'wrapped.glb');
  fs.writeFileSync(out, makeGlb(json, buffers[0]));
  return out;
}

function rotate([x, y, z, w], v) {
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
}

// Vectors of the array, without the rows of the wrapper.
function vectors(dumped, quantity) {
  const { data, shape } = dumped.array(quantity.name);
  if (!quantity.joints) return data;
  const joints = dumped.manifest.joints;
  const skip = joints.indexOf(WRAPPER);
  if (skip < 0) return data;
  const rows = shape.at(-2);
  return data.filter((_, i) => Math.floor(i / 3) % rows !== skip);
}

// Largest difference after `expected` has been scaled and turned, relative to the largest length.
function deviation(expected, actual, scale, turn) {
  if (expected.length !== actual.length) return NaN;
  let worst = 0;
  let largest = 0;
  for (let i = 0; i < expected.length; i += 3) {
    const e = rotate(turn, [expected[i] * scale, expected[i + 1] * scale, expected[i + 2] * scale]);
    const d = Math.hypot(e[0] - actual[i], e[1] - actual[i + 1], e[2] - actual[i + 2]);
    if (!(d <= worst)) worst = d;
    largest = Math.max(largest, Math.hypot(...e));
  }
  return largest > 0 ? worst / largest : worst;
}

function compareWorlds(name, plain, other, scale, turn) {
  for (const quantity of QUANTITIES) {
    const value = deviation(vectors(plain, quantity), vectors(other, quantity), scale ** quantity.power, turn);
    report.check(`${name} ${quantity.name}`, value, quantity.limit);
  }
  report.expect(`${name}: loop and rate are the same`, plain.manifest.loop === other.manifest.loop && Math.abs(plain.manifest.fps - other.manifest.fps) < 1e-6);
}

// Frames of the second dump that fall on the time of a frame of the first.
function commonFrames(a, b) {
  const [first, second] = [a.array('time').data, b.array('time').data];
  const pairs = [];
  first.forEach((time, i) => {
    const k = second.findIndex((other) => Math.abs(other - time) < 1e-6);
    if (k >= 0) pairs.push([i, k]);
  });
  return pairs;
}

function compareRates(name, a, b) {
  const pairs = commonFrames(a, b);
  report.expect(`${name}: ${pairs.length} common times`, pairs.length >= 2);
  for (const { name: quantity, limit } of QUANTITIES.slice(1)) {
    if (quantity === 'centroids') continue;
    const [x, y] = [a.array(quantity), b.array(quantity)];
    const width = 3 * x.shape[1];
    const pick = (array, side) => pairs.flatMap((pair) => Array.from(array.data.subarray(pair[side] * width, (pair[side] + 1) * width)));
    report.check(`${name} ${quantity}`, deviation(pick(x, 0), pick(y, 1), 1, [0, 0, 0, 1]), limit);
  }
}

for (const asset of assets) {
  const name = path.basename(asset);
  const still = !readGltf(asset).json.animations?.length;
  const clip = still ? [] : ['--clip', '0'];
  const plain = dump(program, asset, path.join(folder, 'plain'), ...clip);
  const large = dump(program, wrapped(asset, { scale: [SCALE, SCALE, SCALE] }), path.join(folder, 'large'), ...clip);
  compareWorlds(`${name} x${SCALE}`, plain, large, SCALE, [0, 0, 0, 1]);
  report.check(`${name} x${SCALE} size`, Math.abs(large.manifest.size / plain.manifest.size / SCALE - 1), 1e-5);
  const turned = dump(program, wrapped(asset, { rotation: TURN }), path.join(folder, 'turned'), ...clip);
  compareWorlds(`${name} turned`, plain, turned, 1, TURN);
  if (still) continue;
  const rates = [24, 30, 60].map((fps) => dump(program, asset, path.join(folder, String(fps)), ...clip, '--fps', String(fps)));
  compareRates(`${name} 24 and 30 fps`, rates[0], rates[1]);
  compareRates(`${name} 30 and 60 fps`, rates[1], rates[2]);
}
report.end();
