// node draco.mjs PROGRAM [ASSET...]: files that Draco's own encoder has compressed read as Draco's own decoder reads
// them, and damaged ones give one line.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco3d from 'draco3d';
import { assetsFor } from './assets.mjs';
import { makeGlb, readGltf } from './gltf_file.mjs';
import { dump, Report, run, temporaryFolder } from './run.mjs';
import { describe, newFaults } from './validate.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const NAME = 'KHR_draco_mesh_compression';
const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions(ALL_EXTENSIONS).registerDependencies({
  'draco3d.decoder': await draco3d.createDecoderModule(),
  'draco3d.encoder': await draco3d.createEncoderModule(),
});

/** The asset compressed, and what the decoder makes of that. */
async function pack(asset, index) {
  const files = { packed: path.join(folder, `packed-${index}.glb`), plain: path.join(folder, `plain-${index}.glb`) };
  const document = await io.read(asset);
  const method = index % 2 ? 'SEQUENTIAL' : 'EDGEBREAKER';
  document.createExtension(KHRDracoMeshCompression).setRequired(true).setEncoderOptions({ method: KHRDracoMeshCompression.EncoderMethod[method] });
  await io.write(files.packed, document);
  const decoded = await io.read(files.packed);
  decoded.getRoot().listExtensionsUsed().filter((extension) => extension.extensionName === NAME).forEach((extension) => extension.dispose());
  await io.write(files.plain, decoded);
  return { ...files, method };
}

/** The largest difference in units of the largest number; decoders may round differently, integers do not differ. */
function difference(a, b) {
  if (a.length !== b.length || a.constructor !== b.constructor) return Infinity;
  let worst = 0;
  let largest = 1e-30;
  for (let i = 0; i < a.length; i++) {
    worst = Math.max(worst, Math.abs(a[i] - b[i]));
    largest = Math.max(largest, Math.abs(b[i]));
  }
  return a instanceof Float32Array ? worst / largest : worst;
}

/** Values of every attribute of every primitive, by name. */
async function attributesOf(file) {
  const found = new Map();
  for (const mesh of (await io.read(file)).getRoot().listMeshes())
    mesh.listPrimitives().forEach((primitive, p) => {
      for (const semantic of primitive.listSemantics()) found.set(`${mesh.getName()} ${p} ${semantic}`, primitive.getAttribute(semantic).getArray());
      found.set(`${mesh.getName()} ${p} indices`, primitive.getIndices().getArray());
    });
  return found;
}

async function compare(asset, { packed, plain, method }) {
  const name = `${path.basename(asset)} (${method.toLowerCase()})`;
  const options = ['--style', 'cartoon', '--clip', '0', '--fps', '6'];
  const [one, two] = [plain, packed].map((file) => dump(program, file, path.join(folder, path.basename(file, '.glb')), ...options));
  for (const array of ['rest', 'skinned', 'deformed', 'triangles'])
    report.check(`${name}: ${array}`, difference(two.array(array).data, one.array(array).data), array === 'deformed' ? 1e-5 : 1e-6);
  const back = path.join(folder, 'back.glb');
  run(program, 'convert', packed, '-o', back);
  report.expect(`${name}: written back without compression`, !JSON.stringify(readGltf(back).json).includes('draco'));
  const [ours, theirs] = [await attributesOf(back), await attributesOf(plain)];
  const worst = Math.max(...[...theirs].map(([key, array]) => (ours.has(key) ? difference(ours.get(key), array) : Infinity)));
  report.check(`${name}: ${theirs.size} attributes and index lists`, worst, 1e-6);
  report.check(`${name}: bytes written, against its twin`, fs.statSync(back).size / fs.statSync(plain).size - 1, 0.02);
}

/** Accessors that say other counts than are packed: what is unpacked counts, as in other programs. */
async function compareCounts(asset, { packed, plain }) {
  const { json, buffers } = readGltf(packed);
  const theirs = await attributesOf(plain);
  for (const [more, indices] of [[0, 3], [-1, -3], [7, 0]]) {
    const copy = structuredClone(json);
    for (const primitive of copy.meshes.flatMap((mesh) => mesh.primitives)) {
      for (const accessor of Object.values(primitive.attributes)) copy.accessors[accessor].count = json.accessors[accessor].count + more;
      copy.accessors[primitive.indices].count = json.accessors[primitive.indices].count + indices;
    }
    const file = path.join(folder, 'counts.glb');
    const back = path.join(folder, 'back.glb');
    fs.writeFileSync(file, makeGlb(copy, buffers[0]));
    run(program, 'convert', file, '-o', back);
    const ours = await attributesOf(back);
    const worst = Math.max(...[...theirs].map(([key, array]) => (ours.has(key) ? difference(ours.get(key), array) : Infinity)));
    report.check(`${path.basename(asset)}: ${more} vertices and ${indices} indices more than there are`, worst, 1e-6);
  }
}

/** Packing rounds, so that bounds in the file are not those of its values. */
async function checkOutputs(asset, { packed, plain }) {
  const out = path.join(folder, 'out.glb');
  for (const args of [['convert', packed], ['apply', packed, '--style', 'cartoon', '--clip', '0', '--fps', '6', '--quiet']]) {
    run(program, ...args, '-o', out);
    const faults = await newFaults(out, plain);
    report.expect(`${path.basename(asset)}: ${args[0]} passes the validator`, !faults.length, faults.slice(0, 3).map(describe).join('; '));
  }
}

// --- damage ---

let seed = 1;
const random = (below) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % below;
};

/** Wrong bytes in the packed views, and wrong numbers in the JSON: [bytes, whether it must be refused]. */
function* damages({ packed }) {
  const { json, buffers } = readGltf(packed);
  const extensionsOf = (tree) => tree.meshes.flatMap((mesh) => mesh.primitives.map((primitive) => primitive.extensions[NAME]));
  const views = extensionsOf(json).map((extension) => json.bufferViews[extension.bufferView]);
  const change = (count, reach) => {
    const bytes = Buffer.from(buffers[0]);
    const view = views[random(views.length)];
    for (let k = 0; k < count; k++) bytes[(view.byteOffset ?? 0) + random(Math.min(reach, view.byteLength))] = random(256);
    return bytes;
  };
  for (let i = 0; i < 24; i++) yield [makeGlb(json, change(1 + i, i % 2 ? 64 : 1e9)), false];
  for (const length of [0, 1, 5, 11, 12, 20, 100]) {
    const copy = structuredClone(json);
    copy.bufferViews[extensionsOf(json)[0].bufferView].byteLength = length;
    yield [makeGlb(copy, buffers[0]), true];
  }
  const wrong = [
    (p) => { p.extensions[NAME].bufferView = 1e6; },
    (p) => { p.extensions[NAME].bufferView = -1; },
    (p) => { delete p.extensions[NAME].bufferView; },
    (p) => { p.extensions[NAME].attributes.POSITION = 99; },
    (p) => { p.extensions[NAME].attributes.POSITION = 'x'; },
    (p) => { p.extensions[NAME].attributes = []; },
    (p) => { p.mode = 5; },
    (p) => { delete p.indices; },
    (p, tree) => { tree.accessors[p.attributes.POSITION].count = 4e9; },
    (p, tree) => { tree.accessors[p.attributes.POSITION].type = 'MAT4'; },
    (p, tree) => { tree.accessors[p.indices].count = 4e9; },
    (p, tree) => { tree.accessors[p.indices].componentType = 5121; },
    (p, tree) => { tree.accessors[p.indices].componentType = 5126; },
  ];
  for (const edit of wrong) {
    const copy = structuredClone(json);
    edit(copy.meshes[0].primitives[0], copy);
    const [{ indices, attributes }] = json.meshes[0].primitives;
    const bytesDo = copy.accessors[indices].componentType === 5121 && json.accessors[attributes.POSITION].count <= 256;
    yield [makeGlb(copy, buffers[0]), !bytesDo]; // a small mesh may have such indices
  }
}

function breakAll(files) {
  const file = path.join(folder, 'damaged.glb');
  let count = 0;
  for (const [bytes, refused] of damages(files)) {
    fs.writeFileSync(file, bytes);
    const done = spawnSync(program, ['info', file], { encoding: 'utf8' });
    const line = done.status === 1 && done.stderr.trim().split('\n').length === 1;
    if (!line && (refused || done.status !== 0)) report.expect(`damaged file ${count}: status ${done.status} ${done.signal}, ${done.stderr}`, false);
    count++;
  }
  report.expect(`${count} damaged files, a line each`, count >= 40);
}

let count = 0;
for (const asset of assetsFor(program, named, folder)) {
  if (!/\.(glb|gltf)$/.test(asset) || !readGltf(asset).json.animations) continue;
  const files = await pack(asset, count);
  if (!readGltf(files.packed).json.extensionsUsed?.includes(NAME)) continue; // it has no indices, and stays as it is
  await compare(asset, files);
  if (count < 2) {
    await compareCounts(asset, files);
    await checkOutputs(asset, files);
    breakAll(files);
  }
  if (++count === 6 && !named.length) break;
}
report.expect('some files were packed', count > 0);
report.end();
