// limber without rendering: characters from plain arrays, styles, and everything computed from them.
//
//     import { createEngine } from 'limber/engine';
//     const engine = await createEngine();
//     const character = engine.character(description);
//     const pipeline = character.pipeline('cartoon');
//     const { positions, normals } = pipeline.evaluate('walk', 0.5);
//
// All results are copies, written into your arrays if you pass any. They are never views of the module's memory, which
// may grow at any time. Call `dispose()` to free what you created.
import { buildCharacter } from './build.js';
import { Character } from './character.js';
import type { CharacterState } from './character.js';
import { Crowd } from './crowd.js';
import type { CrowdKind, CrowdOptions } from './crowd.js';
import * as check from './check.js';
import type { CharacterDescription } from './description.js';
import { readStyle, setKeys, withStyle } from './style.js';
import type { StyleSource } from './style.js';
import type { Style, StyleChanges } from './style.generated.js';
import { Heap, instantiate, LimberError } from './wasm.js';
import type { WasmSource } from './wasm.js';

export { Character } from './character.js';
export type { CharacterState, PaintOptions } from './character.js';
export { Crowd } from './crowd.js';
export type { CrowdFrame, CrowdKind, CrowdMember, CrowdOptions, CrowdOutput, CrowdShader } from './crowd.js';
export type * from './description.js';
export type { SmearMesh, Frame, FrameArrays, Smeared } from './frame.js';
export { Holds } from './info.js';
export type {
  ChannelData,
  ClipData,
  ClipInfo,
  Contact,
  Contacts,
  JointInfo,
  MeshData,
  MeshInfo,
  RigidKind,
  RigidPart,
  RigidParts,
} from './info.js';
export { Live, Pack, Pipeline } from './pipeline.js';
export type {
  Bake,
  BakedBone,
  BakedCurve,
  BakedMesh,
  BakedSmearMesh,
  BakeKind,
  BakeOptions,
  Curves,
  PlacedCollider,
  WhatIfMotion,
  Kinematics,
  LiveOptions,
  PackFrame,
  PackOptions,
  PipelineCharacter,
  PipelineState,
  Performance,
  Stretch,
} from './pipeline.js';
export { SHADER } from './shader.generated.js';
export type { StyleSource, StyleText } from './style.js';
export { KEYS, PRESETS } from './style.generated.js';
export type {
  Constraint,
  CurrentStyle,
  JointStyle,
  MeshStyle,
  NumberOrFormula,
  PresetName,
  Style,
  StyleChanges,
  StyleKey,
} from './style.generated.js';
export { LimberError } from './wasm.js';
export type { WasmSource } from './wasm.js';

const PAGE = 65536;
const MOST_BYTES = 0xffffffff; // that many a 32-bit module can name

/** What an engine has made: `state()` says it, and `resume` goes on with it in another thread. */
export interface EngineState {
  /** Size of the memory that goes with it. */
  readonly bytes: number;
  readonly characters: readonly CharacterState[];
}

/** One instance of the WASM module. There can be several; a character belongs to one of them. */
export class Engine {
  /** @internal */ readonly heap: Heap;
  private readonly characters = new Set<Character>();
  private ready: CharacterState[] = [];
  /** Version of the module, such as "0.1.0". */
  readonly version: string;

  /** @internal */
  constructor(heap: Heap) {
    this.heap = heap;
    this.version = heap.text(heap.wasm.version());
  }

  /**
   * Copies a character into the module and checks it. With `reorder`, joints may come in another order than in the
   * description (`character.order`): paws of rigs with inverse kinematics move with their leg only when they come after
   * it.
   */
  character(description: CharacterDescription, options: { reorder?: boolean } = {}): Character {
    const { handle, order } = buildCharacter(this.heap, description, options.reorder === true);
    return this.adopt(handle, { order });
  }

  /** Reads a character from a BVH file: skeleton, one clip, and a simple body to make it visible. */
  bvh(bytes: Uint8Array, clipName = 'motion'): Character {
    const { heap } = this;
    check.typed('a BVH file', 'Uint8Array', bytes);
    const name = heap.allocateText(check.text('the name of the clip', clipName));
    let file = 0;
    try {
      file = heap.allocate(bytes.length);
      heap.writeBytes(file, bytes);
      return this.adopt(heap.handle(heap.wasm.character_from_bvh(file, bytes.length, name.pointer)));
    } finally {
      heap.free(file);
      heap.free(name.pointer);
    }
  }

  /**
   * Many characters at once: `engine.crowd([{ character, style: 'cartoon' }], { limit: 500 })`. One call then computes
   * all members, each with its own clip and time.
   */
  crowd(kinds: readonly CrowdKind[], options: CrowdOptions): Crowd {
    return new Crowd(this.heap, kinds, options);
  }

  /** Checks a style and returns it as an object. `changes` are keys by path: `{ 'effects.floppy.angular': 0.5 }`. */
  parseStyle(style: StyleSource, changes: StyleChanges = {}): Style {
    return withStyle(this.heap, style, (handle) => {
      setKeys(this.heap, handle, changes);
      return readStyle(this.heap, handle);
    });
  }

  /** @internal */
  adopt(pointer: number, state?: Partial<CharacterState>): Character {
    const character = new Character(this.heap, pointer, this, state);
    this.characters.add(character);
    return character;
  }

  /** @internal */
  forget(character: Character): void {
    this.characters.delete(character);
  }

  /**
   * What was made so far. A worker can make a large character, and hand it over without making the page wait: send this
   * and the whole `memory`, `write` it to a new engine of the page, and call `resume` there.
   */
  state(): EngineState {
    return { bytes: this.memoryBytes, characters: [...this.characters].map((one) => one.state()) };
  }

  /** A copy of a piece of the module's memory. */
  memory(from: number, to: number): Uint8Array {
    check.count('`to`', to, 0, this.memoryBytes);
    check.count('`from`', from, 0, to);
    return this.heap.readBytes(from, to - from);
  }

  /** Writes a piece of the memory of another engine, of the same module and version. This one must be new. */
  write(at: number, bytes: Uint8Array): void {
    this.expectNew();
    check.typed('the memory', 'Uint8Array', bytes);
    check.count('`at`', at, 0, MOST_BYTES - bytes.length);
    const { memory } = this.heap.wasm;
    const missing = Math.ceil((at + bytes.length - memory.buffer.byteLength) / PAGE);
    try {
      if (missing > 0) memory.grow(missing);
    } catch {
      throw new LimberError(`not enough memory for ${at + bytes.length} bytes`, 'memory');
    }
    this.heap.writeBytes(at, bytes);
  }

  /**
   * Goes on with what another engine has made, after all of its memory was written. `limber()` with this engine then
   * takes the characters, in the order in which they were made, and pipelines of the same style, instead of making them.
   */
  resume(state: EngineState): void {
    this.expectNew();
    const { characters } = check.object('the state', state);
    this.ready = [...check.list('`characters`', characters)];
  }

  private expectNew(): void {
    if (this.characters.size) throw new LimberError('only a new engine takes the memory of another one');
  }

  /** The next character that another engine has made, if `fits` says that it is the one. @internal */
  readyCharacter(fits: (character: Character) => boolean): Character | undefined {
    const [state] = this.ready.splice(0, 1);
    if (!state) return undefined;
    const character = this.adopt(state.pointer, state);
    if (fits(character)) return character;
    character.dispose();
    return undefined;
  }

  /** The order that another engine has found for the joints of the next character. @internal */
  readyOrder(jointCount: number): Uint32Array | undefined {
    const order = this.ready[0]?.rigOrder;
    return order?.length === jointCount ? order : undefined;
  }

  /** Bytes of memory that the module has allocated. It never shrinks; freed memory is reused. */
  get memoryBytes(): number {
    return this.heap.wasm.memory.buffer.byteLength;
  }

  /** Frees all characters. The module itself is garbage collected with the engine. */
  dispose(): void {
    for (const character of [...this.characters]) character.dispose();
  }
}

/**
 * Loads the WASM module. By default this is the file `limber.wasm` next to this script; `source` can be `wasmBytes()`
 * from `limber/inline`, a URL, or a compiled module.
 */
export async function createEngine(source?: WasmSource): Promise<Engine> {
  return new Engine(new Heap(await instantiate(source)));
}
