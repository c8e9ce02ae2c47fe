// node usd.mjs PROGRAM [ASSET...]: UsdSkel files, parsed by three.js and skinned as UsdSkel prescribes, against
// deformed.npy.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { assetsFor } from './assets.mjs';
import { makeGlb } from './gltf_file.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { UsdFile, opensInThree, playedCorners, pointsAt } from './usd_file.mjs';

const LIMIT = 1e-4; // of L
const STRETCHED = 2e-4; // where skin stretches along bones: scales have 11 bits in USD
const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

function write(asset, ...options) {
  const out = path.join(folder, 'out.usda');
  run(program, 'apply', asset, '-o', out, '--quiet', ...options);
  return UsdFile.read(out);
}

// Five frames from first to last.
function worstFrame(usd, dumped, fps) {
  const deformed = dumped.array('deformed'), times = dumped.array('time').data;
  const [frames, vertices] = deformed.shape;
  let worst = 0;
  for (const frame of new Set([0, 1, 2, 3, 4].map((i) => Math.round(((frames - 1) * i) / 4)))) {
    const distance = largestDistance(deformed.data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3), pointsAt(usd, times[frame] * fps));
    if (!(distance <= worst)) worst = distance;
  }
  return worst / dumped.manifest.size;
}

function compare(asset, limit, ...options) {
  const usd = write(asset, ...options);
  const own = options.indexOf('--tolerance');
  const dumped = dump(program, asset, path.join(folder, 'dump'), ...(own < 0 ? options : [...options.slice(0, own), ...options.slice(own + 2)]));
  const what = `${path.basename(asset)} ${options.join(' ')}`;
  report.check(`${what}, ${dumped.manifest.frames} frames, ${usd.prims('BlendShape').length} shapes, in L`, worstFrame(usd, dumped, usd.header('timeCodesPerSecond')), limit);
  const times = dumped.array('time').data, fps = usd.header('timeCodesPerSecond');
  const near = (code, time) => Math.abs(code - time * fps) < 2e-3;
  report.expect(`${what}: the time codes are those of the clip`, near(usd.header('startTimeCode'), times[0]) && near(usd.header('endTimeCode'), times.at(-1)));
  return usd;
}

// Every link leads to a prim of the file, and every prim has a name that USD allows.
function checkLinks(what, usd) {
  const broken = [];
  for (const [place, spec] of Object.entries(usd.specs)) {
    for (const target of spec.fields.targetPaths ? usd.link(place.slice(0, place.indexOf('.')), place.slice(place.indexOf('.') + 1)) : []) if (!usd.specs[target]) broken.push(`${place} -> ${target}`);
    for (const from of spec.fields.connectionPaths ?? []) if (!usd.specs[from.split('.')[0]]) broken.push(`${place} -> ${from}`);
    if (spec.specType === 6 && place !== '/' && !/^(\/[A-Za-z_]\w*)+$/.test(place)) broken.push(place);
  }
  for (const skeleton of usd.prims('Skeleton')) for (const joint of usd.value(skeleton, 'joints')) if (!/^[A-Za-z_]\w*(\/[A-Za-z_]\w*)*$/.test(joint)) broken.push(joint);
  report.expect(`${what}: links and names`, !broken.length, broken.slice(0, 5).join('; '));
}

// A joint and meshes whose names USD does not allow or that are taken, a second skin that is bound elsewhere, a mesh
// without a skin, parts with different materials, a morph target that moves one vertex, and a joint that changes size.
function oddFile() {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], moved = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1];
  const turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1];
  const chunks = [], views = [], accessors = [];
  const add = (array, type, more = {}) => {
    views.push({ buffer: 0, byteOffset: chunks.reduce((n, c) => n + c.length, 0), byteLength: array.byteLength });
    chunks.push(Buffer.from(array.buffer), Buffer.alloc((4 - (array.byteLength % 4)) % 4));
    const size = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    return accessors.push({ bufferView: views.length - 1, componentType: array instanceof Float32Array ? 5126 : 5121, count: array.length / size, type, ...more }) - 1;
  };
  const POSITION = add(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 2, 0), 'VEC3', { min: [0, 0, 0], max: [1, 2, 0] });
  const NORMAL = add(Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1), 'VEC3');
  const JOINTS_0 = add(Uint8Array.of(0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0), 'VEC4');
  const WEIGHTS_0 = add(Float32Array.of(1, 0, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0), 'VEC4');
  const tip = add(Float32Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0.5), 'VEC3', { min: [0, 0, 0], max: [0, 0, 0.5] });
  const times = add(Float32Array.of(0, 0.5, 1), 'SCALAR', { min: [0], max: [1] });
  const turns = add(Float32Array.of(0, 0, 0, 1, 0, 0, 0.7071068, 0.7071068, 0, 0, 0, -1), 'VEC4');
  const sizes = add(Float32Array.of(0.01, 0.01, 0.01, 0.012345, 0.00777, 0.013, 0.006543, 0.006543, 0.006543), 'VEC3');
  const swell = add(Float32Array.of(0, 1, 0.25), 'SCALAR');
  const skin = { attributes: { POSITION, NORMAL, JOINTS_0, WEIGHTS_0 }, targets: [{ POSITION: tip }] };
  const sampler = (output) => ({ input: times, output });
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 2, 3, 4] }],
    nodes: [{ name: '1. büst "x"', children: [1, 5], scale: [0.01, 0.01, 0.01] }, { name: 'a/b', translation: [0, 100, 0], scale: [100, 100, 100] },
      { name: 'Skeleton', mesh: 0, skin: 0 }, { name: 'Skeleton', mesh: 0, skin: 1 }, { name: '@', mesh: 1, translation: [3, 0, 0], rotation: [0, 0, 0.7071068, 0.7071068] }, { name: 'a b', mesh: 1 }],
    meshes: [{ primitives: [skin], extras: { targetNames: ['smile!'] } }, { primitives: [{ attributes: { POSITION, NORMAL }, material: 0 }, { attributes: { POSITION, NORMAL }, material: 1 }] }],
    materials: [{ name: 'red paint', pbrMetallicRoughness: { baseColorFactor: [1, 0.25, 0, 1], metallicFactor: 0, roughnessFactor: 0.5 } }, { name: 'red-paint', alphaMode: 'BLEND', pbrMetallicRoughness: { baseColorFactor: [0, 0, 1, 0.5] } }],
    skins: [{ joints: [0, 1], inverseBindMatrices: add(Float32Array.of(...identity, ...moved), 'MAT4') }, { joints: [0, 1], inverseBindMatrices: add(Float32Array.of(...identity, ...turned), 'MAT4') }],
    animations: [{ channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }, { sampler: 1, target: { node: 2, path: 'weights' } }], samplers: [sampler(turns), sampler(swell)] },
      { channels: [{ sampler: 0, target: { node: 0, path: 'scale' } }], samplers: [sampler(sizes)] }],
  };
  json.accessors = accessors;
  json.bufferViews = views;
  const bytes = Buffer.concat(chunks);
  json.buffers = [{ byteLength: bytes.length }];
  const file = path.join(folder, 'odd.glb');
  fs.writeFileSync(file, makeGlb(json, bytes));
  return file;
}

function checkOdd() {
  const odd = oddFile();
  const usd = compare(odd, LIMIT, '--clip', '0', '--skinning', 'dualquat');
  checkLinks('odd.glb', usd);
  report.expect('odd.glb: skins that contradict each other have Skeletons of their own', usd.prims('Skeleton').length === 2);
  report.expect('odd.glb: four meshes', usd.prims('Mesh').length === 4 && new Set(usd.prims('Mesh')).size === 4);
  const [first] = usd.prims('Mesh'), [shape] = usd.link(first, 'skel:blendShapeTargets');
  report.expect('odd.glb: a morph target that moves one vertex names it', /\/smile_$/.test(shape) && String(usd.value(shape, 'pointIndices')) === '2' && String(usd.value(shape, 'offsets')) === '0,0,0.5');
  const [red, blue] = usd.prims('Material').map((material) => `${material}/surface`);
  report.expect('odd.glb: colors', String(usd.value(red, 'inputs:diffuseColor')) === '1,0.25,0' && usd.value(red, 'inputs:opacity') === 1 && usd.value(red, 'inputs:roughness') === 0.5 && usd.value(blue, 'inputs:opacity') === 0.5);
  const subsets = usd.prims('GeomSubset');
  report.expect('odd.glb: parts have their own materials', subsets.length === 4 && usd.link(subsets[0], 'material:binding')[0] === usd.prims('Material')[0] && usd.link(subsets[1], 'material:binding')[0] === usd.prims('Material')[1]);
  // Scales are 16-bit numbers.
  compare(odd, 5e-4, '--clip', '1');
  const scales = write(odd, '--clip', '1').at(usd.prims('SkelAnimation')[0], 'scales', 30);
  report.expect('odd.glb: scales are halves', scales.every((x) => Math.abs(x * 2048 - Math.round(x * 2048)) < 1e-3 * 0.5), String(scales));
}

// A picture beside the input is named as the output's reader finds it; one inside of the input is not.
function checkTexture(asset) {
  fs.mkdirSync(path.join(folder, 'deep'));
  const out = path.join('deep', 'out.usda');
  const done = spawnSync(path.resolve(program), ['apply', path.relative(folder, asset), '-o', out, '--quiet'], { cwd: folder, encoding: 'utf8' });
  const texture = (usd) => usd.value(`${usd.root}/Materials/paint/texture`, 'inputs:file');
  const from = path.join(folder, 'deep', texture(UsdFile.read(path.join(folder, out))) ?? 'none');
  report.expect('a picture in a file of its own is the texture, from another folder', fs.existsSync(from), `${from} ${done.stderr}`);
  report.expect('and from the same one', texture(write(asset)) === './a picture.png', texture(write(asset)));
}

// A character of one mesh without effects needs no blend shapes, so three.js can play all of it.
function checkPlayed(asset) {
  const usd = write(asset, '--clip', '0');
  const dumped = dump(program, asset, path.join(folder, 'dump'), '--clip', '0');
  const { data, shape: [frames, vertices] } = dumped.array('deformed'), times = dumped.array('time').data;
  const corners = usd.value(usd.prims('Mesh')[0], 'faceVertexIndices');
  const shown = [0, Math.floor(frames / 3), frames - 2];
  const played = playedCorners(usd.text, shown.map((frame) => times[frame]));
  const worst = Math.max(...shown.map((frame, i) => largestDistance(Float64Array.from(corners.flatMap((v) => Array.from(data.subarray(3 * (frame * vertices + v), 3 * (frame * vertices + v + 1))))), played[i])));
  report.check(`${path.basename(asset)} as three.js plays it, in L`, worst / dumped.manifest.size, LIMIT);
}

// Frames before and after the range are not in the file.
function checkRange(asset) {
  const usd = write(asset, '--range', '0.2:0.4', '--fps', '20', '--skinning', 'dualquat');
  report.expect('a range has only its own time codes', usd.header('startTimeCode') === 4 && usd.header('endTimeCode') === 8 && String(usd.times(usd.prims('SkelAnimation')[0], 'rotations')) === '4,5,6,7,8');
}

// --bake vertex writes the points themselves.
function checkPointCache(asset) {
  const usd = write(asset, '--bake', 'vertex', '--fps', '20');
  const points = (code) => Float64Array.from(usd.prims('Mesh').flatMap((mesh) => usd.at(mesh, 'points', code)));
  const dumped = dump(program, asset, path.join(folder, 'dump'), '--fps', '20');
  const { data, shape: [, vertices] } = dumped.array('deformed');
  const start = usd.header('startTimeCode');
  report.expect('--bake vertex: no skeleton', !usd.prims('Skeleton').length);
  report.check('--bake vertex: points, in L', Math.max(...[0, 3].map((f) => largestDistance(data.subarray(3 * vertices * f, 3 * vertices * (f + 1)), points(start + f)))) / dumped.manifest.size, LIMIT);
}

function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** What is in a zip file, by its central directory: [{ name, method, start, bytes, crc }]. */
function unzip(file) {
  const all = fs.readFileSync(file), end = all.length - 22;
  const parts = [];
  let at = all.readUInt32LE(end + 16);
  for (let i = 0; i < all.readUInt16LE(end + 10); i++) {
    const [length, extra, note] = [28, 30, 32].map((field) => all.readUInt16LE(at + field)), header = all.readUInt32LE(at + 42);
    const start = header + 30 + all.readUInt16LE(header + 26) + all.readUInt16LE(header + 28), size = all.readUInt32LE(at + 24);
    const name = all.toString('utf8', at + 46, at + 46 + length), bytes = all.subarray(start, start + size);
    const agree = all.compare(all, header + 14, header + 26, at + 16, at + 28) === 0 && all.toString('utf8', header + 30, header + 30 + length) === name;
    parts.push({ name, method: all.readUInt16LE(at + 10), start, bytes, good: agree && all.readUInt32LE(at + 16) === checksum(bytes) });
    at += 46 + length + extra + note;
  }
  return parts;
}

// Text and pictures in one file: stored, from multiples of 64 bytes on, the text first.
function checkPacked(asset, pictures) {
  const what = `${path.basename(asset)} as .usdz`, out = path.join(folder, 'character.usdz');
  const usd = write(asset, '--fps', '4');
  run(program, 'apply', asset, '-o', out, '--quiet', '--fps', '4');
  const parts = unzip(out), [text, ...rest] = parts;
  report.expect(`${what}: stored, aligned, whole`, parts.every(({ method, start, good }) => method === 0 && start % 64 === 0 && good));
  report.expect(`${what}: the text first, then ${pictures} pictures`, text.name === 'character.usda' && rest.length === pictures, parts.map((p) => p.name).join());
  const used = text.bytes.toString().match(/(?<=inputs:file = @)[^@]*/g) ?? [];
  report.expect(`${what}: names its pictures`, used.length >= pictures && used.every((name) => rest.some((part) => part.name === name)), used.join());
  const plain = (all) => all.split('\n').filter((line) => !line.includes('inputs:file')).join('\n').replace(/"out"|<\/out\b/g, (w) => w.replace('out', 'character'));
  if (!pictures) report.expect(`${what}: the text of the .usda`, plain(usd.text) === plain(text.bytes.toString()));
  if (!pictures) report.expect(`${what}: three.js opens it`, opensInThree(fs.readFileSync(out)));
}

function checkRefusals(asset) {
  const out = path.join(folder, 'none.usda');
  const tried = (...options) => spawnSync(program, ['apply', asset, '-o', out, ...options], { encoding: 'utf8' });
  const packed = spawnSync(program, ['apply', asset, '-o', path.join(folder, 'none.usdz'), '--bake', 'vertex'], { encoding: 'utf8' });
  report.expect('--bake vertex is no .usdz', packed.status === 2 && /needs --bake corrective/.test(packed.stderr), packed.stderr);
  const none = tried('--bake', 'none'), empty = tried('--range', '50:60');
  report.expect('--bake none is refused', none.status === 2 && /needs --bake corrective or vertex, not none/.test(none.stderr) && !fs.existsSync(out), none.stderr);
  report.expect('a range without frames is refused', empty.status === 1 && /no frame of clip/.test(empty.stderr) && !fs.existsSync(out), empty.stderr);
}

const rich = writeRichFiles(folder).map(({ file }) => file).filter((file) => /skin|strip|everything/.test(file));
const assets = assetsFor(program, named, folder);
for (const [i, asset] of [...assets, ...rich].entries()) {
  const style = i % 2 ? 'mocap-toon' : 'cartoon'; // the second one stretches skin along bones
  checkLinks(path.basename(asset), compare(asset, i % 2 ? STRETCHED : LIMIT, '--style', style, '--fps', '4'));
  if (i % 4 === 0) compare(asset, 1e-3 + LIMIT, '--style', 'cartoon', '--fps', '8', '--tolerance', '1');
}
const flower = path.join(folder, 'flower.glb');
run(program, 'sample', 'flower', '-o', flower);
const cow = path.join(folder, 'cow.glb');
run(program, 'sample', 'cow', '-o', cow);
checkOdd();
checkTexture(rich.find((file) => /everything/.test(file)));
checkPlayed(flower);
checkPlayed(cow);
checkRange(flower);
checkPointCache(flower);
checkPacked(cow, 0);
checkPacked(rich.find((file) => /everything/.test(file)), 1);
checkRefusals(flower);
report.end();
