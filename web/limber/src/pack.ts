// The frames of a pipeline, packed for the vertex shader. docs/shader.md describes the layout.
import * as check from './check.js';
import type { PipelineFrames } from './frame.js';
import { LimberError } from './wasm.js';

/** What `pipeline.pack()` can be told. */
export interface PackOptions {
  /** true (default): normals follow the effects. false: they follow only the skin. */
  normals?: boolean;
}

/** How much of the texture a frame takes. */
export interface PackFrame {
  /** Number of texels written, four floats each. */
  texelCount: number;
  /** Number of texture rows that hold them. */
  rows: number;
}

/** @internal Integers of the uniform `limber_settings`, as LIMBER_PACK_SETTINGS has it. */
export const SETTINGS = 32;

enum Field {
  Influences,
  JointBytes,
  Columns,
  ColumnBytes,
  ColumnsChange,
  TexelLimit,
  Rows,
  Width,
  ObeyedTexels,
}

/** Made by `pipeline.pack()`. Changing only numbers in a style keeps the defines, so no shader has to be recompiled. */
export class Pack {
  /** `#define` lines to place before SHADER. */
  readonly defines: string;
  /**
   * The same settings as numbers, for the uniform `limber_settings` of a shader with `#define LIMBER_DYNAMIC 1`. Such a
   * shader can draw every style.
   */
  readonly settings: Int32Array;
  /** Joints per vertex: 4 or 8. */
  readonly influences: number;
  /** Number of per-vertex values (normalized int16): they scale parameters of the style, and name rigid parts and rows of `obeyed()`. */
  readonly columnCount: number;
  /** Number of int16 values per vertex in `columns()`: `columnCount`, rounded up to an even number. */
  readonly columnStride: number;
  /** If true, call `columns()` after every frame, not only after the first. */
  readonly columnsChange: boolean;
  /** Max number of texels in a frame. */
  readonly texelLimit: number;
  /** Number of texels of `obeyed()`; 0 if the style has no colliders. */
  readonly obeyedTexels: number;
  /** Size of an RGBA32F texture that can hold any frame. */
  readonly width: number;
  /** Rows of that texture. */
  readonly height: number;
  private readonly generation: number;

  /** @internal */
  constructor(
    readonly pipeline: PipelineFrames,
    options: PackOptions,
  ) {
    const { heap } = pipeline;
    const { wasm } = heap;
    check.object('the options', options);
    heap.check(wasm.pack_open(pipeline.handle, options.normals === false ? 0 : 1));
    const number = (which: Field) => wasm.pack_number(pipeline.handle, which);
    this.defines = heap.text(wasm.pack_defines(pipeline.handle));
    this.settings = this.readSettings();
    this.influences = number(Field.Influences);
    this.columnCount = number(Field.Columns);
    this.columnStride = number(Field.ColumnBytes) / 2;
    this.columnsChange = number(Field.ColumnsChange) !== 0;
    this.texelLimit = number(Field.TexelLimit);
    this.obeyedTexels = number(Field.ObeyedTexels);
    this.width = number(Field.Width);
    this.height = number(Field.Rows);
    this.generation = pipeline.generation;
    pipeline.packed = this;
  }

  private readSettings(): Int32Array {
    const { heap, handle } = this.pipeline;
    const pointer = heap.allocate(4 * SETTINGS);
    try {
      heap.wasm.pack_settings(handle, pointer);
      return new Int32Array(heap.readWords(pointer, SETTINGS).buffer);
    } finally {
      heap.free(pointer);
    }
  }

  private get handle(): number {
    if (this.pipeline.packed !== this || this.pipeline.generation !== this.generation)
      throw new LimberError(
        'the pack is outdated: the style was changed or another pack was made; call pipeline.pack() again',
      );
    return this.pipeline.handle;
  }

  /**
   * Vertex attributes: `influences` joints (indices into the joints of all skins in order) and weights per vertex, all
   * meshes in order.
   */
  joints(): { joints: Uint16Array; weights: Float32Array } {
    const { heap, character } = this.pipeline;
    const n = character.vertexCount;
    const k = this.influences;
    const stride = heap.wasm.pack_number(this.handle, Field.JointBytes);
    const pointer = heap.allocate(stride * n);
    const joints = new Uint16Array(k * n);
    const weights = new Float32Array(k * n);
    try {
      heap.wasm.pack_joints(this.handle, pointer);
      const view = new DataView(heap.readBytes(pointer, stride * n).buffer);
      for (let u = 0; u < n; u++)
        for (let i = 0; i < k; i++) {
          joints[k * u + i] = view.getUint16(stride * u + 2 * i, true);
          weights[k * u + i] = view.getFloat32(stride * u + 2 * k + 4 * i, true);
        }
      return { joints, weights };
    } finally {
      heap.free(pointer);
    }
  }

  /**
   * Which colliders the vertices obey: texels of an RGBA32F texture, `width` wide, for the sampler `limber_obeyed`. They
   * do not change from frame to frame. Empty if the style has no colliders.
   */
  obeyed(out = new Float32Array(4 * this.obeyedTexels)): Float32Array {
    const { heap } = this.pipeline;
    const { handle } = this;
    if (!this.obeyedTexels) return out;
    check.typed('the array', 'Float32Array', out, 4 * this.obeyedTexels);
    const pointer = heap.allocate(16 * this.obeyedTexels);
    try {
      heap.wasm.pack_obeyed(handle, pointer);
      heap.readFloats(pointer, 4 * this.obeyedTexels, out);
      return out;
    } finally {
      heap.free(pointer);
    }
  }

  /**
   * Writes the frame of the current pose; call it after `live.push` or `pipeline.evaluateJoints`. `texels` needs room
   * for `width * height * 4` floats. With `at`, the frame starts at that texel, so that several characters can share a
   * texture.
   */
  frame(texels: Float32Array, at = 0): PackFrame {
    const { heap } = this.pipeline;
    check.typed('the array', 'Float32Array', texels);
    check.count('`at`', at, 0, Math.floor(texels.length / 4));
    const texelCount = heap.wasm.pack_frame(this.handle);
    if (!texelCount) throw heap.error();
    heap.readFloats(heap.wasm.pack_array(this.handle, 0), 4 * texelCount, at ? texels.subarray(4 * at) : texels);
    return { texelCount, rows: Math.ceil((at + texelCount) / this.width) };
  }

  /** The values per vertex of the last frame, `columnStride` each. Empty if there are no columns. */
  columns(out?: Int16Array): Int16Array {
    const { heap, character } = this.pipeline;
    const { handle } = this;
    const count = this.columnStride * character.vertexCount;
    const into = check.typed('the array', 'Int16Array', out ?? new Int16Array(count), count);
    if (count) heap.readHalves(heap.wasm.pack_array(handle, 1), count, into);
    return into;
  }
}
