// Small files that hold one of everything a glTF can carry and limber has no use for, and every fault that the writer
// repairs. Made by code, so that what is in them can be read here.
import fs from 'node:fs';
import path from 'node:path';

const FLOAT = 5126;
const BYTE = 5121;
const SHORT = 5123;
const SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

// A 1x1 white PNG.
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==', 'base64');

// Collects accessors; each has its own view in the buffer that was open when it was added.
class Bytes {
  constructor() {
    this.accessors = [];
    this.views = [];
    this.buffers = [[]];
  }

  nextBuffer() {
    this.buffers.push([]);
  }

  add(array, type, { bounds = false, target, normalized } = {}) {
    const chunks = this.buffers.at(-1);
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const offset = chunks.reduce((n, chunk) => n + chunk.length, 0);
    chunks.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
    const view = { buffer: this.buffers.length - 1, byteOffset: offset, byteLength: bytes.length };
    if (target) view.target = target;
    const size = SIZES[type];
    const componentType = array instanceof Float32Array ? FLOAT : array instanceof Uint8Array ? BYTE : SHORT;
    const accessor = { bufferView: this.views.push(view) - 1, componentType, count: array.length / size, type };
    if (normalized) accessor.normalized = true;
    if (bounds) {
      const column = (c) => Array.from(array).filter((_, i) => i % size === c);
      accessor.min = Array.from({ length: size }, (_, c) => Math.min(...column(c)));
      accessor.max = Array.from({ length: size }, (_, c) => Math.max(...column(c)));
    }
    return this.accessors.push(accessor) - 1;
  }

  bytesOf(buffer) {
    return Buffer.concat(this.buffers[buffer]);
  }
}

const floats = (...values) => new Float32Array(values);

function addTriangle(bytes) {
  return {
    POSITION: bytes.add(floats(0, 0, 0, 1, 0, 0, 0, 1, 0), 'VEC3', { bounds: true, target: 34962 }),
    NORMAL: bytes.add(floats(0, 0, 1, 0, 0, 1, 0, 0, 1), 'VEC3', { target: 34962 }),
    TEXCOORD_0: bytes.add(floats(0, 0, 1, 0, 0, 1), 'VEC2', { target: 34962 }),
  };
}

// Cameras, lights, extras, unknown extensions, several scenes, buffers in every form, pictures in every form.
function everything() {
  const bytes = new Bytes();
  const triangle = addTriangle(bytes);
  bytes.nextBuffer();
  const times = bytes.add(floats(0, 0.5, 1), 'SCALAR', { bounds: true });
  const moves = bytes.add(floats(0, 0, 0, 0, 1, 0, 0, 0, 0), 'VEC3');
  bytes.nextBuffer();
  const rest = bytes.add(floats(0.25, 0.5, 0.75), 'SCALAR', { target: 34962 });
  const json = {
    asset: { version: '2.0', generator: 'a hand', copyright: 'nobody', extras: { when: 'today' } },
    extensionsUsed: ['KHR_lights_punctual', 'ACME_thing', 'KHR_materials_unlit'],
    extensions: { KHR_lights_punctual: { lights: [{ type: 'point', color: [1, 0.5, 0.25], intensity: 3.25 }] }, ACME_thing: { deep: [{ a: [1, 2.5, null, 'x', true] }] } },
    extras: { number: 0.1, big: 12345678901234, tiny: 1e-300, text: 'ünï ☃ \u0001', list: [[], {}] },
    scene: 1,
    scenes: [{ name: 'other', nodes: [2], extras: 5 }, { name: 'main', nodes: [0, 1, 3], extensions: { ACME_thing: { on: 'scene' } } }],
    nodes: [
      { name: 'mover', mesh: 0, children: [4], extras: { keep: 'me' } },
      { name: 'lamp', extensions: { KHR_lights_punctual: { light: 0 } }, translation: [0, 5, 0] },
      { name: 'elsewhere', mesh: 1, matrix: [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1] },
      { name: 'eye', camera: 0, rotation: [0, 0.7071067811865476, 0, 0.7071067811865476] },
      { name: 'empty', extensions: { ACME_thing: {} } },
    ],
    cameras: [{ type: 'perspective', perspective: { yfov: 0.7, znear: 0.01, aspectRatio: 1.5 }, name: 'lens' }],
    materials: [{ name: 'paint', pbrMetallicRoughness: { baseColorTexture: { index: 0 }, roughnessFactor: 0.1 }, emissiveTexture: { index: 1 }, extensions: { KHR_materials_unlit: {} }, extras: { shade: 7 } }],
    textures: [{ source: 0, sampler: 0 }, { source: 1 }, { source: 2 }],
    samplers: [{ wrapS: 33071 }],
    images: [{ uri: 'a%20picture.png', name: 'outside' }, { uri: `data:image/png;base64,${PICTURE.toString('base64')}` }, { uri: 'missing.png', extras: 1 }],
    meshes: [{ name: 'tri', primitives: [{ attributes: { ...triangle, _LIMBER_EARS: rest, _TEMPERATURE: rest }, material: 0 }], extras: { x: 1 } }, { primitives: [{ attributes: { POSITION: triangle.POSITION }, mode: 0 }] }],
    animations: [{ name: 'up', channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }], samplers: [{ input: times, output: moves, interpolation: 'STEP' }], extras: 'kept' }],
  };
  return { name: 'everything', json, bytes, faults: [], tolerated: ['IO_ERROR'] }; // one picture is missing on purpose
}

function rig(bytes, joints, weights) {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  return {
    attributes: { ...addTriangle(bytes), JOINTS_0: bytes.add(joints, 'VEC4', { target: 34962 }), WEIGHTS_0: bytes.add(weights, 'VEC4', { target: 34962, normalized: !(weights instanceof Float32Array) }) },
    inverses: bytes.add(floats(...identity, ...identity), 'MAT4'),
    times: bytes.add(floats(0, 1), 'SCALAR', { bounds: true }),
    turns: bytes.add(floats(0, 0, 0, 1, 0, 0, 1, 0), 'VEC4'),
  };
}

// The skinned mesh on a node that moves, has a child and is a joint: it must get a separate node.
function misplacedSkin() {
  const bytes = new Bytes();
  const r = rig(bytes, new Uint8Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]), floats(0.5, 0.5, 0, 0, 0.25, 0.75, 0, 0, 1, 0, 0, 0));
  const bulge = bytes.add(floats(0, 0, 1, 0, 0, 0, 0, 0, 0), 'VEC3', { bounds: true, target: 34962 });
  const swell = bytes.add(floats(0, 1), 'SCALAR');
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }, { nodes: [0] }],
    nodes: [{ name: 'top', children: [1, 3], scale: [2, 2, 2] }, { name: 'body', mesh: 0, skin: 0, weights: [0.5], children: [2], translation: [0, 1, 0] }, { name: 'tip', translation: [0, 1, 0] }, { name: 'twin', mesh: 0, skin: 0, weights: [0], rotation: [0, 0, 1, 0] }],
    meshes: [{ primitives: [{ attributes: r.attributes, targets: [{ POSITION: bulge }] }] }],
    skins: [{ joints: [1, 2], inverseBindMatrices: r.inverses, skeleton: 1 }],
    animations: [{ channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }, { sampler: 1, target: { node: 1, path: 'weights' } }], samplers: [{ input: r.times, output: r.turns }, { input: r.times, output: swell }] }],
  };
  return { name: 'misplaced_skin', json, bytes, faults: [{ code: 'NODE_SKINNED_MESH_NON_ROOT' }] };
}

// Weights as bytes that do not add up, a joint named twice, a joint named for nothing.
function crookedWeights() {
  const bytes = new Bytes();
  const r = rig(bytes, new Uint8Array([1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0]), new Uint8Array([100, 100, 0, 0, 255, 0, 0, 0, 10, 20, 0, 0]));
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 2] }],
    nodes: [{ children: [1] }, {}, { mesh: 0, skin: 0 }],
    meshes: [{ primitives: [{ attributes: r.attributes }] }],
    skins: [{ joints: [0, 1], inverseBindMatrices: r.inverses }],
    animations: [{ channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }], samplers: [{ input: r.times, output: r.turns }] }],
  };
  return { name: 'crooked_weights', json, bytes, faults: [{ code: 'ACCESSOR_WEIGHTS_NON_NORMALIZED' }] };
}

// A strip of six vertices on two joints that fold far apart, with two shapes, carried by two nodes, and one clip for
// each kind of interpolation of the shapes' weights. The third clip moves no weights, the fourth only the second node's.
function foldingStrip() {
  const bytes = new Bytes();
  const across = (y) => [-0.5, y, 0, 0.5, y, 0];
  const strip = bytes.add(floats(...across(0), ...across(1), ...across(2)), 'VEC3', { bounds: true, target: 34962 });
  const normals = bytes.add(floats(...Array(6).fill([0, 0, 1]).flat()), 'VEC3', { target: 34962 });
  const joints = bytes.add(new Uint8Array(Array(6).fill([0, 1, 0, 0]).flat()).map((v, i) => (i < 8 ? 0 : v)), 'VEC4', { target: 34962 });
  const weights = bytes.add(floats(1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 0.4, 0.6, 0, 0, 0.1, 0.9, 0, 0, 0.2, 0.8, 0, 0), 'VEC4', { target: 34962 });
  const indices = bytes.add(new Uint16Array([0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4]), 'SCALAR', { target: 34963 });
  const shape = (z) => bytes.add(floats(...Array.from({ length: 18 }, (_, i) => (i % 3 === 2 ? z * Math.sin(i) : 0.1 * z))), 'VEC3', { bounds: true, target: 34962 });
  const targets = [{ POSITION: shape(0.3) }, { POSITION: shape(-0.2) }];
  const down = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1];
  const inverses = bytes.add(floats(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, ...down), 'MAT4');
  const turnTimes = bytes.add(floats(0, 0.5, 1), 'SCALAR', { bounds: true });
  const turn = (angle) => [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)];
  const turns = bytes.add(floats(...turn(0), ...turn(2.2), ...turn(-1)), 'VEC4');
  const keys = bytes.add(floats(0.11, 0.37, 0.83), 'SCALAR', { bounds: true });
  const plain = bytes.add(floats(0, 1, 1, 0, 0.5, 0.25), 'SCALAR');
  const spline = bytes.add(floats(...Array.from({ length: 18 }, (_, i) => Math.sin(1.7 * i))), 'SCALAR');
  const clip = (name, ...more) => ({
    name,
    channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }, ...more.map((m, i) => ({ sampler: m.sampler ?? i + 1, target: { node: m.node, path: 'weights' } }))],
    samplers: [{ input: turnTimes, output: turns }, ...more.filter((m) => !m.sampler).map((m) => ({ input: keys, output: m.output, interpolation: m.interpolation }))],
  });
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 2, 3, 4] }],
    nodes: [{ name: 'hip', children: [1] }, { name: 'knee', translation: [0, 1, 0] }, { name: 'one', mesh: 0, skin: 0 }, { name: 'two', mesh: 0, skin: 1, weights: [0.3, 0.6] }, { name: 'hip2', children: [5], translation: [3, 0, 0] }, { name: 'knee2', translation: [0, 1, 0], rotation: [0.8, 0, 0, 0.6] }],
    meshes: [{ name: 'strip', weights: [0.25, 0], primitives: [{ attributes: { POSITION: strip, NORMAL: normals, JOINTS_0: joints, WEIGHTS_0: weights }, indices, targets }], extras: { targetNames: ['a', 'b'] } }],
    skins: [{ joints: [0, 1], inverseBindMatrices: inverses }, { joints: [4, 5], inverseBindMatrices: inverses }],
    animations: [
      clip('linear', { node: 2, output: plain, interpolation: 'LINEAR' }, { node: 3, sampler: 1 }),
      clip('step', { node: 2, output: plain, interpolation: 'STEP' }),
      clip('none'),
      clip('spline', { node: 3, output: spline, interpolation: 'CUBICSPLINE' }),
    ],
  };
  return { name: 'folding_strip', json, bytes, faults: [] };
}

// The folding strip again, but with interleaved whole numbers for positions and normals (KHR_mesh_quantization), weights
// as bytes in two sets, one shape as a sparse accessor, and drawn as a triangle strip.
function quantisedStrip() {
  const bytes = new Bytes();
  const vertices = Buffer.alloc(6 * 12);
  for (let v = 0; v < 6; v++) {
    [v % 2 ? 500 : -500, Math.floor(v / 2) * 1000, 0].forEach((value, c) => vertices.writeInt16LE(value, 12 * v + 2 * c));
    vertices.writeInt8(127, 12 * v + 8 + 2);
  }
  const view = bytes.views.length;
  bytes.add(new Uint8Array(vertices), 'SCALAR', { target: 34962 });
  bytes.views[view].byteStride = 12;
  bytes.accessors.pop();
  const position = bytes.accessors.push({ bufferView: view, componentType: 5122, count: 6, type: 'VEC3', min: [-500, 0, 0], max: [500, 2000, 0] }) - 1;
  const normal = bytes.accessors.push({ bufferView: view, byteOffset: 8, componentType: 5120, normalized: true, count: 6, type: 'VEC3' }) - 1;
  const joints = Array.from({ length: 2 }, (_, set) => bytes.add(new Uint8Array(Array(6).fill(set ? [0, 0, 0, 0] : [0, 1, 0, 0]).flat()).map((j, i) => (set || i >= 8 ? j : 0)), 'VEC4', { target: 34962 }));
  const weights = [[255, 0, 255, 0, 128, 127, 100, 155, 20, 235, 55, 200].flatMap((w, i) => (i % 2 ? [w, 0, 0] : [w])), Array(24).fill(0)].map((w) => bytes.add(new Uint8Array(w), 'VEC4', { target: 34962, normalized: true }));
  const which = bytes.add(new Uint8Array([4, 5]), 'SCALAR');
  const moved = bytes.add(floats(0, 100, 300, 0, 200, -300), 'VEC3');
  const [indexView, valueView] = [bytes.accessors[which].bufferView, bytes.accessors[moved].bufferView];
  bytes.accessors.length -= 2;
  const shape = bytes.accessors.push({ componentType: FLOAT, count: 6, type: 'VEC3', min: [0, 0, -300], max: [0, 200, 300], sparse: { count: 2, indices: { bufferView: indexView, componentType: BYTE }, values: { bufferView: valueView } } }) - 1;
  const small = (y) => [0.001, 0, 0, 0, 0, 0.001, 0, 0, 0, 0, 0.001, 0, 0, y, 0, 1];
  const inverses = bytes.add(floats(...small(0), ...small(-1)), 'MAT4');
  const times = bytes.add(floats(0, 1), 'SCALAR', { bounds: true });
  const turns = bytes.add(floats(0, 0, 0, 1, Math.sin(1.2), 0, 0, Math.cos(1.2)), 'VEC4');
  const swell = bytes.add(floats(0, 1), 'SCALAR');
  const json = {
    asset: { version: '2.0' }, extensionsUsed: ['KHR_mesh_quantization'], extensionsRequired: ['KHR_mesh_quantization'],
    scene: 0, scenes: [{ nodes: [0, 2] }],
    nodes: [{ name: 'hip', children: [1] }, { name: 'knee', translation: [0, 1, 0] }, { name: 'strip', mesh: 0, skin: 0 }],
    meshes: [{ primitives: [{ mode: 5, attributes: { POSITION: position, NORMAL: normal, JOINTS_0: joints[0], WEIGHTS_0: weights[0], JOINTS_1: joints[1], WEIGHTS_1: weights[1] }, targets: [{ POSITION: shape }] }] }],
    skins: [{ joints: [0, 1], inverseBindMatrices: inverses }],
    animations: [{ name: 'fold', channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }, { sampler: 1, target: { node: 2, path: 'weights' } }], samplers: [{ input: times, output: turns }, { input: times, output: swell }] }],
  };
  return { name: 'quantised_strip', json, bytes, faults: [] };
}

// A bent sheet with a normal map and no tangents, half of it mirrored, drawn once skinned and once not.
function normalMapped() {
  const bytes = new Bytes();
  const attributes = {
    POSITION: bytes.add(floats(-1, 0, 0, 0, 0, 0.3, 1, 0, 0, -1, 1, 0, 0, 1, 0.3, 1, 1, 0), 'VEC3', { bounds: true, target: 34962 }),
    NORMAL: bytes.add(floats(-0.28, 0, 0.96, 0, 0, 1, 0.28, 0, 0.96, -0.28, 0, 0.96, 0, 0, 1, 0.28, 0, 0.96), 'VEC3', { target: 34962 }),
    TEXCOORD_0: bytes.add(floats(0, 1, 0.5, 1, 0, 1, 0, 0, 0.5, 0, 0, 0), 'VEC2', { target: 34962 }),
  };
  const indices = bytes.add(new Uint16Array([0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4]), 'SCALAR', { target: 34963 });
  const skinned = { JOINTS_0: bytes.add(new Uint8Array(24), 'VEC4', { target: 34962 }), WEIGHTS_0: bytes.add(floats(...Array(6).fill([1, 0, 0, 0]).flat()), 'VEC4', { target: 34962 }) };
  const times = bytes.add(floats(0, 1), 'SCALAR', { bounds: true });
  const turns = bytes.add(floats(0, 0, 0, 1, 0, 0, 1, 0), 'VEC4');
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1, 2] }],
    nodes: [{ name: 'bone' }, { name: 'skinned', mesh: 0, skin: 0 }, { name: 'plain', mesh: 1 }],
    materials: [{ normalTexture: { index: 0 } }], textures: [{ source: 0 }], images: [{ uri: 'a%20picture.png' }],
    meshes: [{ primitives: [{ attributes: { ...attributes, ...skinned }, indices, material: 0 }] }, { primitives: [{ attributes, indices, material: 0 }] }],
    skins: [{ joints: [0] }],
    animations: [{ name: 'turn', channels: [0, 2].map((node, i) => ({ sampler: i, target: { node, path: 'rotation' } })), samplers: Array(2).fill({ input: times, output: turns }) }],
  };
  return { name: 'normal_mapped', json, bytes, faults: [{ code: 'MESH_PRIMITIVE_GENERATED_TANGENT_SPACE' }] };
}

// Joints that are separate roots, one of which carries the skinned mesh.
function twoRoots() {
  const bytes = new Bytes();
  const r = rig(bytes, new Uint8Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]), floats(0.5, 0.5, 0, 0, 0.25, 0.75, 0, 0, 1, 0, 0, 0));
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [3, 0, 1, 2] }],
    nodes: [{ name: 'left' }, { name: 'right', translation: [1, 0, 0] }, { name: 'mesh', mesh: 0, skin: 0 }, { name: 'bystander' }],
    meshes: [{ primitives: [{ attributes: r.attributes }] }],
    skins: [{ joints: [0, 1], inverseBindMatrices: r.inverses }],
    animations: [{ channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }], samplers: [{ input: r.times, output: r.turns }] }],
  };
  return { name: 'two_roots', json, bytes, faults: [{ code: 'SKIN_NO_COMMON_ROOT' }] };
}

// Writes each document as .gltf with its first buffer as a file and the others as data URIs.
export function writeRichFiles(folder) {
  fs.writeFileSync(path.join(folder, 'a picture.png'), PICTURE);
  return [everything(), misplacedSkin(), crookedWeights(), foldingStrip(), quantisedStrip(), normalMapped(), twoRoots()].map(({ name, json, bytes, faults, tolerated }) => {
    const file = path.join(folder, `${name}.gltf`);
    fs.writeFileSync(path.join(folder, `${name} 0.bin`), bytes.bytesOf(0));
    json.accessors = bytes.accessors;
    json.bufferViews = bytes.views;
    json.buffers = bytes.buffers.map((_, i) => ({
      byteLength: bytes.bytesOf(i).length,
      uri: i ? `data:application/octet-stream;base64,${bytes.bytesOf(i).toString('base64')}` : `${name}%200.bin`,
    }));
    fs.writeFileSync(file, JSON.stringify(json));
    return { file, faults, tolerated };
  });
}
