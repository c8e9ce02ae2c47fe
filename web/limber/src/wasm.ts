// The raw WASM module: its functions over numbers and pointers (web/wasm/*.c), its memory, and how to load it.

/** All exported functions. They take and return numbers. */
// prettier-ignore
const NAMES = [
  'memory_allocate', 'memory_free', 'error_result', 'error_text', 'version',
  'builder_create', 'builder_destroy', 'builder_allocate', 'builder_counts', 'builder_rig', 'builder_skin',
  'builder_mesh', 'builder_color', 'builder_surface', 'builder_influences', 'builder_mesh_counts', 'builder_morph', 'builder_layer',
  'builder_clip', 'builder_channel', 'builder_camera_node', 'builder_camera', 'builder_finish',
  'character_from_bvh', 'character_subdivide', 'character_destroy', 'character_count', 'character_size',
  'character_name', 'character_fits', 'character_rig', 'character_rest', 'skin_joint_count', 'skin_array', 'mesh_number',
  'mesh_array', 'character_texture', 'layer_name', 'layer_values', 'layer_paint',
  'clip_of_character', 'clip_of_pipeline', 'clip_source_time', 'clip_performance', 'clip_number', 'clip_name', 'channel_number', 'channel_array',
  'contacts_create', 'contacts_of_pipeline', 'contacts_destroy', 'contacts_count', 'contacts_level', 'contacts_number', 'contacts_evaluate',
  'rigid_create', 'rigid_destroy', 'rigid_is_on', 'rigid_count', 'rigid_name', 'rigid_number', 'rigid_of_vertex',
  'stretch_count', 'stretch_number', 'stretch_array',
  'style_create', 'style_destroy', 'style_read', 'style_set', 'style_text',
  'key_count', 'key_text', 'key_number', 'preset_count', 'preset_text',
  'pipeline_create', 'pipeline_restyle', 'pipeline_destroy', 'pipeline_warning_count', 'pipeline_warning',
  'pipeline_has', 'pipeline_outputs', 'pipeline_variant', 'pipeline_repaint', 'pipeline_pose', 'pipeline_run',
  'pipeline_smear', 'pipeline_what_if', 'pipeline_array', 'pipeline_colliders', 'pipeline_smear_mesh_count', 'pipeline_smear_mesh_number', 'pipeline_smear_mesh_name', 'pipeline_smear_mesh_array',
  'smear_create', 'smear_destroy', 'smear_number', 'smear_formulas', 'smear_fixed', 'smear_reset', 'smear_push', 'smear_frame', 'smear_mesh', 'smear_triangles',
  'live_create', 'live_destroy', 'live_array', 'live_push', 'live_reset', 'live_smears', 'live_smear', 'live_ground',
  'pack_open', 'pack_defines', 'pack_settings', 'pack_number', 'pack_joints', 'pack_obeyed', 'pack_frame', 'pack_array',
  'crowd_create', 'crowd_destroy', 'crowd_evaluate', 'crowd_gather', 'crowd_time', 'crowd_prepare', 'crowd_number',
  'crowd_array', 'crowd_kind_number', 'crowd_warning', 'crowd_defines', 'crowd_write',
  'bake_create', 'bake_destroy', 'bake_kind', 'bake_error', 'bake_helpers', 'bake_bone_count', 'bake_bone_number',
  'bake_bone_axes', 'bake_curve_key_count', 'bake_curve_array', 'bake_track_count', 'bake_track_number', 'bake_track_times',
  'bake_target_count', 'bake_array', 'bake_weights', 'bake_smear_mesh_count', 'bake_smear_mesh_name',
  'bake_smear_mesh_number', 'bake_smear_mesh_array', 'bake_smear_mesh_track', 'bake_piece_number', 'bake_piece_triangles',
] as const;
type Name = (typeof NAMES)[number];

export type Wasm = Record<Name, (...args: number[]) => number> & { memory: WebAssembly.Memory };

const RESULTS = ['ok', 'memory', 'argument', 'data', 'unsupported', 'limit', 'file'] as const;

/** What is wrong, and where: a place in the style ("line 4, column 12 (effects.floppy.angular)"), a mesh or a joint. */
export class LimberError extends Error {
  /** `memory`, `argument`, `data` (malformed), `unsupported` or `limit`. */
  readonly kind: (typeof RESULTS)[number];
  /** The place; may be empty. */
  readonly place: string;
  /** More lines for display, such as a formula with a caret under the error; often empty. */
  readonly detail: string;

  /** What the package throws; `place` is put before the message. */
  constructor(message: string, kind: (typeof RESULTS)[number] = 'argument', place = '', detail = '') {
    super(place ? `${place}: ${message}` : message);
    this.name = 'LimberError';
    this.kind = kind;
    this.place = place;
    this.detail = detail;
  }
}

/** Addresses of the upper two gigabytes come out of the module as negative numbers. */
const unsigned = (pointer: number): number => pointer >>> 0;
const MOST_BYTES = 0xffffffff; // that many a 32-bit module can name

function put(into: Float32Array | Uint32Array | Uint16Array, values: ArrayLike<number>, at: number): void {
  try {
    into.set(values, at);
  } catch {
    throw new LimberError('an array holds something that is not a number', 'data');
  }
}

/**
 * The memory of the module. Views of it become invalid when it grows, so every access renews its view if necessary, and
 * everything returned is a copy.
 */
export class Heap {
  private bytes: Uint8Array;
  private floats: Float32Array;
  private words: Uint32Array;
  private readonly decoder = new TextDecoder();
  private readonly encoder = new TextEncoder();

  /** Whether this is the light module, which has no vertices on the CPU. */
  readonly light: boolean;

  constructor(readonly wasm: Wasm) {
    this.light = isMissing(wasm.pipeline_run);
    this.bytes = new Uint8Array(wasm.memory.buffer);
    this.floats = new Float32Array(wasm.memory.buffer);
    this.words = new Uint32Array(wasm.memory.buffer);
  }

  private renew(): void {
    const buffer = this.wasm.memory.buffer;
    if (this.bytes.buffer === buffer) return;
    this.bytes = new Uint8Array(buffer);
    this.floats = new Float32Array(buffer);
    this.words = new Uint32Array(buffer);
  }

  /** Allocates memory; release it with `free`. */
  allocate(bytes: number): number {
    const pointer = bytes <= MOST_BYTES ? unsigned(this.wasm.memory_allocate(bytes)) : 0;
    if (!pointer) throw new LimberError(`not enough memory for ${bytes} bytes`, 'memory');
    return pointer;
  }

  free(pointer: number): void {
    this.wasm.memory_free(pointer);
  }

  writeFloats(pointer: number, values: ArrayLike<number>): void {
    this.renew();
    put(this.floats, values, pointer >>> 2);
  }

  /** Writes floats if they differ from what is there; returns whether anything changed. */
  renewFloats(pointer: number, values: ArrayLike<number>): boolean {
    this.renew();
    const { floats } = this;
    const at = pointer >>> 2;
    let first = 0;
    while (first < values.length && floats[at + first] === Math.fround(values[first])) first++;
    if (first === values.length) return false;
    put(floats, values, at);
    return true;
  }

  writeWords(pointer: number, values: ArrayLike<number>): void {
    this.renew();
    put(this.words, values, pointer >>> 2);
  }

  writeHalves(pointer: number, values: ArrayLike<number>): void {
    put(new Uint16Array(this.wasm.memory.buffer, unsigned(pointer), values.length), values, 0);
  }

  writeBytes(pointer: number, values: Uint8Array): void {
    this.renew();
    this.bytes.set(values, unsigned(pointer));
  }

  /** Allocates a zero-terminated string. */
  allocateText(text: string): { pointer: number; length: number } {
    const encoded = this.encoder.encode(text);
    const pointer = this.allocate(encoded.length + 1);
    this.writeBytes(pointer, encoded);
    this.bytes[pointer + encoded.length] = 0;
    return { pointer, length: encoded.length };
  }

  encode(text: string): Uint8Array {
    return this.encoder.encode(text);
  }

  /** Copies floats out of the module, into `out` if given. */
  readFloats(pointer: number, count: number, out?: Float32Array): Float32Array {
    this.renew();
    const at = pointer >>> 2;
    const view = this.floats.subarray(at, at + count);
    if (!out) return view.slice();
    if (out.length < count) throw new LimberError(`the array has room for ${out.length} numbers, but needs ${count}`);
    out.set(view);
    return out;
  }

  readFloat(pointer: number): number {
    this.renew();
    return this.floats[pointer >>> 2];
  }

  readWords(pointer: number, count: number): Uint32Array {
    this.renew();
    return this.words.slice(pointer >>> 2, (pointer >>> 2) + count);
  }

  readHalves(pointer: number, count: number, out?: Uint16Array | Int16Array): Uint16Array {
    const view = new Uint16Array(this.wasm.memory.buffer, unsigned(pointer), count);
    if (!out) return view.slice();
    out.set(view);
    return out as Uint16Array;
  }

  readBytes(pointer: number, count: number): Uint8Array {
    this.renew();
    return this.bytes.slice(unsigned(pointer), unsigned(pointer) + count);
  }

  text(pointer: number): string {
    this.renew();
    if (!pointer) return '';
    const at = unsigned(pointer);
    return this.decoder.decode(this.bytes.subarray(at, this.bytes.indexOf(0, at)));
  }

  /** The error that the last failed call left behind. */
  error(): LimberError {
    const { error_result, error_text } = this.wasm;
    const kind = RESULTS[error_result()] ?? 'argument';
    return new LimberError(this.text(error_text(1)), kind, this.text(error_text(0)), this.text(error_text(2)));
  }

  /** Throws unless the limber_result is LIMBER_OK. */
  check(result: number): void {
    if (result) throw this.error();
  }

  /** Throws if the handle is 0. */
  handle(pointer: number): number {
    if (!pointer) throw this.error();
    return unsigned(pointer);
  }
}

/** Where to load the module from: bytes, a compiled module, a URL, or a pending response. */
export type WasmSource =
  | ArrayBuffer
  | Uint8Array
  | WebAssembly.Module
  | URL
  | string
  | Response
  | PromiseLike<ArrayBuffer | Uint8Array | WebAssembly.Module | Response>;

const isNode = (): boolean => {
  const process = (globalThis as { process?: { versions?: { node?: string } } }).process;
  return typeof process?.versions?.node === 'string';
};

async function bytesOfFile(url: URL): Promise<Uint8Array> {
  const name = 'node:fs/promises'; // not a literal, so that bundlers for browsers do not try to resolve it
  const files = await import(/* @vite-ignore */ /* webpackIgnore: true */ name);
  return files.readFile(url);
}

async function bytesOfResponse(response: Response): Promise<Uint8Array> {
  if (!response.ok) throw new LimberError(`${response.url}: status ${response.status}`, 'file');
  return new Uint8Array(await response.arrayBuffer());
}

/** Many servers answer with an HTML page if a file does not exist. */
function isWasm(bytes: Uint8Array): boolean {
  return bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
}

async function bytesOfUrl(url: URL): Promise<Uint8Array> {
  return url.protocol === 'file:' && isNode() ? bytesOfFile(url) : bytesOfResponse(await fetch(url));
}

let inlined: (() => Uint8Array) | undefined;

/** Uses these bytes instead of a file; called by limber/inline. */
export function offerBytes(bytes: () => Uint8Array): void {
  inlined = bytes;
}

/** Vite's development server moves scripts of packages into a folder of its own, but not what lies next to them. */
function placesOf(name: string, beside: URL): URL[] {
  const moved = beside.pathname.indexOf('/.vite/deps/');
  if (moved < 0) return [beside];
  return [new URL(`${beside.pathname.slice(0, moved)}/limber/dist/${name}`, beside), beside];
}

/** A file next to this script, as bundlers and browsers know it. */
export async function bytesBeside(name: string, beside: URL): Promise<Uint8Array> {
  for (const place of placesOf(name, beside))
    try {
      const bytes = await bytesOfUrl(place);
      if (isWasm(bytes)) return bytes;
    } catch {
      // said below
    }
  throw new LimberError(
    `there is no ${name} at ${beside.href}: put it there, give its address to createEngine(), or import 'limber/inline'`,
    'file',
  );
}

async function resolveSource(source?: WasmSource): Promise<Uint8Array | ArrayBuffer | WebAssembly.Module> {
  const given = await source;
  if (given === undefined)
    return inlined ? inlined() : bytesBeside('limber.wasm', new URL('./limber.wasm', import.meta.url));
  if (typeof given === 'string' || given instanceof URL) {
    const base = (globalThis as { location?: { href: string } }).location?.href ?? import.meta.url;
    return bytesOfUrl(new URL(given, base));
  }
  if (typeof Response !== 'undefined' && given instanceof Response) return bytesOfResponse(given);
  return given as Uint8Array | ArrayBuffer | WebAssembly.Module;
}

async function start(source?: WasmSource): Promise<WebAssembly.Instance> {
  const code = await resolveSource(source);
  if (code instanceof WebAssembly.Module) return WebAssembly.instantiate(code, {});
  return (await WebAssembly.instantiate(code as BufferSource, {})).instance;
}

/** What the light module leaves out: the functions say so. */
const missing = new WeakSet<object>();

const isMissing = (call: object): boolean => missing.has(call);

/** What a function is for, by its name. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^bake/, 'bakes'],
  [/^crowd/, 'crowds'],
  [/smear/, 'smears'],
  [/colliders/, 'colliders'],
  [/^(contacts|rigid)/, 'contacts and rigid parts'],
  [/^(clip|channel|stretch)/, 'clips'],
  [/^layer/, 'layers that paint themselves'],
  [/^character/, 'characters from files'],
  [/^key/, 'table of keys'],
  [/^/, 'vertices on the CPU'],
];

function complete(exports: Partial<Wasm>): Wasm {
  const all = { ...exports };
  for (const name of NAMES)
    if (!all[name]) {
      const call = (): number => {
        const what = PARTS.find(([names]) => names.test(name))![1];
        throw new LimberError(`limber/light has no ${what}; use the whole module`, 'unsupported');
      };
      missing.add(call);
      all[name] = call;
    }
  return all as Wasm;
}

export async function instantiate(source?: WasmSource): Promise<Wasm> {
  let wasm: Wasm;
  try {
    wasm = (await start(source)).exports as unknown as Wasm;
  } catch (error) {
    if (error instanceof LimberError) throw error;
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new LimberError(`the WASM module could not be loaded: ${reason}`, 'file');
  }
  if (!wasm.memory || !wasm.pipeline_create || !wasm.version)
    throw new LimberError('this is not the WASM module of limber', 'file');
  return complete(wasm);
}
