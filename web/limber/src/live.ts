// A stream of poses through a pipeline.
import type { Frame, FrameArrays, PipelineFrames, Smeared } from './frame.js';
import { LimberError } from './wasm.js';

export interface LiveOptions {
  /** Frames per second that smears are counted in. Default 30. */
  fps?: number;
  /** Such frames that smears go back at most. Default 8, at most 32. */
  history?: number;
  /** In sizes of the character: a joint that goes further between two poses was put there. Default 0.5. */
  teleport?: number;
}

/** Made by `pipeline.live()`. Per frame drawn: `push`, then `frame`, `smear`, or a pack's `frame`. */
export class Live {
  private pointer: number;
  private readonly numbers: number;

  /** @internal */
  constructor(
    readonly pipeline: PipelineFrames,
    before: Live | undefined,
    private readonly forget: () => void,
  ) {
    const { heap, character } = pipeline;
    this.pointer = heap.handle(heap.wasm.live_create(pipeline.handle, before?.handle ?? 0));
    this.numbers = 10 * character.jointCount;
  }

  private get handle(): number {
    if (!this.pointer) throw new LimberError('the stream was disposed of');
    return this.pointer;
  }

  /**
   * A pose: 10 numbers per joint, its local translation, rotation (x, y, z, w) and scale; and a time stamp in seconds.
   * The same time again is a pause; time that goes back, a gap of more than a quarter of a second and a teleport start
   * afresh at rest. Throws, and keeps what was, when a number is not finite.
   */
  push(local: ArrayLike<number>, time: number, morphWeights?: ArrayLike<number>): void {
    const { heap, character } = this.pipeline;
    const { wasm } = heap;
    if (local.length !== this.numbers) throw new LimberError(`a pose has ${this.numbers} numbers, not ${local.length}`);
    if (morphWeights && morphWeights.length !== character.morphCount)
      throw new LimberError(`there are ${character.morphCount} morph weights, not ${morphWeights.length}`);
    heap.writeFloats(wasm.live_array(this.handle, 0), local);
    if (morphWeights) heap.writeFloats(wasm.live_array(this.handle, 1), morphWeights);
    heap.check(wasm.live_push(this.handle, morphWeights ? 1 : 0, time));
  }

  /** The vertices of the pose that was pushed last (to any stream of the pipeline). */
  evaluate(): Frame;
  evaluate<T extends FrameArrays>(out: T): T;
  evaluate(out?: FrameArrays): FrameArrays {
    return out ? this.pipeline.evaluateVertices(out) : this.pipeline.evaluateVertices();
  }

  /** How smears of this stream are counted; forgets all frames. */
  setSmears(options: LiveOptions = {}): void {
    const { heap } = this.pipeline;
    heap.check(heap.wasm.live_smears(this.handle, options.fps ?? 30, options.history ?? 8, options.teleport ?? 0.5));
  }

  /**
   * The vertices with smears into the past. Call it once after each push, before another stream gets one. Lines, `step`
   * and what lies ahead are left out: nobody knows the future.
   */
  evaluateSmeared(out: Smeared = {}): Smeared {
    const { pipeline } = this;
    const n = pipeline.character.vertexCount;
    const into = Object.keys(out).length
      ? out
      : {
          positions: new Float32Array(3 * n),
          normals: new Float32Array(3 * n),
          offsets: new Float32Array(n),
          smearMeshes: [],
        };
    pipeline.ask(into);
    pipeline.heap.check(pipeline.heap.wasm.live_smear(this.handle));
    return pipeline.fillSmeared(into);
  }

  /** The next pose is the first. */
  reset(): void {
    this.pipeline.heap.wasm.live_reset(this.handle);
  }

  dispose(): void {
    if (!this.pointer) return;
    this.pipeline.heap.wasm.live_destroy(this.pointer);
    this.pointer = 0;
    this.forget();
  }
}
