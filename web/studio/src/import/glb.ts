// .glb files as their two parts: JSON and bytes.

export interface Gltf {
  buffers?: { uri?: string; byteLength: number }[];
  bufferViews?: {
    buffer: number;
    byteOffset?: number;
    byteLength: number;
    extensions?: Record<string, { buffer: number; byteOffset?: number }>;
  }[];
  accessors?: {
    bufferView?: number;
    byteOffset?: number;
    componentType: number;
    type: string;
    count: number;
    min?: number[];
    max?: number[];
  }[];
  meshes?: {
    primitives: { attributes: Record<string, number>; indices?: number; extensions?: Record<string, unknown> }[];
  }[];
  images?: { uri?: string; bufferView?: number; mimeType?: string }[];
  nodes?: { name?: string; extras?: Record<string, unknown> }[];
  extensionsUsed?: string[];
  extensionsRequired?: string[];
}

const GLTF = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

const padded = (size: number): number => 4 * Math.ceil(size / 4);

export function readGlb(bytes: Uint8Array): { json: Gltf; bin: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length))) as Gltf;
  const from = 20 + length;
  const bin = from + 8 <= bytes.length ? bytes.subarray(from + 8, from + 8 + view.getUint32(from, true)) : undefined;
  return { json, bin: bin ?? new Uint8Array() };
}

export function writeGlb(json: Gltf, bin: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const [head, body] = [padded(text.length), padded(bin.length)];
  const out = new Uint8Array(28 + head + body);
  const view = new DataView(out.buffer);
  [GLTF, 2, out.length, head, JSON_CHUNK].forEach((word, i) => view.setUint32(4 * i, word, true));
  out.fill(0x20, 20, 20 + head).set(text, 20);
  view.setUint32(20 + head, body, true);
  view.setUint32(24 + head, BIN_CHUNK, true);
  out.set(bin, 28 + head);
  return out;
}
