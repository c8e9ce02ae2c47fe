// Many characters at once: one call of the module poses all of them (limber/crowd.h).
import * as check from './check.js';
import type { ClipInfo, MeshInfo } from './info.js';
import { SETTINGS } from './pack.js';
import { withStyle } from './style.js';
import type { StyleSource } from './style.js';
import { LimberError } from './wasm.js';
import type { Heap } from './wasm.js';

/** The part of a `Character` that a crowd uses. */
export interface CrowdCharacter {
  /** @internal */ readonly heap: Heap;
  /** @internal */ readonly handle: number;
  /** @internal */ readonly crowds: Set<Crowd>;
  readonly vertexCount: number;
  readonly meshes: readonly MeshInfo[];
  readonly clips: readonly ClipInfo[];
  clipIndex(clip: number | string): number;
}

/** A character in a style. */
export interface CrowdKind {
  character: CrowdCharacter;
  /** Default: plain skinning. */
  style?: StyleSource;
}

/** A member of a crowd: what it does at which time. */
export interface CrowdMember {
  /** Index of its kind. Default: 0. */
  kind?: number;
  /** Name or index of its clip; -1 is the rest pose. */
  clip: number | string;
  /** Its time in the clip when the clock is 0, in seconds from the clip's start. Default: 0. */
  start?: number;
  /** Of its time: 1 (default) is as animated, negative numbers run backwards. */
  speed?: number;
  /** It is computed in every n-th frame only. 0 and 1 (default): in every frame; Infinity: it is left out. */
  every?: number;
}

/** What a crowd computes: matrices of joints, texels for the shader, or vertices. */
export type CrowdOutput = 'palettes' | 'texels' | 'positions' | 'normals';

/** What `engine.crowd` can be told. */
export interface CrowdOptions {
  /** The most members that a frame may have. */
  limit: number;
  /** What to compute. Default: positions and normals. With texels, `normals` means that they follow the effects. */
  outputs?: readonly CrowdOutput[];
  /**
   * Times are rounded to multiples of it, so that more members share a moment and are computed only once. 0 (default):
   * they stay as they are.
   */
  step?: number;
}

/** What a call of `Crowd.evaluate` has computed. */
export interface CrowdFrame {
  /** How many members were computed. The others share a moment with one of them, or were not due. */
  computed: number;
  /** Per member: the member that has its numbers; often itself. */
  sameAs: Uint32Array;
  /** Per member: 1 if its own numbers were written in this frame. */
  changed: Uint8Array;
}

const OUTPUTS: readonly CrowdOutput[] = ['palettes', 'texels', 'positions', 'normals']; // bits LIMBER_CROWD_...
const FLOATS_OF_MATRIX = 16;
const BYTES_OF_MEMBER = 32; // limber_crowd_member: kind, clip, start, speed, every
const NEVER = 0xffffffff;
const MAX_KINDS = 1024;

enum Field {
  Computed,
  PaletteStride,
  TexelStride,
  ColumnStride,
  VertexStride,
  Rows,
  Width,
}

enum From {
  Members,
  Palettes,
  Texels,
  TexelCounts,
  Columns,
  Positions,
  Normals,
  SameAs,
  Changed,
  Gathered,
  First,
}

enum OfKind {
  Influences,
  JointBytes,
  Columns,
  ColumnBytes,
  ColumnsChange,
  TexelLimit,
  ObeyedTexels,
  Warnings,
  Smears,
}

function expectNumber(what: string, value: number, place = ''): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new LimberError(`${what} must be a finite number, not ${check.shown(value)}`, 'argument', place);
  return value;
}

function expectCount(what: string, value: number, least: number, most: number, place = ''): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new LimberError(
      `${what} must be a whole number from ${least} to ${most}, not ${check.shown(value)}`,
      'argument',
      place,
    );
  return value;
}

function outputBits(outputs: readonly CrowdOutput[]): number {
  let bits = 0;
  for (const one of check.list('`outputs`', outputs)) {
    const index = OUTPUTS.indexOf(one);
    if (index < 0)
      throw new LimberError(`a crowd has no output ${check.shown(one)}; there are ${OUTPUTS.join(', ')}`, 'argument');
    bits |= 1 << index;
  }
  return bits;
}

/** Styles for all kinds at once, while `work` runs. */
function withStyles<T>(heap: Heap, sources: readonly StyleSource[], work: (handles: number[]) => T): T {
  const next = (handles: number[]): T =>
    handles.length === sources.length
      ? work(handles)
      : withStyle(heap, sources[handles.length], (handle) => next([...handles, handle]));
  return next([]);
}

/** What a shader needs for a kind. The same for all its members, and for every frame. */
export interface CrowdShader {
  /** `#define` lines to place before SHADER. */
  defines: string;
  /** The same as numbers, for the uniform `limber_settings` of a shader with `#define LIMBER_DYNAMIC 1`. */
  settings: Int32Array;
  /** Joints per vertex: 4 or 8. */
  influences: number;
  /** Number of values per vertex (normalized int16). */
  columnCount: number;
  /** Number of int16 values per vertex in the columns, rounded up to an even number. */
  columnStride: number;
  /** If true, each member has columns of its own; see `Crowd.columns`. */
  columnsChange: boolean;
  /** Max number of texels of a member. */
  texelLimit: number;
  /** For the sampler `limber_obeyed`; empty if the style has no colliders. */
  obeyed: Float32Array;
  /** Values per vertex for all members; empty if `columnsChange`. */
  columns: Int16Array;
}

/** Made by `engine.crowd(kinds, options)`. */
export class Crowd {
  /** How many members a frame may have. */
  readonly limit: number;
  readonly kinds: readonly CrowdKind[];
  private readonly heap: Heap;
  private readonly outputs: number;
  private readonly step: number;
  private pointer = 0;
  private stale = false;
  private shown: readonly number[] = []; // the kind of each member of the last frame

  /** @internal */
  constructor(heap: Heap, kinds: readonly CrowdKind[], options: CrowdOptions) {
    this.heap = heap;
    if (!Array.isArray(kinds) || !kinds.length) throw new LimberError('a crowd needs at least one kind of character');
    expectCount('the number of kinds', kinds.length, 1, MAX_KINDS);
    kinds.forEach((kind, k) => {
      if (kind?.character?.heap !== heap)
        throw new LimberError('its character is not one of this engine', 'argument', `kinds[${k}]`);
    });
    this.kinds = kinds.map(({ character, style = {} }) => ({ character, style }));
    this.limit = expectCount('`limit`', options?.limit, 1, 1 << 24);
    this.outputs = outputBits(options.outputs ?? ['positions', 'normals']);
    this.step = expectNumber('`step`', options.step ?? 0);
    this.open();
    for (const { character } of this.kinds) character.crowds.add(this);
  }

  private open(): void {
    const { heap, kinds } = this;
    const list = heap.allocate(8 * kinds.length);
    try {
      withStyles(
        heap,
        kinds.map(({ style }) => style ?? {}),
        (styles) => {
          heap.writeWords(list, [...kinds.map(({ character }) => character.handle), ...styles]);
          this.pointer = heap.handle(
            heap.wasm.crowd_create(list, list + 4 * kinds.length, kinds.length, this.limit, this.outputs, this.step),
          );
        },
      );
    } finally {
      heap.free(list);
    }
    this.stale = false;
    this.shown = [];
  }

  /** @internal */
  get handle(): number {
    if (!this.pointer) throw new LimberError('the crowd has been disposed');
    return this.pointer;
  }

  /** A layer of a character has changed: what depends on it is made again before the next frame. @internal */
  repaint(): void {
    this.stale = true;
  }

  private renew(): void {
    const old = this.handle;
    if (!this.stale) return;
    this.open();
    this.heap.wasm.crowd_destroy(old);
  }

  private kindAt(kind: number, place = ''): CrowdKind {
    return this.kinds[expectCount('the kind', kind, 0, this.kinds.length - 1, place)];
  }

  // --- frames ---

  private write(members: readonly CrowdMember[]): number[] {
    const at = this.array(From.Members);
    const { buffer } = this.heap.wasm.memory;
    const words = new Uint32Array(buffer, at, (BYTES_OF_MEMBER / 4) * members.length);
    const doubles = new Float64Array(buffer, at, (BYTES_OF_MEMBER / 8) * members.length);
    return members.map((member, i) => {
      const { kind = 0, clip, start = 0, speed = 1, every = 1 } = check.object('a member', member);
      const place = `members[${i}]`;
      const { character } = this.kindAt(kind, place);
      expectCount('the clip', typeof clip === 'number' ? clip : 0, -1, character.clips.length - 1, place);
      words[8 * i] = kind;
      words[8 * i + 1] = typeof clip === 'number' ? clip : character.clipIndex(clip);
      doubles[4 * i + 1] = expectNumber('`start`', start, place);
      doubles[4 * i + 2] = expectNumber('`speed`', speed, place);
      words[8 * i + 6] = every === Infinity ? NEVER : expectCount('`every`', every, 0, NEVER - 1, place);
      return kind;
    });
  }

  /**
   * Computes all members at a time of the clock, in seconds. `frame` counts frames: member i is computed where
   * `frame + i` is a multiple of its `every`, and keeps its numbers otherwise.
   */
  evaluate(members: readonly CrowdMember[], now: number, frame = 0): CrowdFrame {
    const { heap } = this;
    expectCount('the number of members', check.list('the members', members).length, 0, this.limit);
    expectNumber('the time', now);
    expectCount('the frame', frame, 0, NEVER - 1);
    this.renew();
    const kinds = this.write(members);
    heap.check(heap.wasm.crowd_evaluate(this.handle, members.length, now, frame));
    this.shown = kinds;
    return {
      computed: this.number(Field.Computed),
      sameAs: heap.readWords(this.array(From.SameAs), kinds.length),
      changed: heap.readBytes(this.array(From.Changed), kinds.length),
    };
  }

  /**
   * Makes what a clip needs, so that its first frame takes no longer than others. Crowds for 256 members or more also
   * store what contacts and rigid parts do in it: that takes a second or two, and their texels are several times as fast.
   */
  prepare(clip: number | string, kind = 0): void {
    const index = this.kindAt(kind).character.clipIndex(clip);
    this.renew();
    if (index >= 0) this.heap.check(this.heap.wasm.crowd_prepare(this.handle, kind, index));
  }

  /** Where a member is in its clip at a time of the clock. Clips that loop start again; others stop at their ends. */
  time(member: CrowdMember, now: number): number {
    const { kind = 0, clip, start = 0, speed = 1 } = check.object('a member', member);
    expectNumber('`start`', start);
    expectNumber('`speed`', speed);
    expectNumber('the time', now);
    const index = this.kindAt(kind).character.clipIndex(clip);
    return this.heap.wasm.crowd_time(this.handle, kind, index, start, speed, now);
  }

  // --- numbers of a member ---

  private number(which: Field): number {
    return this.heap.wasm.crowd_number(this.handle, which) >>> 0;
  }

  private array(which: From): number {
    return this.heap.wasm.crowd_array(this.handle, which) >>> 0;
  }

  /** The member whose memory has the numbers of member i, in the last frame. */
  private source(i: number): number {
    if (!Number.isInteger(i) || i < 0 || i >= this.shown.length)
      throw new LimberError(`the last frame has ${this.shown.length} members, and no member ${check.shown(i)}`);
    return this.heap.readWords(this.array(From.SameAs) + 4 * i, 1)[0];
  }

  private floats(i: number, from: From, stride: Field, count: number, out?: Float32Array): Float32Array {
    const source = this.source(i);
    const array = this.array(from);
    if (!array) throw new LimberError('the crowd does not compute that; add it to `outputs`');
    if (out !== undefined) check.typed('the array', 'Float32Array', out, count);
    return this.heap.readFloats(array + 4 * source * this.number(stride), count, out);
  }

  private vertices(i: number): number {
    return 3 * (this.kinds[this.shown[i]]?.character.vertexCount ?? 0);
  }

  /** World positions of a member in the last frame, 3 per vertex, all meshes in order. */
  positions(i: number, out?: Float32Array): Float32Array {
    return this.floats(i, From.Positions, Field.VertexStride, this.vertices(i), out);
  }

  /** Normals of a member, 3 per vertex. */
  normals(i: number, out?: Float32Array): Float32Array {
    return this.floats(i, From.Normals, Field.VertexStride, this.vertices(i), out);
  }

  /** Skinning matrices of a member: 16 numbers per joint of each skin, skin after skin. */
  palettes(i: number, out?: Float32Array): Float32Array {
    const character = this.kinds[this.shown[i]]?.character;
    let joints = 0;
    const skins = character ? this.heap.wasm.character_count(character.handle, 1) : 0;
    for (let s = 0; s < skins; s++) joints += this.heap.wasm.skin_joint_count(character!.handle, s);
    return this.floats(i, From.Palettes, Field.PaletteStride, FLOATS_OF_MATRIX * joints, out);
  }

  /** Texels of a member for the shader, four floats each. */
  texels(i: number, out?: Float32Array): Float32Array {
    const counts = this.array(From.TexelCounts);
    const count = counts ? this.heap.readWords(counts + 4 * this.source(i), 1)[0] : 0;
    return this.floats(i, From.Texels, Field.TexelStride, 4 * count, out);
  }

  /** Values per vertex of a member, where they change with every frame; see `CrowdShader.columnsChange`. */
  columns(i: number): Int16Array {
    const source = this.source(i);
    const kind = this.shown[i];
    const array = this.array(From.Columns);
    if (!array || !this.ofKind(kind, OfKind.ColumnsChange))
      throw new LimberError('the columns are the same for all members; use shader()');
    const count = (this.ofKind(kind, OfKind.ColumnBytes) / 2) * this.kinds[kind].character.vertexCount;
    const out = new Int16Array(count);
    this.heap.readHalves(array + 2 * source * this.number(Field.ColumnStride), count, out);
    return out;
  }

  // --- all members for a texture ---

  /**
   * Puts the texels of all members of the last frame that are not left out into one texture, behind `head` texels for
   * the caller. @internal
   */
  gather(head: number): { width: number; rows: number } {
    if (!this.heap.wasm.crowd_gather(this.handle, head)) throw this.heap.error();
    return { width: this.number(Field.Width), rows: this.number(Field.Rows) };
  }

  /** The texture in the module's memory, for immediate use. @internal */
  gathered(): Float32Array {
    const { buffer } = this.heap.wasm.memory;
    const count = 4 * this.number(Field.Width) * this.number(Field.Rows);
    return count ? new Float32Array(buffer, this.array(From.Gathered), count) : new Float32Array(0);
  }

  /** The first texel of each member in the texture, for immediate use. @internal */
  firstTexels(): Uint32Array {
    return new Uint32Array(this.heap.wasm.memory.buffer, this.array(From.First), this.shown.length);
  }

  // --- kinds ---

  private ofKind(kind: number, which: OfKind): number {
    return this.heap.wasm.crowd_kind_number(this.handle, kind, which) >>> 0;
  }

  /** Whether the style of a kind has smears. Crowds leave them out. */
  smears(kind = 0): boolean {
    this.kindAt(kind);
    return this.ofKind(kind, OfKind.Smears) !== 0;
  }

  /** Warnings from binding the style of a kind to its character, such as a layer that no mesh has. */
  warnings(kind = 0): string[] {
    this.kindAt(kind);
    return Array.from({ length: this.ofKind(kind, OfKind.Warnings) }, (_, i) =>
      this.heap.text(this.heap.wasm.crowd_warning(this.handle, kind, i)),
    );
  }

  private written<T>(kind: number, which: number, bytes: number, read: (pointer: number) => T): T {
    const { heap } = this;
    const pointer = heap.allocate(bytes);
    try {
      heap.writeBytes(pointer, new Uint8Array(bytes)); // gaps are not written
      heap.check(heap.wasm.crowd_write(this.handle, kind, which, pointer));
      return read(pointer);
    } finally {
      heap.free(pointer);
    }
  }

  /** What a shader needs for the members of a kind. Only with the output `texels`. */
  shader(kind = 0): CrowdShader {
    const { heap } = this;
    const { character } = this.kindAt(kind);
    this.renew();
    const of = (which: OfKind) => this.ofKind(kind, which);
    const columnsChange = of(OfKind.ColumnsChange) !== 0;
    const shorts = columnsChange ? 0 : (of(OfKind.ColumnBytes) / 2) * character.vertexCount;
    const texels = of(OfKind.ObeyedTexels);
    return {
      settings: this.written(kind, 0, 4 * SETTINGS, (p) => new Int32Array(heap.readWords(p, SETTINGS).buffer)),
      defines: heap.text(heap.wasm.crowd_defines(this.handle, kind)),
      influences: of(OfKind.Influences),
      columnCount: of(OfKind.Columns),
      columnStride: of(OfKind.ColumnBytes) / 2,
      columnsChange,
      texelLimit: of(OfKind.TexelLimit),
      obeyed: texels ? this.written(kind, 2, 16 * texels, (p) => heap.readFloats(p, 4 * texels)) : new Float32Array(0),
      columns: shorts
        ? this.written(kind, 3, 2 * shorts, (p) => new Int16Array(heap.readHalves(p, shorts).buffer))
        : new Int16Array(0),
    };
  }

  /** Vertex attributes of a kind: `influences` joints (of all skins in order) and weights per vertex. */
  joints(kind = 0): { joints: Uint16Array; weights: Float32Array } {
    const { character } = this.kindAt(kind);
    const stride = this.ofKind(kind, OfKind.JointBytes);
    const k = this.ofKind(kind, OfKind.Influences);
    const n = character.vertexCount;
    const joints = new Uint16Array(k * n);
    const weights = new Float32Array(k * n);
    return this.written(kind, 1, stride * n, (pointer) => {
      const view = new DataView(this.heap.readBytes(pointer, stride * n).buffer);
      for (let u = 0; u < n; u++)
        for (let i = 0; i < k; i++) {
          joints[k * u + i] = view.getUint16(stride * u + 2 * i, true);
          weights[k * u + i] = view.getFloat32(stride * u + 2 * k + 4 * i, true);
        }
      return { joints, weights };
    });
  }

  /** Frees the crowd. It is safe to call it twice. */
  dispose(): void {
    if (!this.pointer) return;
    this.heap.wasm.crowd_destroy(this.pointer);
    this.pointer = 0;
    for (const { character } of this.kinds) character.crowds.delete(this);
  }
}
