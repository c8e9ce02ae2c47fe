// A pipeline's frames as the vertex shader wants them: docs/shader.md has the layout in words.
import type { PipelineFrames } from './frame.js';
import { LimberError } from './wasm.js';

export interface PackOptions {
  /** Normals follow the effects (default), or only the skin. */
  normals?: boolean;
}

export interface PackFrame {
  /** Texels that were written, four floats each. */
  texelCount: number;
  /** Rows of the texture that hold them. */
  rows: number;
}

const SETTINGS = 23; // LIMBERI_PACK_SETTINGS

enum Field {
  Influences,
  JointBytes,
  Columns,
  ColumnBytes,
  ColumnsChange,
  TexelLimit,
  Rows,
  Width,
}

/** Made by `pipeline.pack()`. A style with other numbers gives the same defines, so no shader has to be compiled again. */
export class Pack {
  /** `#define` lines to put before SHADER. */
  readonly defines: string;
  /** The same as numbers, for the uniform `limber_settings` of a shader with `#define LIMBER_DYNAMIC 1`, which shows every style. */
  readonly settings: Int32Array;
  /** Joints per vertex: 4 or 8. */
  readonly influences: number;
  /** Values per vertex that scale numbers of the style: int16, normalised. */
  readonly columnCount: number;
  /** int16 per vertex in `columns()`: `columnCount`, made even. */
  readonly columnStride: number;
  /** Columns have to be asked for after every frame, not only after the first. */
  readonly columnsChange: boolean;
  /** No frame has more texels. */
  readonly texelLimit: number;
  /** Size of a texture (RGBA32F) that holds every frame. */
  readonly width: number;
  readonly height: number;
  private readonly generation: number;

  /** @internal */
  constructor(
    readonly pipeline: PipelineFrames,
    options: PackOptions,
  ) {
    const { heap } = pipeline;
    const { wasm } = heap;
    heap.check(wasm.pack_open(pipeline.handle, options.normals === false ? 0 : 1));
    const number = (which: Field) => wasm.pack_number(pipeline.handle, which);
    this.defines = heap.text(wasm.pack_defines(pipeline.handle));
    this.settings = this.readSettings();
    this.influences = number(Field.Influences);
    this.columnCount = number(Field.Columns);
    this.columnStride = number(Field.ColumnBytes) / 2;
    this.columnsChange = number(Field.ColumnsChange) !== 0;
    this.texelLimit = number(Field.TexelLimit);
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
        'the pipeline has another style or another pack since this one was made; ask for a new one',
      );
    return this.pipeline.handle;
  }

  /** Attributes: `influences` joints (among those of all skins) and weights per vertex, all meshes after each other. */
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
   * The frame of the pose at hand, after `live.push` or `pipeline.pose`. `texels` has room for `width * height * 4`
   * floats; with `at`, for a texture that several characters share, the frame starts at that texel.
   */
  frame(texels: Float32Array, at = 0): PackFrame {
    const { heap } = this.pipeline;
    const texelCount = heap.wasm.pack_frame(this.handle);
    if (!texelCount) throw heap.error();
    heap.readFloats(heap.wasm.pack_array(this.handle, 0), 4 * texelCount, at ? texels.subarray(4 * at) : texels);
    return { texelCount, rows: Math.ceil((at + texelCount) / this.width) };
  }

  /** Values per vertex, `columnStride` each, of the last frame. Empty when there are no columns. */
  columns(out?: Int16Array): Int16Array {
    const { heap, character } = this.pipeline;
    const count = this.columnStride * character.vertexCount;
    const into = out ?? new Int16Array(count);
    if (count) heap.readHalves(heap.wasm.pack_array(this.handle, 1), count, into);
    return into;
  }
}
