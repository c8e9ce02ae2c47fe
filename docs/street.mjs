// A street that stands still and a camera that passes it, for SM 17 of docs/figures.md: street(file) writes it as .gltf.
import fs from 'node:fs';

const SIDES = 24;
const RINGS = 12;

/** A shape that turns about the vertical: [height, radius] from bottom to top, as positions and triangles. */
function turned(profile, sides = SIDES) {
  const rows = [];
  for (let r = 0; r + 1 < profile.length; r++)
    for (let k = 0; k <= RINGS; k++) {
      const part = k / RINGS;
      rows.push([0, 1].map((c) => profile[r][c] + part * (profile[r + 1][c] - profile[r][c])));
    }
  const positions = rows.flatMap(([y, radius]) =>
    Array.from({ length: sides }, (_, i) => {
      const angle = (2 * Math.PI * (i + 0.5)) / sides;
      return [radius * Math.cos(angle), y, radius * Math.sin(angle)];
    }).flat(),
  );
  const triangles = [];
  for (let r = 0; r + 1 < rows.length; r++)
    for (let i = 0; i < sides; i++) {
      const [a, b] = [r * sides + i, r * sides + ((i + 1) % sides)];
      triangles.push(a, a + sides, b, b, a + sides, b + sides);
    }
  return { positions, triangles };
}

const THINGS = [
  ['House', [-3.4, 0, -1.6], 4, [[0, 1], [1.3, 1], [1.3, 1.25], [2.2, 0.02]], [0.86, 0.6, 0.42]],
  ['Fir', [-1.5, 0, -0.6], SIDES, [[0, 0.1], [0.4, 0.1], [0.4, 0.6], [1.9, 0.01]], [0.24, 0.5, 0.3]],
  ['Post', [-0.5, 0, 0.4], SIDES, [[0, 0.07], [1, 0.07], [1, 0.16], [1.25, 0.16], [1.25, 0.01]], [0.72, 0.26, 0.22]],
  ['Tree', [0.8, 0, -0.8], SIDES, [[0, 0.12], [0.8, 0.12], [0.8, 0.2], [1.1, 0.65], [1.6, 0.65], [2, 0.05]], [0.42, 0.6, 0.28]],
  ['Hydrant', [1.7, 0, 0.5], SIDES, [[0, 0.16], [0.5, 0.14], [0.5, 0.18], [0.68, 0.02]], [0.8, 0.2, 0.16]],
  ['Tower', [3.4, 0, -2], 4, [[0, 0.7], [2.4, 0.6], [2.4, 0.75], [3, 0.02]], [0.55, 0.6, 0.72]],
];

export function street(file) {
  const chunks = [];
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [...THINGS.map((_, i) => i), THINGS.length] }],
    nodes: THINGS.map(([name, translation], mesh) => ({ name, mesh, translation })),
    meshes: [],
    materials: [],
    accessors: [],
    bufferViews: [],
    cameras: [{ name: 'Train', type: 'perspective', perspective: { yfov: 0.6, znear: 0.1, zfar: 100, aspectRatio: 2 } }],
    animations: [
      {
        name: 'pass',
        samplers: [{ input: 0, output: 1, interpolation: 'LINEAR' }],
        channels: [{ sampler: 0, target: { node: THINGS.length, path: 'translation' } }],
      },
    ],
  };
  json.nodes.push({ name: 'Train', camera: 0, translation: [0, 1.1, 8] });
  const accessor = (array, type, size) => {
    const bytes = Buffer.from(array.buffer);
    const offset = chunks.reduce((sum, one) => sum + one.length, 0);
    json.bufferViews.push({ buffer: 0, byteOffset: offset, byteLength: bytes.length });
    chunks.push(bytes);
    const columns = Array.from({ length: size }, (_, c) => [...array].filter((_, i) => i % size === c));
    json.accessors.push({
      bufferView: json.bufferViews.length - 1,
      componentType: array instanceof Float32Array ? 5126 : 5125,
      count: array.length / size,
      type,
      min: columns.map((one) => one.reduce((a, b) => Math.min(a, b))),
      max: columns.map((one) => one.reduce((a, b) => Math.max(a, b))),
    });
    return json.accessors.length - 1;
  };
  accessor(new Float32Array([0, 1]), 'SCALAR', 1);
  accessor(new Float32Array([-4, 1.1, 8, 4, 1.1, 8]), 'VEC3', 3);
  for (const [name, , sides, profile, color] of THINGS) {
    const { positions, triangles } = turned(profile, sides);
    json.materials.push({ name, pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0 } });
    json.meshes.push({
      name,
      primitives: [
        {
          attributes: { POSITION: accessor(new Float32Array(positions), 'VEC3', 3) },
          indices: accessor(new Uint32Array(triangles), 'SCALAR', 1),
          material: json.materials.length - 1,
        },
      ],
    });
  }
  const all = Buffer.concat(chunks);
  json.buffers = [{ byteLength: all.length, uri: `data:application/octet-stream;base64,${all.toString('base64')}` }];
  fs.writeFileSync(file, JSON.stringify(json));
}
