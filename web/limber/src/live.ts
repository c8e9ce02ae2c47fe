// A live stream of poses.
import * as check from './check.js';
import type { Frame, FrameArrays, PipelineFrames, Smeared } from './frame.js';
import { LimberError } from './wasm.js';

/** How live smears look back. */
export interface LiveOptions {
  /** Frame rate for counting smear frames. Default 30. */
  fps?: number;
  /** Max number of frames that smears look back. Default 8, max 32. */
  history?: number;
  /**
   * A joint that moves farther than this between two poses counts as teleported; relative to the character's size.
   * Default 0.5.
   */
  teleport?: number;
}

const MOST_HISTORY = 32;

/**
 * Made by `pipeline.live()`. For each drawn frame call `push`, then `evaluate`, `evaluateSmeared`, or the `frame` of a
 * pack.
 */
export class Live {
  private pointer: number;
  private readonly numbers: number;

  /** @internal */
  constructor(
    readonly pipeline: PipelineFrames,
    before: Live | undefined,
    private readonly forget: () => void,
    ready?: number,
  ) {
    const { heap, character } = pipeline;
    this.pointer = ready ?? heap.handle(heap.wasm.live_create(pipeline.handle, before?.handle ?? 0));
    if (ready) this.reset();
    this.numbers = 10 * character.jointCount;
  }

  /** @internal */
  get handle(): number {
    if (!this.pointer) throw new LimberError('the stream has been disposed');
    return this.pointer;
  }

  /**
   * Adds a pose: for each joint 10 numbers (local translation, rotation as x, y, z, w, and scale), and a time stamp in
   * seconds. Repeating a time is a pause. The motion restarts at rest if time goes back, after a gap of more than a
   * quarter of a second, and after a teleport. Throws if a number is not finite, without changing anything.
   */
  push(local: ArrayLike<number>, time: number, morphWeights?: ArrayLike<number>): void {
    const { heap, character } = this.pipeline;
    const { wasm } = heap;
    if (check.numbers('a pose', local).length !== this.numbers)
      throw new LimberError(`a pose needs ${this.numbers} numbers (10 per joint), but has ${local.length}`);
    check.number('`time`', time);
    if (morphWeights && check.numbers('`morphWeights`', morphWeights).length !== character.morphCount)
      throw new LimberError(`the character has ${character.morphCount} morph weights, not ${morphWeights.length}`);
    heap.writeFloats(wasm.live_array(this.handle, 0), local);
    if (morphWeights) heap.writeFloats(wasm.live_array(this.handle, 1), morphWeights);
    heap.check(wasm.live_push(this.handle, morphWeights ? 1 : 0, time));
  }

  /** The vertices of the last pose pushed to any stream of this pipeline. */
  evaluate(): Frame;
  evaluate<T extends FrameArrays>(out: T): T;
  evaluate(out?: FrameArrays): FrameArrays {
    void this.handle; // throws if it has been disposed
    return out ? this.pipeline.evaluateVertices(out) : this.pipeline.evaluateVertices();
  }

  /** Sets how smears look back, and clears their history. */
  setSmears(options: LiveOptions = {}): void {
    const { heap } = this.pipeline;
    const { fps = 30, history = 8, teleport = 0.5 } = check.object('the options', options);
    check.finite('`fps`', fps);
    check.count('`history`', history, 1, MOST_HISTORY);
    check.finite('`teleport`', teleport, 0);
    heap.check(heap.wasm.live_smears(this.handle, fps, history, teleport));
  }

  /**
   * The vertices with smears into the past. Call it once after each push, before you push to another stream. Smears
   * into the future are left out, because a live stream has no look-ahead.
   */
  evaluateSmeared(out: Smeared = {}): Smeared {
    const { pipeline } = this;
    const n = pipeline.character.vertexCount;
    const { handle } = this;
    check.object('the object for results', out);
    const into = Object.keys(out).length
      ? out
      : {
          positions: new Float32Array(3 * n),
          normals: new Float32Array(3 * n),
          offsets: new Float32Array(n),
          smearMeshes: [],
        };
    pipeline.ask(into);
    pipeline.heap.check(pipeline.heap.wasm.live_smear(handle));
    return pipeline.fillSmeared(into);
  }

  /**
   * The height of the ground under the character, for styles with `contact`, `impact` and `body`; set it again whenever
   * it changes. `null`: none but a `floor` that the style gives.
   */
  setGround(height: number | null): void {
    if (height !== null) check.finite('the height of the ground', height);
    this.pipeline.heap.wasm.live_ground(this.handle, height ?? NaN);
  }

  /** Clears the history: the next pose counts as the first. */
  reset(): void {
    this.pipeline.heap.wasm.live_reset(this.handle);
  }

  /** Frees its memory in the module. */
  dispose(): void {
    if (!this.pointer) return;
    this.pipeline.heap.wasm.live_destroy(this.pointer);
    this.pointer = 0;
    this.forget();
  }
}
