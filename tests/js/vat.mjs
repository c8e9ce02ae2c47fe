// node vat.mjs PROGRAM [ASSET...]: vertex animation textures, decoded with what node has (zlib) and put together as a
// shader would, against the numbers of `limber dump`.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import zlib from 'node:zlib';
import { assetsFor } from './assets.mjs';
import { readGltf } from './gltf_file.mjs';
import { Report, dump, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const STYLE = ['--style', 'cartoon', '--fps', '12'];

// Rows of a PNG without interlacing, 3 channels of 16 bits; every checksum is looked at.
function readPng(file) {
  const bytes = fs.readFileSync(file);
  const packed = [];
  let header;
  for (let at = 8; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at), kind = bytes.toString('latin1', at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + size);
    if (crc32(bytes.subarray(at + 4, at + 8 + size)) !== bytes.readUInt32BE(at + 8 + size)) throw new Error(`${kind}: wrong CRC`);
    if (kind === 'IHDR') header = body;
    if (kind === 'IDAT') packed.push(body);
    at += 12 + size;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header.toString('hex', 8) !== '1002000000') throw new Error('not 16 bits of red, green and blue');
  return { width, height, texels: unfilter(zlib.inflateSync(Buffer.concat(packed)), width, height) };
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

// Of the three, the one nearest to left + up - corner.
function paeth(left, up, corner) {
  const a = Math.abs(up - corner), b = Math.abs(left - corner), c = Math.abs(left + up - 2 * corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function unfilter(raw, width, height) {
  const stride = 6 * width, rows = Buffer.alloc(stride * height);
  if (raw.length !== (stride + 1) * height) throw new Error(`${raw.length} bytes for ${width} x ${height}`);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let i = 0; i < stride; i++) {
      const left = i < 6 ? 0 : rows[y * stride + i - 6], up = y ? rows[(y - 1) * stride + i] : 0;
      const corner = i < 6 || !y ? 0 : rows[(y - 1) * stride + i - 6];
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      if (!(filter in guesses)) throw new Error(`filter ${filter}`);
      rows[y * stride + i] = raw[y * (stride + 1) + 1 + i] + guesses[filter];
    }
  }
  const texels = new Uint16Array(3 * width * height);
  for (let i = 0; i < texels.length; i++) texels[i] = rows.readUInt16BE(2 * i);
  return texels;
}

// The floats of one attribute, primitive after primitive.
function attribute({ json, buffers }, name) {
  const values = [];
  for (const primitive of json.meshes[0].primitives) {
    const accessor = json.accessors[primitive.attributes[name]], view = json.bufferViews[accessor.bufferView];
    const start = buffers[0].byteOffset + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const count = accessor.count * { VEC2: 2, VEC3: 3 }[accessor.type];
    values.push(...new Float32Array(buffers[0].buffer.slice(start, start + 4 * count)));
  }
  return values;
}

const fromBlender = ([x, y, z]) => [x, z, -y];

// The worst distances over all vertices in one frame, positions and normals (`half`: rows down to them, or 0).
function compareFrame({ png, remap, glb, half }, frame, positions, normals) {
  const { Min, Max, Frames } = remap;
  const lookup = attribute(glb, 'TEXCOORD_1'), base = attribute(glb, 'POSITION');
  const worst = { position: 0, normal: 0 }, seen = new Set();
  for (let v = 0; v < base.length / 3; v++) {
    const x = Math.floor(lookup[2 * v] * png.width), y = Math.floor(lookup[2 * v + 1] * png.height);
    const vertex = (y / Frames) * png.width + x;
    const texel = (row) => [0, 1, 2].map((c) => png.texels[3 * (row * png.width + x) + c] / 65535);
    const offset = fromBlender(texel(y + frame).map((t, c) => Min[c] + t * (Max[c] - Min[c])));
    const error = Math.hypot(...offset.map((o, c) => base[3 * v + c] + o - positions[3 * vertex + c]));
    if (!(error <= worst.position)) worst.position = error;
    seen.add(vertex);
    if (!half) continue;
    const normal = fromBlender(texel(y + half + frame).map((t) => 2 * t - 1));
    const turned = Math.hypot(...normal.map((n, c) => n - normals[3 * vertex + c]));
    if (!(turned <= worst.normal)) worst.normal = turned;
  }
  return { ...worst, vertices: seen.size };
}

function checkFrames(what, files, dumped) {
  const smeared = dumped.array('smeared'), normals = dumped.array('normals'), { size } = dumped.manifest;
  const [frames, vertices] = smeared.shape, { Min, Max, Frames } = files.remap;
  report.expect(`${what}: as many frames`, Frames === frames, `${Frames} instead of ${frames}`);
  // Half a step along each axis, and what floats lose in the base and the offset.
  const bound = Math.hypot(...Min.map((m, c) => Max[c] - m)) / 65535 / 2 + 1e-6 * size;
  for (const frame of new Set([0, 1, frames >> 1, frames - 1].filter((f) => f < frames))) {
    const part = (array) => array.data.subarray(3 * frame * vertices, 3 * (frame + 1) * vertices);
    const worst = compareFrame(files, frame, part(smeared), part(normals));
    report.expect(`${what}: every vertex has its texel`, worst.vertices === vertices, `${worst.vertices} of ${vertices}`);
    report.check(`${what}: frame ${frame}, of L`, worst.position / size, bound / size);
    report.check(`${what}: normals of frame ${frame}`, worst.normal, 3e-5);
  }
}

function readFolder(to, name) {
  const png = readPng(path.join(to, `${name}_vat.png`));
  const info = JSON.parse(fs.readFileSync(path.join(to, `${name}-remap_info.json`), 'utf8'));
  const glb = readGltf(path.join(to, `${name}.glb`));
  return { png, info, remap: info['os-remap'], glb, half: png.height / 2 };
}

async function checkAsset(asset) {
  const name = path.basename(asset, path.extname(asset)), to = path.join(folder, `${name}_vat`);
  run(program, 'apply', asset, ...STYLE, '--vat', to, '--quiet');
  report.expect(`${name}: three files`, fs.readdirSync(to).sort().join() === [`${name}-remap_info.json`, `${name}.glb`, `${name}_vat.png`].join());
  const files = readFolder(to, name), { json } = files.glb;
  report.expect(`${name}: a texture of at most 8192`, Math.max(files.png.width, files.png.height) <= 8192);
  checkFrames(name, files, dump(program, asset, path.join(folder, 'dump'), ...STYLE));
  report.expect(`${name}: no skin, no clip, one mesh`, !json.skins && !json.animations && json.meshes.length === 1);
  const faults = (await validate(path.join(to, `${name}.glb`))).filter(isFault);
  report.expect(`${name}: passes the validator`, !faults.length, faults.slice(0, 3).map(describe).join('; '));
}

function refused(what, pattern, ...args) {
  const done = spawnSync(program, ['apply', ...args], { encoding: 'utf8' });
  const good = done.status > 0 && done.status < 3 && pattern.test(done.stderr) && done.stderr.trim().split('\n').length === 1;
  report.expect(what, good, `status ${done.status}: ${done.stderr}`);
}

function checkOptions(asset) {
  const to = path.join(folder, 'options'), kept = path.join(to, 'notes.txt');
  refused('too many frames are refused', /8192/, asset, '--vat', to, '--fps', '1000', '--quiet');
  report.expect('nothing is left of what was refused', !fs.existsSync(to));
  refused('-o and --vat are refused', /either/, asset, '--vat', to, '-o', path.join(folder, 'a.glb'));
  refused('--bake with --vat is refused', /--bake/, asset, '--vat', to, '--bake', 'vertex');
  refused('a file is no folder', /not a folder/, asset, '--vat', asset, '--quiet');
  fs.mkdirSync(to);
  fs.writeFileSync(kept, 'mine');
  run(program, 'apply', asset, '--vat', to, '--clip', 'spin', '--no-normals', '--quiet');
  const { png, info, remap } = readFolder(to, 'dancer');
  report.expect('other files stay', fs.readFileSync(kept, 'utf8') === 'mine' && fs.readdirSync(to).length === 4);
  report.expect('without normals there is no lower half', png.height === 2 * remap.Frames, `${png.height}`);
  const expected = { startFrame: 1, endFrame: 31, framerate: 30, looping: true };
  report.expect('the clip is named', JSON.stringify(info.animations) === JSON.stringify({ spin: expected }), JSON.stringify(info));
}

for (const asset of assetsFor(program, named, folder)) await checkAsset(asset);
const dancer = path.join(folder, 'dancer.glb'); // more vertices than a texture is wide: two rows per frame
run(program, 'sample', 'dancer', '-o', dancer);
checkOptions(dancer);
report.end();
