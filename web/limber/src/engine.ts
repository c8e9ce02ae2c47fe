// limber without any drawing: characters from arrays, styles, and everything that is computed from them.
//
//     import { createEngine } from 'limber/engine';
//     const engine = await createEngine();
//     const character = engine.character(description);
//     const pipeline = character.pipeline('cartoon');
//     const { positions, normals } = pipeline.evaluate('walk', 0.5);
//
// Nothing that comes out of here is a view of the module's memory: results are copies, in arrays of the caller where he
// gives some, so memory may grow at any time. Everything that was made is freed by `dispose()`.
import { buildCharacter } from './build.js';
import { Character } from './character.js';
import type { CharacterOwner } from './character.js';
import type { CharacterDescription } from './description.js';
import { readStyle, setKey, withStyle } from './style.js';
import type { StyleSource } from './style.js';
import type { Style } from './style.generated.js';
import { Heap, instantiate } from './wasm.js';
import type { WasmSource } from './wasm.js';

export { Character } from './character.js';
export type { PaintOptions } from './character.js';
export type * from './description.js';
export type { SmearMesh, Frame, FrameArrays, Smeared } from './frame.js';
export type { ChannelData, ClipData, ClipInfo, JointInfo, MeshData, MeshInfo } from './info.js';
export { Live, Pack, Pipeline } from './pipeline.js';
export type {
  Bake,
  BakedSmearMesh,
  BakedMesh,
  BakeOptions,
  Curves,
  WhatIfMotion,
  Kinematics,
  LiveOptions,
  PackFrame,
  PackOptions,
  PipelineCharacter,
  Stretch,
} from './pipeline.js';
export { SHADER } from './shader.generated.js';
export type { StyleSource } from './style.js';
export { KEYS, PRESETS } from './style.generated.js';
export type { Constraint, JointStyle, NumberOrFormula, PresetName, Style, StyleKey } from './style.generated.js';
export { LimberError } from './wasm.js';
export type { WasmSource } from './wasm.js';

/** One instance of the module. Several may exist; characters belong to one. */
export class Engine implements CharacterOwner {
  /** @internal */ readonly heap: Heap;
  private readonly characters = new Set<Character>();
  /** Of the module: "0.1.0". */
  readonly version: string;

  /** @internal */
  constructor(heap: Heap) {
    this.heap = heap;
    this.version = heap.text(heap.wasm.version());
  }

  /** Copies a character into the module and checks all of it. */
  character(description: CharacterDescription): Character {
    return this.adopt(buildCharacter(this.heap, description));
  }

  /** A character from a BVH file: its skeleton, one clip, and a simple body to look at. */
  bvh(bytes: Uint8Array, clipName = 'motion'): Character {
    const { heap } = this;
    const name = heap.allocateText(clipName);
    const file = heap.allocate(bytes.length);
    try {
      heap.writeBytes(file, bytes);
      return this.adopt(heap.handle(heap.wasm.character_from_bvh(file, bytes.length, name.pointer)));
    } finally {
      heap.free(file);
      heap.free(name.pointer);
    }
  }

  /** Checks a style and gives it back as an object; `changes` are keys by path: `{ 'effects.floppy.angular': 0.5 }`. */
  parseStyle(style: StyleSource, changes: Record<string, unknown> = {}): Style {
    return withStyle(this.heap, style, (handle) => {
      for (const [path, value] of Object.entries(changes)) setKey(this.heap, handle, path, value);
      return readStyle(this.heap, handle);
    });
  }

  /** @internal */
  adopt(pointer: number): Character {
    const character = new Character(this.heap, pointer, this);
    this.characters.add(character);
    return character;
  }

  /** @internal */
  forget(character: Character): void {
    this.characters.delete(character);
  }

  /** Bytes of memory that the module has taken from the browser. It never shrinks; what is freed is used again. */
  get memoryBytes(): number {
    return this.heap.wasm.memory.buffer.byteLength;
  }

  /** Frees every character. The module itself goes when nothing holds the engine any more. */
  dispose(): void {
    for (const character of [...this.characters]) character.dispose();
  }
}

/**
 * Loads the module: the file `limber.wasm` that lies beside this script, or whatever `source` says (`wasmBytes()` of
 * `limber/inline`, an address, a compiled module).
 */
export async function createEngine(source?: WasmSource): Promise<Engine> {
  return new Engine(new Heap(await instantiate(source)));
}
