// Takes Draco's compression out of a .glb, off the page's thread: meshes are unpacked in place, everything else stays.
import createDraco from 'three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js';
import type { Draco } from 'three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js';
import moduleUrl from 'three/examples/jsm/libs/draco/gltf/draco_decoder.wasm?url';
import { readGlb, writeGlb } from './glb';
import type { Gltf } from './glb';

const NAME = 'KHR_draco_mesh_compression';
const SIZES: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const TYPES: Record<number, { bytes: number; draco: keyof Draco }> = {
  5120: { bytes: 1, draco: 'DT_INT8' },
  5121: { bytes: 1, draco: 'DT_UINT8' },
  5122: { bytes: 2, draco: 'DT_INT16' },
  5123: { bytes: 2, draco: 'DT_UINT16' },
  5125: { bytes: 4, draco: 'DT_UINT32' },
  5126: { bytes: 4, draco: 'DT_FLOAT32' },
};

interface Packed {
  bufferView: number;
  attributes: Record<string, number>;
}

/** Bytes that are added to the end of a buffer. */
class Added {
  readonly parts: Uint8Array[] = [];
  constructor(
    private readonly json: Gltf,
    private size: number,
  ) {}

  /** Makes an accessor point at these bytes. */
  put(accessor: number, bytes: Uint8Array, count: number): void {
    const { accessors = [], bufferViews = [] } = this.json;
    const one = accessors[accessor];
    if (!one) throw new Error('it refers to an accessor that is not there');
    bufferViews.push({ buffer: 0, byteOffset: this.size, byteLength: bytes.length });
    Object.assign(one, { bufferView: bufferViews.length - 1, byteOffset: 0, count });
    const rest = (4 - (bytes.length % 4)) % 4;
    this.parts.push(bytes, new Uint8Array(rest));
    this.size += bytes.length + rest;
  }
}

/** Packing rounds: the bounds of what is unpacked. */
function boundsOf(bytes: Uint8Array): { min: number[]; max: number[] } {
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  values.forEach((value, i) => {
    min[i % 3] = Math.min(min[i % 3], value);
    max[i % 3] = Math.max(max[i % 3], value);
  });
  return { min, max };
}

/** What a function of Draco writes into its memory. */
function written(draco: Draco, size: number, write: (pointer: number) => boolean): Uint8Array {
  const pointer = draco._malloc(size);
  try {
    if (!write(pointer)) throw new Error('its meshes are damaged');
    return draco.HEAPU8.slice(pointer, pointer + size);
  } finally {
    draco._free(pointer);
  }
}

function unpack(draco: Draco, json: Gltf, bin: Uint8Array, added: Added): void {
  for (const primitive of (json.meshes ?? []).flatMap((mesh) => mesh.primitives)) {
    const packed = primitive.extensions?.[NAME] as Packed | undefined;
    if (!packed) continue;
    const view = json.bufferViews?.[packed.bufferView];
    if (!view || view.buffer !== 0) throw new Error('its packed meshes are missing');
    const from = view.byteOffset ?? 0;
    const bytes = new Int8Array(bin.slice(from, from + view.byteLength).buffer);
    const decoder = new draco.Decoder();
    const mesh = new draco.Mesh();
    try {
      const status = decoder.DecodeArrayToMesh(bytes, bytes.length, mesh);
      if (!status.ok()) throw new Error(`its meshes are damaged: ${status.error_msg()}`);
      const points = mesh.num_points();
      for (const [name, id] of Object.entries(packed.attributes)) {
        const accessor = json.accessors?.[primitive.attributes[name]];
        const type = accessor && TYPES[accessor.componentType];
        const attribute = decoder.GetAttributeByUniqueId(mesh, id);
        if (!type || !attribute.ptr) throw new Error(`it has no ${name}`);
        const size = points * SIZES[accessor.type] * type.bytes;
        const values = written(draco, size, (to) =>
          decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, draco[type.draco] as number, size, to),
        );
        added.put(primitive.attributes[name], values, points);
        if (name === 'POSITION') Object.assign(accessor, boundsOf(values));
      }
      const indices = 3 * mesh.num_faces();
      if (primitive.indices === undefined) throw new Error('its packed meshes have no indices');
      const list = written(draco, 4 * indices, (to) => decoder.GetTrianglesUInt32Array(mesh, 4 * indices, to));
      added.put(primitive.indices, list, indices);
      Object.assign(json.accessors![primitive.indices], { componentType: 5125, min: undefined, max: undefined });
    } finally {
      draco.destroy(mesh);
      draco.destroy(decoder);
    }
    delete primitive.extensions![NAME];
  }
}

async function withoutDraco(bytes: Uint8Array): Promise<Uint8Array> {
  const { json, bin } = readGlb(bytes);
  const draco = await createDraco({ wasmBinary: await (await fetch(moduleUrl)).arrayBuffer() });
  const start = 4 * Math.ceil(bin.length / 4);
  const added = new Added(json, start);
  unpack(draco, json, bin, added);
  const whole = new Uint8Array(
    await new Blob([bin as BlobPart, new Uint8Array(start - bin.length), ...(added.parts as BlobPart[])]).arrayBuffer(),
  );
  json.buffers![0].byteLength = whole.length;
  for (const key of ['extensionsUsed', 'extensionsRequired'] as const) {
    json[key] = json[key]?.filter((one) => one !== NAME);
    if (!json[key]?.length) delete json[key];
  }
  return writeGlb(json, whole);
}

self.onmessage = async ({ data }: MessageEvent<Uint8Array>) => {
  const answer = (message: unknown) => (self as unknown as Worker).postMessage(message);
  try {
    answer({ glb: await withoutDraco(data) });
  } catch (error) {
    answer({ error: (error as Error).message });
  }
};
