// A .glb as a description for the engine, by the rules of limber's own reader (io/gltf/read_*.c): for tests.
import fs from 'node:fs';

const JSON_CHUNK = 0x4e4f534a;
const KINDS = {
  5120: Int8Array,
  5121: Uint8Array,
  5122: Int16Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
};
const LIMITS = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

export function readChunks(file) {
  const bytes = fs.readFileSync(file);
  let json, binary;
  for (let at = 12; at < bytes.length; at += 8 + bytes.readUInt32LE(at)) {
    const chunk = bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at));
    if (bytes.readUInt32LE(at + 4) === JSON_CHUNK) json = JSON.parse(chunk.toString('utf8'));
    else binary = chunk;
  }
  return { json, binary };
}

function readAccessor({ json, binary }, index) {
  const accessor = json.accessors[index];
  const Kind = KINDS[accessor.componentType];
  const width = WIDTHS[accessor.type];
  const size = Kind.BYTES_PER_ELEMENT;
  const count = accessor.count;
  const out = new (accessor.normalized ? Float32Array : Kind)(count * width);
  const view = json.bufferViews[accessor.bufferView];
  const stride = view.byteStride ?? size * width;
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  for (let i = 0; i < count; i++) {
    const bytes = Uint8Array.prototype.slice.call(binary, start + i * stride, start + i * stride + size * width);
    const row = new Kind(bytes.buffer, bytes.byteOffset, width);
    for (let k = 0; k < width; k++)
      out[i * width + k] = accessor.normalized ? Math.max(row[k] / LIMITS[accessor.componentType], -1) : row[k];
  }
  return out;
}

function joined(Kind, arrays) {
  const out = new Kind(arrays.reduce((n, a) => n + a.length, 0));
  arrays.reduce((at, a) => (out.set(a, at), at + a.length), 0);
  return out;
}

// Colors may have no opacity.
function fourths(colors, count) {
  if (!colors || colors.length === 4 * count) return colors;
  return Float32Array.from({ length: 4 * count }, (_, i) => (i % 4 === 3 ? 1 : colors[3 * (i >> 2) + (i % 4)]));
}

// All primitives of a mesh, in order.
function readMesh(glb, index, cache) {
  const mesh = glb.json.meshes[index];
  const get = (accessor) => {
    if (!cache.has(accessor)) cache.set(accessor, readAccessor(glb, accessor));
    return cache.get(accessor);
  };
  const every = (name, Kind = Float32Array) =>
    mesh.primitives.every((p) => p.attributes[name] !== undefined)
      ? joined(
          Kind,
          mesh.primitives.map((p) => get(p.attributes[name])),
        )
      : undefined;
  let first = 0;
  const triangles = joined(
    Uint32Array,
    mesh.primitives.map((p) => {
      const count = glb.json.accessors[p.attributes.POSITION].count;
      const indices = p.indices === undefined ? Uint32Array.from({ length: count }, (_, i) => i) : get(p.indices);
      const moved = Uint32Array.from(indices, (i) => i + first);
      first += count;
      return moved;
    }),
  );
  const names = Object.keys(mesh.primitives[0].attributes).filter((name) => name.startsWith('_LIMBER_'));
  const targets = mesh.primitives[0].targets ?? [];
  return {
    name: mesh.name,
    positions: every('POSITION'),
    normals: every('NORMAL'),
    uvs: every('TEXCOORD_0'),
    triangles,
    colors: fourths(every('COLOR_0'), first),
    joints: every('JOINTS_0', Uint16Array),
    weights: every('WEIGHTS_0'),
    layers: Object.fromEntries(names.map((name) => [name.slice('_LIMBER_'.length).toLowerCase(), every(name)])),
    morphs: targets.map((_, t) => ({
      positions: joined(
        Float32Array,
        mesh.primitives.map((p) => get(p.targets[t].POSITION)),
      ),
      normals:
        targets[t].NORMAL === undefined
          ? undefined
          : joined(
              Float32Array,
              mesh.primitives.map((p) => get(p.targets[t].NORMAL)),
            ),
    })),
    morphDefaults: targets.length ? (mesh.weights ?? targets.map(() => 0)) : undefined,
  };
}

function findParents(json) {
  const parents = json.nodes.map(() => -1);
  json.nodes.forEach((node, i) => (node.children ?? []).forEach((child) => (parents[child] = i)));
  return parents;
}

// The nodes of the scene, depth first.
function findOrder(json) {
  const order = [];
  const pending = [...json.scenes[json.scene ?? 0].nodes].reverse();
  while (pending.length) {
    const node = pending.pop();
    order.push(node);
    pending.push(...[...(json.nodes[node].children ?? [])].reverse());
  }
  return order;
}

export function readGlb(file) {
  const glb = readChunks(file);
  const { json } = glb;
  const cache = new Map();
  const parents = findParents(json);
  const order = findOrder(json);
  const shown = order
    .filter((n) => json.nodes[n].mesh !== undefined)
    .sort((a, b) => json.nodes[a].mesh - json.nodes[b].mesh || a - b);
  const marked = new Set();
  const mark = (node) => {
    for (; node >= 0 && !marked.has(node); node = parents[node]) marked.add(node);
  };
  for (const n of shown) (json.nodes[n].skin === undefined ? [n] : json.skins[json.nodes[n].skin].joints).forEach(mark);
  const jointNodes = order.filter((n) => marked.has(n));
  const jointOf = new Map(jointNodes.map((n, i) => [n, i]));
  const transform = ({ translation, rotation, scale }) => ({ translation, rotation, scale });
  const joints = jointNodes.map((n) => ({
    name: json.nodes[n].name ?? '',
    parent: parents[n] < 0 ? -1 : jointOf.get(parents[n]),
    ...transform(json.nodes[n]),
  }));
  const skins = [];
  const skinOf = new Map();
  const meshes = shown.map((n) => {
    const { skin, mesh } = json.nodes[n];
    const key = skin === undefined ? `node ${n}` : skin;
    if (!skinOf.has(key)) {
      skinOf.set(key, skins.length);
      const source = json.skins?.[skin];
      skins.push(
        source
          ? {
              joints: source.joints.map((j) => jointOf.get(j)),
              inverseBindMatrices: readAccessor(glb, source.inverseBindMatrices),
            }
          : { joints: [jointOf.get(n)], inverseBindMatrices: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] },
      );
    }
    const description = readMesh(glb, mesh, cache);
    if (skin === undefined) delete description.joints;
    return { ...description, skin: skinOf.get(key) };
  });
  const cameraNodes = [];
  const cameraOf = new Map();
  const cameras = [];
  for (const n of order) {
    if (json.nodes[n].camera === undefined || jointOf.has(n)) continue;
    cameraOf.set(n, cameraNodes.length);
    cameras.push({ name: json.nodes[n].name, node: cameraNodes.length });
    cameraNodes.push({
      parent: cameraOf.get(parents[n]) ?? -1,
      joint: jointOf.get(parents[n]) ?? -1,
      ...transform(json.nodes[n]),
    });
  }
  const clips = (json.animations ?? []).map((animation) => {
    const clip = { name: animation.name, channels: [], cameraChannels: [] };
    for (const { target, sampler } of animation.channels) {
      const weights = target.path === 'weights';
      const of = weights ? shown.indexOf(target.node) : (jointOf.get(target.node) ?? -1);
      const camera = cameraOf.get(target.node) ?? -1;
      if (of < 0 && camera < 0) continue;
      const { input, output, interpolation } = animation.samplers[sampler];
      if (!cache.has(input)) cache.set(input, readAccessor(glb, input));
      (of < 0 ? clip.cameraChannels : clip.channels).push({
        path: target.path,
        target: of < 0 ? camera : of,
        times: cache.get(input),
        values: readAccessor(glb, output),
        interpolation: { STEP: 'step', CUBICSPLINE: 'cubic' }[interpolation] ?? 'linear',
      });
    }
    return clip;
  });
  return { joints, skins, meshes, clips, cameraNodes, cameras };
}
