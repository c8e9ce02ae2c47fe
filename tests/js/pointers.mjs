// node pointers.mjs PROGRAM [ASSET...]: clips that say with KHR_animation_pointer what they move, read as plain ones.
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assetsFor } from './assets.mjs';
import { makeGlb, readGltf } from './gltf_file.mjs';
import { dump, Report, run, temporaryFolder } from './run.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

const pointAt = (pointer) => ({ path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } });

/** The file with pointers instead of nodes and paths; `more` are channels beside them. */
function write(json, binary, more) {
  const copy = structuredClone(json);
  for (const animation of copy.animations) {
    for (const channel of animation.channels) channel.target = pointAt(`/nodes/${channel.target.node}/${channel.target.path}`);
    animation.channels.push(...more);
  }
  copy.extensionsUsed = [...(json.extensionsUsed ?? []), 'KHR_animation_pointer'];
  copy.extensionsRequired = [...(json.extensionsRequired ?? []), 'KHR_animation_pointer'];
  const file = path.join(folder, 'pointers.glb');
  fs.writeFileSync(file, makeGlb(copy, binary));
  return file;
}

const asset = assetsFor(program, named, folder).find((file) => file.endsWith('.glb') && readGltf(file).json.animations);
const { json, buffers } = readGltf(asset);
const others = ['/materials/0/pbrMetallicRoughness/baseColorFactor', '/nodes/99999999999/scale', '/nodes//rotation', '/nodes/1', ''];
const cases = { 'nodes only': [], 'other things as well': others.map((pointer) => ({ sampler: 0, target: pointAt(pointer) })) };
const plain = dump(program, asset, path.join(folder, 'plain'), '--clip', '0', '--fps', '10').array('skinned').data;
for (const [name, more] of Object.entries(cases)) {
  const file = write(json, buffers[0], more);
  const read = dump(program, file, path.join(folder, 'read'), '--clip', '0', '--fps', '10').array('skinned').data;
  report.expect(`${name}: as the plain clip`, read.length === plain.length && read.every((value, i) => value === plain[i]));
  const out = path.join(folder, 'out.glb');
  run(program, 'convert', file, '-o', out);
  report.expect(`${name}: converted as they are`, isDeepStrictEqual(readGltf(out).json.animations, readGltf(file).json.animations));
  run(program, 'apply', file, '--style', 'subtle', '--fps', '10', '--quiet', '-o', out);
  const written = readGltf(out).json;
  const left = written.animations.flatMap((animation) => animation.channels).filter((channel) => channel.target.path === 'pointer');
  report.expect(`${name}: ${left.length} pointers left`, left.length === more.length * json.animations.length);
  report.expect(`${name}: declared where they are left`, (written.extensionsUsed ?? []).includes('KHR_animation_pointer') === more.length > 0);
}
report.end();
