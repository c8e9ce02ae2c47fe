// The scene that all tools get: a body that bobs, turns and stops, and a tail of eight joints that no clip moves.
//
// Bones point along their own y, as in Blender. `base` is a stiff bone inside the body, one bone long, so that the first
// bone of the tail has an ordinary parent. Lengths are in meters, times the scale of a run.
import fs from 'node:fs';
import { makeGlb } from '../../tests/js/gltf_file.mjs';

export const DURATION_S = 2;
export const KEYS_PER_S = 60;
export const BONES = 8;
export const BONE = 1 / BONES; // the tail is one meter long
export const ROOT = [0, 1, -0.2]; // where the tail begins, from the middle between the feet
export const BASE = [0, 0, ROOT[2] + BONE]; // of the body
const HEIGHT = ROOT[1];
const SIDES = 12;
const RINGS_PER_BONE = 4;
const CAGE_SIDES = 4;
const RADIUS = 0.06;

const step = (x) => (x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x));

function bodyAtKey(key) {
  const t = (key % (DURATION_S * KEYS_PER_S)) / KEYS_PER_S;
  const turn = step((t - 0.3) / 0.5) - step((t - 1.2) / 0.6);
  return { y: HEIGHT + 0.05 * Math.sin(2 * Math.PI * t), yaw: (50 * turn - 25) * (Math.PI / 180) };
}

/** Height [m] and yaw [rad] of the body; between keys on straight lines. */
export function bodyAt(time) {
  const at = time * KEYS_PER_S;
  const key = Math.floor(at + 1e-9);
  const [a, b] = [bodyAtKey(key), bodyAtKey(key + 1)];
  const part = Math.max(0, at - key);
  return { y: a.y + part * (b.y - a.y), yaw: a.yaw + part * (b.yaw - a.yaw) };
}

/** Where the tip would be on a stiff tail. */
export function stiffTip(time) {
  const { y, yaw } = bodyAt(time);
  const z = ROOT[2] - BONES * BONE;
  return [z * Math.sin(yaw), y, z * Math.cos(yaw)];
}

/** The frames of a clip that is played in a loop: [clock, time in the clip, height, yaw]. */
export function frame(clock, time) {
  const { y, yaw } = bodyAt(time);
  return [clock, time, y, yaw];
}

export function playing(fps, cycles) {
  const count = Math.round(fps * DURATION_S * cycles) + 1;
  return Array.from({ length: count }, (_, i) => frame(i / fps, i / fps));
}

// A tube along -z; each ring hangs on the two bones nearest to it.
function tailMesh(sides, ringsPerBone) {
  const [positions, joints, weights, triangles] = [[], [], [], []];
  const rings = BONES * ringsPerBone;
  for (let ring = 0; ring <= rings; ring++) {
    const along = ring / ringsPerBone;
    const joint = Math.min(BONES - 1, Math.floor(along));
    const blend = joint > 0 ? Math.max(0, 0.5 - (along - joint)) : 0;
    const radius = RADIUS * (1 - (0.7 * ring) / rings);
    for (let side = 0; side < sides; side++) {
      const angle = (2 * Math.PI * side) / sides;
      positions.push([radius * Math.cos(angle), HEIGHT + radius * Math.sin(angle), ROOT[2] - along * BONE]);
      joints.push([2 + joint, blend > 0 ? 1 + joint : 0, 0, 0]);
      weights.push([1 - blend, blend, 0, 0]);
      if (ring === rings) continue;
      const [a, b] = [ring * sides + side, ring * sides + ((side + 1) % sides)];
      triangles.push(a, a + sides, b, b, a + sides, b + sides);
    }
  }
  return { positions, joints, weights, triangles };
}

function addBody(mesh) {
  const first = mesh.positions.length;
  const [rows, radius] = [9, 0.3];
  for (let row = 0; row < rows; row++) {
    const tilt = (Math.PI * (row + 0.5)) / rows - Math.PI / 2;
    for (let side = 0; side < SIDES; side++) {
      const angle = (2 * Math.PI * side) / SIDES;
      const flat = radius * Math.cos(tilt);
      mesh.positions.push([flat * Math.cos(angle), HEIGHT + radius * Math.sin(tilt), flat * Math.sin(angle)]);
      mesh.joints.push([0, 0, 0, 0]);
      mesh.weights.push([1, 0, 0, 0]);
      if (row === rows - 1) continue;
      const [a, b] = [first + row * SIDES + side, first + row * SIDES + ((side + 1) % SIDES)];
      mesh.triangles.push(a, a + SIDES, b, b, a + SIDES, b + SIDES);
    }
  }
}

/** The tail alone and coarse, for tools that simulate vertices; positions are relative to the body. */
export function tailCage() {
  const { positions, triangles } = tailMesh(CAGE_SIDES, 1);
  return { sides: CAGE_SIDES, triangles, positions: positions.map(([x, y, z]) => [x, y - HEIGHT, z]) };
}

export const TIP = { first: BONES * RINGS_PER_BONE * SIDES, count: SIDES }; // the last ring
export const TAIL_VERTICES = TIP.first + TIP.count;

class Binary {
  constructor() {
    this.parts = [];
    this.size = 0;
    this.accessors = [];
    this.views = [];
  }

  add(array, type, width, extra = {}) {
    const bytes = Buffer.from(array.buffer);
    const componentType = array instanceof Float32Array ? 5126 : array instanceof Uint32Array ? 5125 : 5121;
    this.views.push({ buffer: 0, byteOffset: this.size, byteLength: bytes.length });
    this.accessors.push({ bufferView: this.views.length - 1, componentType, count: array.length / width, type, ...extra });
    this.parts.push(bytes, Buffer.alloc(-bytes.length & 3));
    this.size += bytes.length + (-bytes.length & 3);
    return this.accessors.length - 1;
  }
}

function nodes(scale) {
  const down = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // own y to -z
  const list = [
    { name: 'body', translation: [0, HEIGHT * scale, 0], children: [1] },
    { name: 'base', translation: BASE.map((x) => x * scale), rotation: down, children: [2] },
  ];
  for (let i = 0; i < BONES; i++) {
    list.push({ name: `tail${i + 1}`, translation: [0, BONE * scale, 0], ...(i < BONES - 1 && { children: [i + 3] }) });
  }
  return list;
}

function inverseBinds(scale) {
  const list = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -HEIGHT * scale, 0, 1]];
  for (let i = 0; i <= BONES; i++) {
    const z = (BASE[2] - i * BONE) * scale; // world from joint: x to x, y to -z, z to y, at (0, HEIGHT, z)
    list.push([1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, z, -HEIGHT * scale, 1]);
  }
  return list;
}

/** The character and its clip as a .glb. */
export function writeScene(file, scale) {
  const mesh = tailMesh(SIDES, RINGS_PER_BONE);
  addBody(mesh);
  const positions = mesh.positions.map((p) => p.map((x) => x * scale));
  const bounds = (pick) => [0, 1, 2].map((axis) => Math.fround(pick(...positions.map((p) => p[axis]))));
  const keys = Array.from({ length: DURATION_S * KEYS_PER_S + 1 }, (_, key) => bodyAtKey(key));
  const binary = new Binary();
  const attributes = {
    POSITION: binary.add(new Float32Array(positions.flat()), 'VEC3', 3, { min: bounds(Math.min), max: bounds(Math.max) }),
    JOINTS_0: binary.add(new Uint8Array(mesh.joints.flat()), 'VEC4', 4),
    WEIGHTS_0: binary.add(new Float32Array(mesh.weights.flat()), 'VEC4', 4),
  };
  const indices = binary.add(new Uint32Array(mesh.triangles), 'SCALAR', 1);
  const binds = binary.add(new Float32Array(inverseBinds(scale).flat()), 'MAT4', 16);
  const times = binary.add(new Float32Array(keys.map((_, key) => key / KEYS_PER_S)), 'SCALAR', 1, { min: [0], max: [DURATION_S] });
  const moves = binary.add(new Float32Array(keys.flatMap(({ y }) => [0, y * scale, 0])), 'VEC3', 3);
  const turns = binary.add(new Float32Array(keys.flatMap(({ yaw }) => [0, Math.sin(yaw / 2), 0, Math.cos(yaw / 2)])), 'VEC4', 4);
  const joints = nodes(scale);
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, joints.length] }],
    nodes: [...joints, { name: 'skin', mesh: 0, skin: 0 }],
    meshes: [{ primitives: [{ attributes, indices }] }],
    skins: [{ joints: joints.map((_, i) => i), inverseBindMatrices: binds }],
    animations: [{
      name: 'turns', samplers: [{ input: times, output: moves }, { input: times, output: turns }],
      channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }, { sampler: 1, target: { node: 0, path: 'rotation' } }],
    }],
    buffers: [{ byteLength: binary.size }], bufferViews: binary.views, accessors: binary.accessors,
  };
  fs.writeFileSync(file, makeGlb(json, Buffer.concat(binary.parts)));
}
