// Live smears on a graphics card: what the engine gives it. src/smear/smear_pack.h describes the textures.
import type { PipelineFrames } from './frame.js';
import type { LiveOptions } from './live.js';

enum Field {
  FixedTexels,
  FrameTexels,
  Places,
  PlaceTexels,
  Chunks,
  Joints,
  Steps,
  Copies,
  Lines,
  Meshes,
}

/** A copy of a mesh, or all lines. */
export interface PackedSmearMesh {
  kind: 'copy' | 'lines';
  number: number;
  source: number;
  vertexCount: number;
  triangles: Uint32Array;
}

/** A formula: lines of a program, see src/text/expression_code.h. */
export interface PackedFormula {
  name: string;
  lines: string[];
}

/** @internal */
export class SmearPack {
  private pointer: number;
  readonly fixed: Float32Array;
  readonly frameTexels: number;
  readonly places: number;
  readonly placeTexels: number;
  readonly chunks: number;
  readonly joints: number;
  readonly steps: number;
  readonly copies: number;
  readonly lines: number;
  readonly meshes: PackedSmearMesh[];
  readonly formulas: PackedFormula[];

  /** Throws a LimberError of kind `unsupported` where the CPU has to smear. */
  constructor(
    private readonly pipeline: PipelineFrames,
    options: LiveOptions = {},
  ) {
    const { heap } = pipeline;
    const { wasm } = heap;
    this.pointer = heap.handle(
      wasm.smear_create(pipeline.handle, options.fps ?? 30, options.history ?? 8, options.teleport ?? 0.5),
    );
    const number = (which: Field) => wasm.smear_number(this.pointer, which);
    this.fixed = heap.readFloats(wasm.smear_fixed(this.pointer), 4 * number(Field.FixedTexels));
    this.frameTexels = number(Field.FrameTexels);
    this.places = number(Field.Places);
    this.placeTexels = number(Field.PlaceTexels);
    this.chunks = number(Field.Chunks);
    this.joints = number(Field.Joints);
    this.steps = number(Field.Steps);
    this.copies = number(Field.Copies);
    this.lines = number(Field.Lines);
    this.meshes = Array.from({ length: number(Field.Meshes) }, (_, i) => this.mesh(i));
    this.formulas = this.readFormulas();
  }

  private mesh(index: number): PackedSmearMesh {
    const { heap } = this.pipeline;
    const number = (which: number) => heap.wasm.smear_mesh(this.pointer, index, which);
    return {
      kind: number(0) === 0 ? 'copy' : 'lines',
      number: number(1),
      source: number(2),
      vertexCount: number(3),
      triangles: heap.readWords(heap.wasm.smear_triangles(this.pointer, index), 3 * number(4)),
    };
  }

  private readFormulas(): PackedFormula[] {
    const { heap } = this.pipeline;
    const formulas: PackedFormula[] = [];
    for (const line of heap.text(heap.wasm.smear_formulas(this.pointer)).split('\n').filter(Boolean))
      if (line.includes(' ')) formulas[formulas.length - 1].lines.push(line);
      else formulas.push({ name: line, lines: [] });
    return formulas;
  }

  /** The pose that was pushed last to a stream of the pipeline. Returns the place of its vertices. */
  push(time: number): number {
    return this.pipeline.heap.wasm.smear_push(this.pointer, time);
  }

  frame(into: Float32Array): void {
    const { heap } = this.pipeline;
    heap.readFloats(heap.wasm.smear_frame(this.pointer), 4 * this.frameTexels, into);
  }

  reset(): void {
    this.pipeline.heap.wasm.smear_reset(this.pointer);
  }

  dispose(): void {
    if (this.pointer) this.pipeline.heap.wasm.smear_destroy(this.pointer);
    this.pointer = 0;
  }
}
