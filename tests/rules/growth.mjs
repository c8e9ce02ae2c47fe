// node growth.mjs LIMBER VALGRIND [VERB|KIND...]: the work on a file grows with what is in it, not with its square. Counts
// instructions for 1, 2 and 4 times as many meshes, joints and so on: from 2 to 4 times it costs twice what it costs from 1
// to 2, and four times when something is quadratic. Every command, with every list that a file can grow.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [limber, valgrind, ...wanted] = process.argv.slice(2);
const most = 2.4;
const env = { ...process.env, LP_NUM_THREADS: '0' }; // software pictures, in one thread

/** A character with so many of one kind of thing, whose joints turn at this pace. */
function character(kind, n, pace) {
  const count = (name, usual) => (kind === name ? n : usual);
  const joints = count('joints', 3), meshes = count('meshes', 1) * count('props', 1) * count('skins', 1), clips = count('clips', 1);
  const keys = count('keys', 3), materials = count('materials', 1) * count('images', 1), targets = count('targets', 0), vertices = count('vertices', 8);
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
      accessor.min = Array.from({ length: width }, (_, c) => array.filter((_, i) => i % width === c).reduce((x, y) => Math.min(x, y)));
      accessor.max = Array.from({ length: width }, (_, c) => array.filter((_, i) => i % width === c).reduce((x, y) => Math.max(x, y)));
    }
    return accessors.push(accessor) - 1;
  };
  const position = add(Float32Array.from({ length: 3 * vertices }, (_, i) => ((i * 7919) % 13) / 13), 'VEC3', 3, true);
  const joint = add(Uint16Array.from({ length: 4 * vertices }, (_, i) => (i % 4 ? 0 : (i / 4) % joints)), 'VEC4', 4);
  const weight = add(Float32Array.from({ length: 4 * vertices }, (_, i) => (i % 4 ? 0 : 1)), 'VEC4', 4);
  const indices = add(Uint32Array.from({ length: 3 * (vertices / 2) }, (_, i) => (2 * Math.floor(i / 3) + (i % 3)) % vertices), 'SCALAR', 1);
  const times = add(Float32Array.from({ length: keys }, (_, i) => i / 30), 'SCALAR', 1, true);
  const turns = add(Float32Array.from({ length: 4 * keys }, (_, i) => [Math.sin(pace * (i >> 2)), 0, 0, Math.cos(pace * (i >> 2))][i % 4]), 'VEC4', 4);
  const nodes = Array.from({ length: joints }, (_, i) => ({ name: `j${i}`, translation: [0, 0.1, 0] }));
  for (let i = 1; i < joints; i++) (nodes[(i - 1) >> 2].children ??= []).push(i);
  const roots = [0];
  for (let i = 0; i < meshes; i++) {
    const node = nodes.push(kind === 'props' ? { mesh: i } : { mesh: i, skin: kind === 'skins' ? i : 0 }) - 1;
    if (kind === 'props') (nodes[0].children ??= []).push(node);
    else roots.push(node);
  }
  for (let i = 0; i < count('nodes', 0); i++) roots.push(nodes.push({ name: `x${i}` }) - 1);
  for (let i = 0; i < count('cameras', 0); i++) roots.push(nodes.push({ name: `k${i}`, camera: i }) - 1);
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
    textures: pictures.length ? pictures.map((_, source) => ({ source })) : undefined, skins: Array.from({ length: count('skins', 1) }, () => ({ joints: moved })),
    cameras: kind === 'cameras' ? Array.from({ length: n }, () => ({ type: 'perspective', perspective: { yfov: 1, znear: 0.1 } })) : undefined,
    animations: Array.from({ length: clips }, animation), accessors, bufferViews,
    buffers: [{ byteLength: size, uri: `data:application/octet-stream;base64,${Buffer.concat(chunks).toString('base64')}` }],
  };
}

const few = ['--fps', '10', '--threads', '1'];
const bake = ['--style', 'jelly', '--bake', 'corrective', ...few];
const out = (name) => ['--quiet', '-o', name];
/** What is run on `in.gltf`; `other.gltf` is the same character with another motion. */
const verbs = {
  info: ['info', 'in.gltf'],
  style: ['info', 'in.gltf', '--style', 'cartoon'],
  apply: ['apply', 'in.gltf', ...bake, ...out('out.glb')],
  gltf: ['apply', 'in.gltf', ...bake, ...out('out.gltf')],
  compress: ['apply', 'in.gltf', ...bake, '--compress', ...out('out.glb')],
  bones: ['apply', 'in.gltf', '--style', 'jelly', ...few, ...out('out.glb')],
  vertex: ['apply', 'in.gltf', '--style', 'cartoon', '--bake', 'vertex', ...few, ...out('out.glb')],
  usd: ['apply', 'in.gltf', ...bake, ...out('out.usda')],
  usdz: ['apply', 'in.gltf', ...bake, ...out('out.usdz')],
  cache: ['apply', 'in.gltf', '--style', 'jelly', ...few, ...out('out.pc2')],
  obj: ['apply', 'in.gltf', '--style', 'jelly', '--fps', '2', '--threads', '1', ...out('out.%04d.obj')],
  vat: ['apply', 'in.gltf', '--style', 'jelly', ...few, '--quiet', '--vat', 'vat'],
  exaggerate: ['exaggerate', 'in.gltf', '--set', 'exaggerate.constraints=auto', ...out('out.glb')],
  repair: ['convert', 'in.gltf', '--repair', 'all', ...out('out.glb')],
  bvh: ['convert', 'in.gltf', ...out('out.bvh')],
  retarget: ['convert', 'in.gltf', '--motion', 'other.gltf', '--match', 'pairs.json', ...out('out.glb')],
  paint: ['paint', 'in.gltf', '--layer', 'floppy', '--auto', 'height', ...out('out.glb')],
  dump: ['dump', 'in.gltf', '--style', 'jelly', ...few, ...out('dump')],
  fit: ['fit', 'in.gltf', 'other.gltf', '--effects', 'floppy,drag', ...few, ...out('fit.json')],
  batch: ['batch', 'in*.gltf', '--workers', '1', '--style', 'jelly', '--bake', 'none', '-o', 'batch'],
  render: ['render', 'in.gltf', '--style', 'jelly', '--size', '16x16', '--threads', '1', ...out('out.png')],
};

/** Instructions of a command. */
function instructions(kind, n, verb) {
  const folder = mkdtempSync(join(tmpdir(), 'limber-growth-'));
  try {
    writeFileSync(join(folder, 'in.gltf'), JSON.stringify(character(kind, n, 1)));
    writeFileSync(join(folder, 'other.gltf'), JSON.stringify(character(kind, n, 1.3)));
    for (let i = 1; kind === 'inputs' && i < n; i++)
      copyFileSync(join(folder, 'in.gltf'), join(folder, `in${i}.gltf`));
    const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env };
    if (verb === 'batch') // its jobs are other commands; what is counted finds them up to date
      execFileSync(limber, verbs[verb], options);
    execFileSync(valgrind, ['--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null', '--log-file=counts', limber, ...verbs[verb]], options);
    const counts = readFileSync(join(folder, 'counts'), 'utf8');
    return Number(counts.match(/I +refs: +([\d,]+)/)[1].replaceAll(',', ''));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const fewer = { fit: 10, render: 4 }; // these take long
/** How many of each: so many that a square shows. Layers are left out: a mesh has at most 256. */
const kinds = { meshes: 200, props: 200, skins: 100, joints: 200, clips: 60, keys: 2000, materials: 200, nodes: 1000, accessors: 1000, images: 200,
  targets: 100, cameras: 200, vertices: 2000, inputs: 50 };
/** What is asked for is a product: weights of every vertex for every joint, of every target for every frame. */
const products = ['dump props', 'compress keys', 'usd keys', 'usdz keys'];
const isWanted = (name, all) => wanted.includes(name) || !wanted.some((other) => other in all);
let failed = false;
for (const [kind, n] of Object.entries(kinds))
  for (const verb of Object.keys(verbs)) {
    if (!isWanted(kind, kinds) || !isWanted(verb, verbs) || (kind === 'inputs' && verb !== 'batch'))
      continue;
    const [a, b, c] = [1, 2, 4].map((times) => instructions(kind, (times * n) / (fewer[verb] ?? 1), verb));
    const growth = (c - b) / (b - a);
    console.log(`${verb} ${kind}: ${growth.toFixed(2)} (${[a, b, c].map((x) => (x / 1e6).toFixed(0)).join(', ')} million)`);
    const matters = c - a > a / 20; // graphics drivers and searches do not count the same every time
    failed ||= matters && !(growth < (products.includes(`${verb} ${kind}`) ? 4 : most));
  }
if (failed) {
  console.error(`something grows by ${most} or more where what is in the file doubles`);
  process.exit(1);
}
