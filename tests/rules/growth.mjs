// node growth.mjs LIMBER VALGRIND [VERB|KIND...]: the work on a file grows with what is in it, not with its square. Counts instructions
// for 1, 2 and 4 times as many meshes, joints and so on: from 2 to 4 times it costs twice what it costs from 1 to 2, and
// four times when something is quadratic.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [limber, valgrind, ...wanted] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'limber-growth-'));
const most = 2.4;

/** A character with so many of one kind of thing. */
function character(kind, n) {
  const count = (name, usual) => (kind === name ? n : usual);
  const joints = count('joints', 3), meshes = count('meshes', 1) * count('props', 1), clips = count('clips', 1);
  const keys = count('keys', 3), materials = count('materials', 1) * count('images', 1), targets = count('targets', 0), vertices = 8;
  const chunks = [], bufferViews = [], accessors = [];
  let size = 0;
  const add = (array, type, width, bounds) => {
    const bytes = Buffer.from(array.buffer);
    bufferViews.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
    chunks.push(bytes);
    size += bytes.length;
    const accessor = { bufferView: bufferViews.length - 1, componentType: array instanceof Float32Array ? 5126 : array instanceof Uint16Array ? 5123 : 5125,
      count: array.length / width, type };
    if (bounds) {
      accessor.min = Array.from({ length: width }, (_, c) => Math.min(...array.filter((_, i) => i % width === c)));
      accessor.max = Array.from({ length: width }, (_, c) => Math.max(...array.filter((_, i) => i % width === c)));
    }
    return accessors.push(accessor) - 1;
  };
  const position = add(Float32Array.from({ length: 3 * vertices }, (_, i) => ((i * 7919) % 13) / 13), 'VEC3', 3, true);
  const joint = add(Uint16Array.from({ length: 4 * vertices }, (_, i) => (i % 4 ? 0 : (i / 4) % joints)), 'VEC4', 4);
  const weight = add(Float32Array.from({ length: 4 * vertices }, (_, i) => (i % 4 ? 0 : 1)), 'VEC4', 4);
  const indices = add(Uint32Array.from([0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 0]), 'SCALAR', 1);
  const times = add(Float32Array.from({ length: keys }, (_, i) => i / 30), 'SCALAR', 1, true);
  const turns = add(Float32Array.from({ length: 4 * keys }, (_, i) => [Math.sin(i >> 2), 0, 0, Math.cos(i >> 2)][i % 4]), 'VEC4', 4);
  const nodes = Array.from({ length: joints }, (_, i) => ({ name: `j${i}`, translation: [0, 0.1, 0] }));
  for (let i = 1; i < joints; i++) (nodes[(i - 1) >> 2].children ??= []).push(i);
  const roots = [0];
  for (let i = 0; i < meshes; i++) {
    const node = nodes.push(kind === 'props' ? { mesh: i } : { mesh: i, skin: 0 }) - 1;
    if (kind === 'props') (nodes[0].children ??= []).push(node);
    else roots.push(node);
  }
  for (let i = 0; i < count('nodes', 0); i++) roots.push(nodes.push({ name: `x${i}` }) - 1);
  for (let i = 0; i < count('accessors', 0); i++) accessors.push({ ...accessors[times] });
  const target = () => ({ POSITION: add(Float32Array.from({ length: 3 * vertices }, (_, i) => i / 100), 'VEC3', 3, true) });
  const shapes = Array.from({ length: targets }, target);
  const primitive = (material) => ({ attributes: { POSITION: position, JOINTS_0: joint, WEIGHTS_0: weight }, indices, material, targets: targets ? shapes : undefined });
  const pictures = kind === 'images' ? Array.from({ length: n }, (_, i) => ({ uri: `data:image/png;base64,${Buffer.from(`\x89PNG\r\n\x1a\n${i}`, 'latin1').toString('base64')}` })) : [];
  const material = (_, i) => (pictures.length ? { pbrMetallicRoughness: { baseColorTexture: { index: i } } } : {});
  const moved = Array.from({ length: joints }, (_, i) => i);
  const animation = (_, i) => ({
    name: `c${i}`, samplers: [{ input: times, output: turns }],
    channels: moved.map((node) => ({ sampler: 0, target: { node, path: 'rotation' } })),
  });
  return {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: roots }], nodes,
    meshes: Array.from({ length: meshes }, (_, i) => ({ name: `m${i}`, primitives: Array.from({ length: materials }, (_, m) => primitive(m)) })),
    materials: Array.from({ length: materials }, material), images: pictures.length ? pictures : undefined,
    textures: pictures.length ? pictures.map((_, source) => ({ source })) : undefined, skins: [{ joints: moved }],
    animations: Array.from({ length: clips }, animation), accessors, bufferViews,
    buffers: [{ byteLength: size, uri: `data:application/octet-stream;base64,${Buffer.concat(chunks).toString('base64')}` }],
  };
}

const bake = ['--style', 'jelly', '--bake', 'corrective', '--fps', '10', '--threads', '1'];
const verbs = {
  info: ['info'],
  apply: ['apply', ...bake],
  compress: ['apply', ...bake, '--compress'],
  bones: ['apply', '--style', 'jelly', '--fps', '10', '--threads', '1'],
  vertex: ['apply', '--style', 'cartoon', '--bake', 'vertex', '--fps', '10', '--threads', '1'],
  style: ['info', '--style', 'cartoon'],
  exaggerate: ['exaggerate', '--set', 'exaggerate.constraints=auto'],
  repair: ['convert', '--repair', 'all'],
  paint: ['paint', '--layer', 'floppy', '--auto', 'height'],
};

function instructions(kind, n, verb) {
  const path = join(folder, 'in.gltf');
  writeFileSync(path, JSON.stringify(character(kind, n)));
  const [command, ...options] = verbs[verb];
  const log = join(folder, 'counts');
  execFileSync(valgrind, ['--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null', `--log-file=${log}`, limber,
    command, path, ...options, ...(command === 'info' ? [] : ['--quiet', '-o', join(folder, 'out.glb')])], { stdio: ['ignore', 'ignore', 'inherit'] });
  const text = execFileSync('cat', [log], { encoding: 'utf8' });
  return Number(text.match(/I +refs: +([\d,]+)/)[1].replaceAll(',', ''));
}

let failed = false;
try {
  for (const [kind, n] of Object.entries({ meshes: 200, props: 200, joints: 200, clips: 60, keys: 2000, materials: 200, nodes: 1000, accessors: 1000,
    images: 200, targets: 100 }))
    for (const verb of Object.keys(verbs)) {
      if (wanted.length && !(wanted.includes(kind) && wanted.includes(verb)))
        continue;
      const [a, b, c] = [1, 2, 4].map((times) => instructions(kind, times * n, verb));
      const growth = (c - b) / (b - a);
      console.log(`${verb} ${kind}: ${growth.toFixed(2)} (${[a, b, c].map((x) => (x / 1e6).toFixed(0)).join(', ')} million)`);
      failed ||= !(growth < most);
    }
} finally {
  rmSync(folder, { recursive: true });
}
if (failed) {
  console.error(`something grows by ${most} or more where what is in the file doubles`);
  process.exit(1);
}
