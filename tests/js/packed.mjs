// node packed.mjs PROGRAM [ASSET...]: files that meshoptimizer's own encoder has compressed read as if they had not been,
// and damaged ones give one line.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { MeshoptEncoder } from 'meshoptimizer';
import { assetsFor } from './assets.mjs';
import { makeGlb, readGltf } from './gltf_file.mjs';
import { dump, Report, run, temporaryFolder } from './run.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const BYTES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
await MeshoptEncoder.ready;

/** How a view may be packed: null where it may not. */
function packingOf(json, index) {
  const view = json.bufferViews[index];
  const users = (json.accessors ?? []).filter((accessor) => accessor.bufferView === index);
  if (!users.length || users.some((accessor) => accessor.sparse)) return null;
  const indices = (json.meshes ?? []).some((mesh) =>
    mesh.primitives.some((primitive) => json.accessors[primitive.indices]?.bufferView === index));
  const stride = view.byteStride ?? SIZES[users[0].type] * BYTES[users[0].componentType];
  const fits = indices ? stride === 2 || stride === 4 : stride % 4 === 0 && stride <= 256;
  if (!fits || view.byteLength % stride) return null;
  return { mode: indices ? 'INDICES' : 'ATTRIBUTES', stride, count: view.byteLength / stride };
}

/** The file with every view packed that may be; the room for them is a buffer without bytes. */
function pack(file, name, version = 0) {
  const { json, buffers } = readGltf(file);
  const packed = structuredClone(json);
  const chunks = [];
  let length = 0;
  let room = 0;
  let count = 0;
  const put = (bytes) => {
    const at = length;
    const padding = (4 - (bytes.length % 4)) % 4;
    chunks.push(bytes, new Uint8Array(padding));
    length += bytes.length + padding;
    return at;
  };
  packed.bufferViews.forEach((view, index) => {
    const from = view.byteOffset ?? 0;
    const bytes = buffers[view.buffer].subarray(from, from + view.byteLength);
    const how = packingOf(json, index);
    if (!how) {
      Object.assign(view, { buffer: 0, byteOffset: put(bytes) });
      return;
    }
    const data = MeshoptEncoder.encodeGltfBuffer(Uint8Array.from(bytes), how.count, how.stride, how.mode, how.mode === 'ATTRIBUTES' ? version : undefined);
    const extension = { buffer: 0, byteOffset: put(data), byteLength: data.length, byteStride: how.stride, mode: how.mode, count: how.count };
    Object.assign(view, { buffer: 1, byteOffset: room, extensions: { EXT_meshopt_compression: extension } });
    room += view.byteLength + ((4 - (view.byteLength % 4)) % 4);
    count++;
  });
  packed.buffers = [{ byteLength: length }, { byteLength: room, extensions: { EXT_meshopt_compression: { fallback: true } } }];
  packed.extensionsUsed = [...(json.extensionsUsed ?? []), 'EXT_meshopt_compression'];
  packed.extensionsRequired = [...(json.extensionsRequired ?? []), 'EXT_meshopt_compression'];
  const out = path.join(folder, `${name}.glb`);
  fs.writeFileSync(out, makeGlb(packed, Buffer.concat(chunks)));
  return { out, count, json: packed, binary: Buffer.concat(chunks) };
}

const equal = (a, b) => Buffer.compare(Buffer.from(a.buffer, a.byteOffset, a.byteLength), Buffer.from(b.buffer, b.byteOffset, b.byteLength)) === 0;

function compare(asset, packed) {
  const name = path.basename(asset);
  const options = ['--style', 'cartoon', '--clip', '0', '--fps', '6'];
  const arrays = ['rest', 'skinned', 'deformed', 'triangles'];
  const one = dump(program, asset, path.join(folder, 'a'), ...options);
  const two = dump(program, packed.out, path.join(folder, 'b'), ...options);
  for (const array of arrays) report.expect(`${name}: ${array} of the packed file`, equal(one.array(array).data, two.array(array).data));
  const plain = path.join(folder, 'plain.glb');
  run(program, 'convert', packed.out, '-o', plain);
  const { json } = readGltf(plain);
  report.expect(`${name}: written back without compression`, !JSON.stringify(json).includes('meshopt'));
  const twin = path.join(folder, 'twin.glb');
  run(program, 'convert', asset, '-o', twin);
  const back = [plain, twin].map((file) => dump(program, file, path.join(folder, path.basename(file, '.glb')), ...options));
  report.expect(`${name}: and as its twin is`, equal(back[0].array('deformed').data, back[1].array('deformed').data));
}

// --- damage ---

let seed = 1;
const random = (below) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % below;
};

/** Wrong bytes, and wrong numbers in the JSON. */
function* damages({ json, binary }) {
  for (let i = 0; i < 24; i++) {
    const bytes = Buffer.from(binary);
    for (let k = 0; k < 1 + i; k++) bytes[random(bytes.length)] = random(256);
    yield makeGlb(json, bytes);
  }
  const views = json.bufferViews.map((view, index) => index).filter((index) => json.bufferViews[index].extensions);
  const wrong = { byteStride: [0, 3, 260, 1e9], count: [0, 1e9, 4294967296], byteLength: [0, 1, 1e9], byteOffset: [1e9], mode: ['X', 7], filter: ['X'], buffer: [1, 9] };
  for (const [key, values] of Object.entries(wrong))
    for (const value of values) {
      const copy = structuredClone(json);
      copy.bufferViews[views[random(views.length)]].extensions.EXT_meshopt_compression[key] = value;
      yield makeGlb(copy, binary);
    }
}

function breakAll(packed) {
  const file = path.join(folder, 'damaged.glb');
  let count = 0;
  for (const bytes of damages(packed)) {
    fs.writeFileSync(file, bytes);
    const done = spawnSync(program, ['info', file], { encoding: 'utf8' });
    const fine = done.status === 0 || (done.status === 1 && done.stderr.trim().split('\n').length === 1);
    if (!fine) report.expect(`damaged file ${count}: status ${done.status}, ${done.stderr}`, false);
    count++;
  }
  report.expect(`${count} damaged files, a line each`, count >= 40);
}

/** A codec that is newer than the library: read right, or refused with a line that says so. */
function compareNewer(asset) {
  const { out, binary, json } = pack(asset, 'newer', 1);
  const view = json.bufferViews.find((v) => v.extensions?.EXT_meshopt_compression?.mode === 'ATTRIBUTES').extensions.EXT_meshopt_compression;
  report.expect('the newer codec is in use', binary[view.byteOffset] === 0xa1);
  const done = spawnSync(program, ['info', out], { encoding: 'utf8' });
  const said = done.status === 1 && /newer meshoptimizer \(codec 0xa1\).*needs a newer library/.test(done.stderr) && done.stderr.trim().split('\n').length === 1;
  report.expect(`${path.basename(asset)}: the newer codec is read, or needs a newer library`, said || (done.status === 0 && !done.stderr), done.stderr);
}

let packedFiles = 0;
for (const asset of assetsFor(program, named, folder)) {
  if (!/\.(glb|gltf)$/.test(asset) || !readGltf(asset).json.animations) continue;
  const packed = pack(asset, `packed-${packedFiles}`);
  if (!packed.count) continue;
  if (packedFiles < 3 || named.length) compare(asset, packed);
  if (packedFiles === 0) {
    compareNewer(asset);
    breakAll(packed);
  }
  packedFiles++;
}
report.expect('some files were packed', packedFiles > 0);
report.end();
