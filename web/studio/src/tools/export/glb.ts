// A glTF file as JSON and bytes. Unknown contents (extensions, extras, textures, other scenes) are kept as they are.
// This is why the file is edited instead of being rebuilt from objects.
import { FileError } from '../../core/file_error';

/** The JSON of a file. Only the fields that are written have types. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a file may contain anything
export type Json = { [key: string]: any };

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const FLOAT = 5126;
const UINT32 = 5125;
const BYTE = 5120;
const VERTICES = 34962;
const INDICES = 34963;
const WIDTH: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const MAX_BYTES = 0xffffffff;

function bytesOfUri(uri: string): Uint8Array {
  const comma = uri.indexOf(',');
  const text = uri.slice(comma + 1);
  if (!/;base64$/i.test(uri.slice(0, comma))) return new TextEncoder().encode(decodeURIComponent(text));
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export class GltfFile {
  private readonly pieces: Uint8Array[] = [];
  private length = 0;
  /** Accessors of key times, by array: the channels of a clip share them. */
  private readonly inputs = new Map<Float32Array, number>();

  constructor(
    readonly json: Json,
    binary: Uint8Array | undefined,
  ) {
    const first: Json | undefined = json.buffers?.[0];
    if (first?.uri?.startsWith('data:')) binary = bytesOfUri(first.uri);
    else if (first && !binary) throw new FileError('The first buffer is not embedded in the file');
    if (first) delete first.uri;
    if (binary && first) this.append(binary.subarray(0, first.byteLength));
  }

  /** Reads a .glb, or a .gltf with embedded buffers. */
  static read(bytes: Uint8Array): GltfFile {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const decoder = new TextDecoder();
    if (bytes.length < 20 || view.getUint32(0, true) !== MAGIC)
      return new GltfFile(JSON.parse(decoder.decode(bytes)), undefined);
    let json: Json = {};
    let binary: Uint8Array | undefined;
    for (let at = 12; at + 8 <= bytes.length;) {
      const size = view.getUint32(at, true);
      const kind = view.getUint32(at + 4, true);
      const chunk = bytes.subarray(at + 8, at + 8 + size);
      if (kind === JSON_CHUNK) json = JSON.parse(decoder.decode(chunk));
      else if (kind === BINARY_CHUNK) binary ??= chunk;
      at += 8 + size;
    }
    return new GltfFile(json, binary);
  }

  // --- lists ---

  list(name: string): Json[] {
    return (this.json[name] ??= []);
  }

  /** Returns its index. */
  push(name: string, item: Json): number {
    return this.list(name).push(item) - 1;
  }

  get nodes(): Json[] {
    return this.list('nodes');
  }

  /** The default scene; a file without scenes gets one with all root nodes. */
  get scene(): Json {
    const scenes = this.list('scenes');
    if (!scenes.length) {
      const below = new Set(this.nodes.flatMap((node) => node.children ?? []));
      scenes.push({ nodes: this.nodes.map((_, i) => i).filter((i) => !below.has(i)) });
      this.json.scene = 0;
    }
    return scenes[this.json.scene ?? 0] ?? scenes[0];
  }

  declare(extension: string): void {
    const used: string[] = (this.json.extensionsUsed ??= []);
    if (!used.includes(extension)) used.push(extension);
  }

  // --- bytes ---

  private append(bytes: Uint8Array): number {
    const at = this.length;
    const pad = -bytes.length & 3;
    this.pieces.push(bytes);
    if (pad) this.pieces.push(new Uint8Array(pad));
    this.length += bytes.length + pad;
    return at;
  }

  private view(bytes: Uint8Array, target?: number, stride?: number): number {
    if (!this.list('buffers').length) this.push('buffers', {});
    const byteOffset = this.append(bytes);
    return this.push('bufferViews', {
      buffer: 0,
      byteOffset,
      byteLength: bytes.length,
      ...(stride && { byteStride: stride }),
      ...(target && { target }),
    });
  }

  private static bounds(values: ArrayLike<number>, width: number): { min: number[]; max: number[] } {
    const min = new Array<number>(width).fill(Infinity);
    const max = new Array<number>(width).fill(-Infinity);
    for (let i = 0; i < values.length; i++) {
      const k = i % width;
      if (values[i] < min[k]) min[k] = values[i];
      if (values[i] > max[k]) max[k] = values[i];
    }
    return { min, max };
  }

  private static bytes(array: Float32Array | Uint32Array | Int8Array): Uint8Array {
    return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  }

  /** Vertex attributes; `bounds` for positions. */
  vertices(values: Float32Array, type: string, bounds = false): number {
    const width = WIDTH[type];
    const bufferView = this.view(GltfFile.bytes(values), VERTICES);
    return this.push('accessors', {
      bufferView,
      componentType: FLOAT,
      type,
      count: values.length / width,
      ...(bounds && GltfFile.bounds(values, width)),
    });
  }

  /** Normalized signed bytes. */
  signed(values: Int8Array, type: string): number {
    return this.push('accessors', {
      bufferView: this.view(GltfFile.bytes(values), VERTICES),
      componentType: BYTE,
      normalized: true,
      type,
      count: values.length / WIDTH[type],
    });
  }

  triangles(values: Uint32Array): number {
    return this.push('accessors', {
      bufferView: this.view(GltfFile.bytes(values), INDICES),
      componentType: UINT32,
      type: 'SCALAR',
      count: values.length,
    });
  }

  /**
   * An accessor of zeros, which takes no space. Every target gets all attributes, because players disagree about
   * missing ones.
   */
  zeros(count: number, type = 'VEC3', like: Json = { componentType: FLOAT }): number {
    const nothing = new Array(WIDTH[type]).fill(0);
    return this.push('accessors', {
      componentType: like.componentType,
      ...(like.normalized && { normalized: true }),
      type,
      count,
      min: nothing,
      max: nothing,
    });
  }

  times(values: Float32Array): number {
    let index = this.inputs.get(values);
    if (index === undefined) {
      index = this.push('accessors', {
        bufferView: this.view(GltfFile.bytes(values)),
        componentType: FLOAT,
        type: 'SCALAR',
        count: values.length,
        ...GltfFile.bounds(values, 1),
      });
      this.inputs.set(values, index);
    }
    return index;
  }

  keys(values: Float32Array, type: string): number {
    return this.push('accessors', {
      bufferView: this.view(GltfFile.bytes(values)),
      componentType: FLOAT,
      type,
      count: values.length / WIDTH[type],
    });
  }

  // --- the whole file ---

  private dropEmpty(): void {
    for (const [name, value] of Object.entries(this.json))
      if (Array.isArray(value) && !value.length) delete this.json[name];
    for (const node of this.json.nodes ?? []) if (node.children && !node.children.length) delete node.children;
  }

  write(): Blob {
    this.dropEmpty();
    if (this.length) this.json.buffers[0].byteLength = this.length;
    const text = new TextEncoder().encode(JSON.stringify(this.json));
    const pad = -text.length & 3;
    const total = 20 + text.length + pad + (this.length ? 8 + this.length : 0);
    if (total > MAX_BYTES)
      throw new FileError(
        'The file would be larger than 4 GB',
        'Export fewer clips, lower the frame rate, or set a tolerance.',
      );
    const head = new Uint32Array([MAGIC, 2, total, text.length + pad, JSON_CHUNK]);
    const parts: Uint8Array[] = [GltfFile.bytes(head), text, new TextEncoder().encode(' '.repeat(pad))];
    if (this.length) parts.push(GltfFile.bytes(new Uint32Array([this.length, BINARY_CHUNK])), ...this.pieces);
    return new Blob(parts as BlobPart[], { type: 'model/gltf-binary' });
  }
}
