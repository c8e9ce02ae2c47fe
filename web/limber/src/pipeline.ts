// A character with a style: evaluates clips and live poses, smears, bakes, and packs data for the shader.
import { readBake } from './bake.js';
import * as check from './check.js';
import type { Bake, BakeOptions } from './bake.js';
import type { SmearMesh, Frame, FrameArrays, PipelineFrames, Smeared } from './frame.js';
import { Holds, readClip, readRigidParts } from './info.js';
import type { Contacts, ClipData, ClipInfo, JointInfo, MeshData, MeshInfo, RigidParts } from './info.js';
import { Live } from './live.js';
import { Pack } from './pack.js';
import type { PackOptions } from './pack.js';
import { readStyle, setKeys, withStyle } from './style.js';
import type { StyleSource } from './style.js';
import type { Style, StyleChanges } from './style.generated.js';
import { LimberError } from './wasm.js';
import type { Heap } from './wasm.js';

export type { Bake, BakedBone, BakedCurve, BakedMesh, BakedSmearMesh, BakeKind, BakeOptions } from './bake.js';
export { Live } from './live.js';
export type { LiveOptions } from './live.js';
export { Pack } from './pack.js';
export type { PackFrame, PackOptions } from './pack.js';

/** World space, 3 numbers per joint in each array. */
export interface Kinematics {
  /** Units per second. */
  velocity: Float32Array;
  /** Units per second squared. */
  acceleration: Float32Array;
  /** Radians per second, about world axes. */
  angularVelocity: Float32Array;
  /** Radians per second squared. */
  angularAcceleration: Float32Array;
}

/** The motion of one joint over time, 3 numbers per time in each array. */
export interface Curves extends Kinematics {
  /** Seconds. */
  times: Float32Array;
  /** Of the joint. */
  position: Float32Array;
}

/** A velocity for one joint of a what-if, in world space. */
export interface WhatIfMotion {
  /** Name or index. */
  joint: string | number;
  /** Velocity, in units per second. */
  linear?: ArrayLike<number>;
  /** Radians per second. */
  angular?: ArrayLike<number>;
  /** Units per second squared. */
  linearAcceleration?: ArrayLike<number>;
  /** Radians per second squared. */
  angularAcceleration?: ArrayLike<number>;
}

/** Where a collider is, in world space. */
export interface PlacedCollider {
  /** What kind of body it is. */
  shape: 'capsule' | 'sphere' | 'plane';
  /** Index of the joint that it is fixed to; -1: to the world. */
  joint: number;
  /** One end of a capsule, the center of a sphere, or a point of a plane. */
  from: [number, number, number];
  /** The other end of a capsule, or the normal of a plane. */
  to: [number, number, number];
  /** Of a capsule or sphere. */
  radius: number;
}

const SHAPES = ['capsule', 'sphere', 'plane'] as const; // limber_collider_shape

/** How much the skin of one joint is stretched along its bone, at every key. */
export interface Stretch {
  /** The joint whose skin is stretched. */
  joint: number;
  /** Unit vector along its bone, in the frame of the joint. */
  axis: Float32Array;
  /** Seconds. */
  times: Float32Array;
  /** Per time: 1 is unchanged. */
  factors: Float32Array;
}

/** What a style's `timing`, `pose` and `body` found out about a character, and did to one of its clips. */
export interface Performance {
  /** The joint; -1: none. */
  hips: number;
  /** The joint; -1: none. */
  head: number;
  /** Joints, parents first. */
  trunk: number[];
  /** The first joint of each. */
  legs: number[];
  /** The first joint of each, without the legs. */
  limbs: number[];
  /** Travels steadily, or is a loop that never comes to rest: keeps its timing. */
  gait: boolean;
  /** Of key poses, in seconds of the plain clip. */
  keyTimes: number[];
  /** How many leaps. */
  flights: number;
  /** It runs faster and slower than the plain clip. */
  retimed: boolean;
  /** Poses are stronger than in the plain clip. */
  posed: boolean;
  /** The body is squashed or bent. */
  shaped: boolean;
  /** How much earlier or later something happens at most, in seconds. */
  maxShift: number;
  /** The slowest moment, as a part of the plain speed. */
  slowest: number;
  /** The fastest moment, as a multiple of the plain speed. */
  fastest: number;
  /** Share of the time that runs at less than 0.8 of the plain speed. */
  lingers: number;
  /** How much larger poses become. */
  poseGain: number;
  /** RMS distance of the skin from its mean shape in the plain clip, in body heights. */
  amplitude: number;
  /** The same in the performed clip. */
  newAmplitude: number;
  /** Height of the body where it is squashed most, as a part of its own. */
  shortest: number;
  /** Height of the body where it is stretched most, as a part of its own. */
  tallest: number;
  /** Of a step of "auto": frames of 1/24 s on ones, twos and threes. */
  heldFrames: [number, number, number];
  /** How many single holds of the style are in this clip. */
  holds: number;
}

const WHAT_IF = ['linear', 'linearAcceleration', 'angular', 'angularAcceleration'] as const;

/** As `clip_performance` writes it. */
function readPerformance(numbers: number[]): Performance {
  // prettier-ignore
  const [hips, head, trunks, limbs, legs, keys, flights, gait, retimed, posed, shaped, maxShift, slowest, fastest,
    lingers, poseGain, amplitude, newAmplitude, shortest, tallest, ones, twos, threes, holds, ...lists] = numbers;
  const trunk = lists.slice(0, trunks);
  const all = lists.slice(trunks, trunks + limbs);
  return {
    hips,
    head,
    trunk,
    legs: all.slice(0, legs),
    limbs: all.slice(legs),
    gait: !!gait,
    keyTimes: lists.slice(trunks + limbs, trunks + limbs + keys),
    flights,
    retimed: !!retimed,
    posed: !!posed,
    shaped: !!shaped,
    maxShift,
    slowest,
    fastest,
    lingers,
    poseGain,
    amplitude,
    newAmplitude,
    shortest,
    tallest,
    heldFrames: [ones, twos, threes],
    holds,
  };
}

enum From {
  Positions,
  Normals,
  Skinned,
  Deformed,
  Offsets,
  Velocity,
  Acceleration,
  AngularVelocity,
  AngularAcceleration,
  World,
  Local,
  Morphs,
}
const NORMALS = 1;
const SKINNED = 2;
const OFFSETS = 4;
const SMEAR_KINDS = ['copy', 'lines'] as const;

function expectSmearMesh(mesh: SmearMesh): void {
  check.object('a smear mesh', mesh);
  for (const name of ['positions', 'normals', 'colors'] as const)
    check.typed(`\`${name}\` of a smear mesh`, 'Float32Array', mesh[name]);
}

function readSmearMesh(heap: Heap, pipeline: number, i: number, previous?: SmearMesh): SmearMesh {
  const { wasm } = heap;
  const [kind, number, source, vertices, triangles, visible] = [0, 1, 2, 3, 4, 5].map((which) =>
    wasm.pipeline_smear_mesh_number(pipeline, i, which),
  );
  const fits = previous?.positions?.length === 3 * vertices && previous.triangles?.length === 3 * triangles;
  const array = (which: number, count: number, old?: Float32Array): Float32Array => {
    const into = fits && old ? old : new Float32Array(count);
    return visible ? heap.readFloats(wasm.pipeline_smear_mesh_array(pipeline, i, which), count, into) : into;
  };
  return {
    kind: SMEAR_KINDS[kind],
    name: heap.text(wasm.pipeline_smear_mesh_name(pipeline, i)),
    number,
    source,
    visible: visible !== 0,
    positions: array(0, 3 * vertices, previous?.positions),
    normals: array(1, 3 * vertices, previous?.normals),
    colors: array(2, 4 * vertices, previous?.colors),
    triangles: fits
      ? previous.triangles
      : heap.readWords(wasm.pipeline_smear_mesh_array(pipeline, i, 3), 3 * triangles),
  };
}

/** A pipeline in the memory of an engine. */
export interface PipelineState {
  /** Its address in the memory of the engine. */
  pointer: number;
  /** JSON. */
  style: string;
  /** Pointers of its streams. */
  lives: number[];
}

/** The part of a `Character` that a pipeline uses. */
export interface PipelineCharacter {
  /** @internal */ readonly heap: Heap;
  /** @internal */ readonly handle: number;
  readonly jointCount: number;
  readonly vertexCount: number;
  readonly morphCount: number;
  readonly size: number;
  readonly meshes: readonly MeshInfo[];
  readonly clips: readonly ClipInfo[];
  readonly joints: readonly JointInfo[];
  mesh(i: number): MeshData;
  clip(clip: number | string): ClipData;
  contacts(clip: number | string): Contacts;
  rigidParts(): RigidParts;
  clipIndex(clip: number | string): number;
  /** @internal */ keyedClip(clip: number | string): number;
  jointIndex(joint: number | string): number;
  expectStyle(style: StyleSource): void;
  pipeline(style?: StyleSource): Pipeline;
  /** @internal */ readyPipeline(style: string): PipelineState | undefined;
}

/** Made by `character.pipeline(style)`. */
export class Pipeline implements PipelineFrames {
  /** @internal */ readonly heap: Heap;
  private pointer: number;
  private current: Style = {};
  private readonly lives = new Set<Live>();
  /** Made by another engine, and not asked for yet. */
  private readyLives: number[] = [];
  /** Incremented with every style, so that a pack notices when it is outdated. @internal */
  generation = 0;
  /** The current pack in the module. @internal */
  packed?: Pack;

  /** @internal */
  constructor(
    readonly character: PipelineCharacter,
    style: StyleSource,
    private readonly forget: () => void,
  ) {
    this.heap = character.heap;
    this.pointer = withStyle(this.heap, style, (handle) => {
      this.current = readStyle(this.heap, handle);
      const ready = character.readyPipeline(JSON.stringify(this.current));
      this.readyLives = ready?.lives ?? [];
      return ready?.pointer ?? this.heap.handle(this.heap.wasm.pipeline_create(character.handle, handle));
    });
  }

  /** @internal */
  state(): PipelineState {
    const lives = [...this.lives].map((live) => live.handle);
    return { pointer: this.handle, style: JSON.stringify(this.current), lives };
  }

  /** @internal */
  get handle(): number {
    if (!this.pointer) throw new LimberError('the pipeline has been disposed');
    return this.pointer;
  }

  // --- style ---

  /** A copy of the style; change it with `restyle` or `set`. */
  get style(): Style {
    return structuredClone(this.current);
  }

  /** Replaces the style. Live streams continue. If the style is invalid, this throws and nothing changes. */
  restyle(style: StyleSource): void {
    this.change(style, () => {});
  }

  /** Changes individual keys: `set({ 'effects.floppy.angular': 0.5 })`. */
  set(changes: StyleChanges): void {
    this.change(this.current, (handle) => setKeys(this.heap, handle, changes));
  }

  private change(style: StyleSource, edit: (handle: number) => void): void {
    withStyle(this.heap, style, (handle) => {
      edit(handle);
      this.heap.check(this.heap.wasm.pipeline_restyle(this.handle, handle));
      this.current = readStyle(this.heap, handle);
      this.generation++;
    });
  }

  /** Warnings from binding the style to the character, such as a layer that no mesh has. */
  get warnings(): string[] {
    const { wasm } = this.heap;
    return Array.from({ length: wasm.pipeline_warning_count(this.handle) }, (_, i) =>
      this.heap.text(wasm.pipeline_warning(this.handle, i)),
    );
  }

  /** Whether the style has smears. */
  get smears(): boolean {
    return this.heap.wasm.pipeline_has(this.handle, 0) !== 0;
  }

  /** Whether the style edits clips (`timing`, `pose`, `exaggerate`). */
  get exaggerates(): boolean {
    return this.heap.wasm.pipeline_has(this.handle, 1) !== 0;
  }

  // --- clips ---

  /** Evaluates a clip (name or index; -1 is the rest pose) at a time in seconds. Writes into `out` if given. */
  evaluate(clip: number | string, time: number): Frame;
  evaluate<T extends FrameArrays>(clip: number | string, time: number, out: T): T;
  evaluate(clip: number | string, time: number, out: FrameArrays = this.arrays()): FrameArrays {
    this.expectRoom(out);
    this.evaluateJoints(clip, time);
    return this.evaluateVertices(out);
  }

  /**
   * The first half of an evaluation: the joints. Follow it with `kinematics`, `worldMatrices` or the `frame` of a pack.
   */
  evaluateJoints(clip: number | string, time: number): void {
    const index = this.character.clipIndex(clip);
    this.heap.check(this.heap.wasm.pipeline_pose(this.handle, index, check.number('the time', time)));
  }

  /** The second half of an evaluation: the vertices of the current pose (from a clip or live). */
  evaluateVertices(): Frame;
  evaluateVertices<T extends FrameArrays>(out: T): T;
  evaluateVertices(out: FrameArrays = this.arrays()): FrameArrays {
    this.ask(out);
    this.heap.wasm.pipeline_run(this.handle);
    return this.fill(out);
  }

  /** Evaluates a frame with smears. `fps` is the output rate in which smears are counted (0: the clip's own). */
  evaluateSmeared(
    clip: number | string,
    time: number,
    fps = 0,
    out: Smeared = { ...this.arrays(), offsets: new Float32Array(this.character.vertexCount), smearMeshes: [] },
  ): Smeared {
    const index = this.character.clipIndex(clip);
    check.number('the time', time);
    check.number('`fps`', fps);
    this.ask(out);
    this.heap.check(this.heap.wasm.pipeline_smear(this.handle, index, time, fps));
    return this.fillSmeared(out);
  }

  /** A what-if: the deformation of a frozen pose whose joints have the given velocities. `amount` scales them. */
  evaluateWhatIf(
    clip: number | string,
    time: number,
    motion: readonly WhatIfMotion[],
    amount = 1,
    out: FrameArrays = this.arrays(),
  ): FrameArrays {
    const { heap, character } = this;
    const index = character.clipIndex(clip);
    check.number('the time', time);
    check.finite('`amount`', amount);
    const values = this.motionOf(motion);
    this.ask(out);
    const pointer = heap.allocate(4 * values.length);
    try {
      heap.writeFloats(pointer, values);
      heap.check(heap.wasm.pipeline_what_if(this.handle, index, time, pointer, amount));
      return this.fill(out);
    } finally {
      heap.free(pointer);
    }
  }

  private motionOf(motion: readonly WhatIfMotion[]): Float32Array {
    const n = this.character.jointCount;
    const values = new Float32Array(12 * n);
    for (const m of check.list('the motion', motion)) {
      const j = this.character.jointIndex(check.object('a motion', m).joint);
      WHAT_IF.forEach((key, i) => {
        const v = m[key];
        if (v) values.set(check.finiteNumbers(`\`${key}\``, v, 3), 3 * (i * n + j));
      });
    }
    return values;
  }

  /** The time of the plain clip that is on show at a time: another one where the style has a `timing`. */
  sourceTime(clip: number | string, time: number): number {
    const index = this.character.keyedClip(clip);
    return this.heap.wasm.clip_source_time(this.handle, index, check.number('`time`', time));
  }

  /** What `timing`, `pose` and `body` of the style do to a clip; undefined if nothing of it looks at the clip. */
  performance(clip: number | string): Performance | undefined {
    const { heap } = this;
    const index = this.character.keyedClip(clip);
    const count = heap.wasm.clip_performance(this.handle, index, 0);
    if (!count) return undefined;
    const pointer = heap.allocate(4 * count);
    try {
      heap.wasm.clip_performance(this.handle, index, pointer);
      return readPerformance([...heap.readFloats(pointer, count)]);
    } finally {
      heap.free(pointer);
    }
  }

  /** The clip after the style's `timing`, `pose` and `exaggerate`, or the clip itself if the style does not edit it. */
  clip(clip: number | string): ClipData {
    const handle = this.heap.wasm.clip_of_pipeline(this.handle, this.character.keyedClip(clip));
    return readClip(this.heap, handle, (mesh) => this.character.meshes[mesh].morphCount);
  }

  /** How the skin stretches along the bones of an edited clip. */
  stretches(clip: number | string): Stretch[] {
    const { heap } = this;
    const { wasm } = heap;
    const index = this.character.keyedClip(clip);
    const p = this.handle;
    return Array.from({ length: wasm.stretch_count(p, index) }, (_, i) => {
      const keys = wasm.stretch_number(p, index, i, 1);
      const array = (which: number, count: number) => heap.readFloats(wasm.stretch_array(p, index, i, which), count);
      return {
        joint: wasm.stretch_number(p, index, i, 0),
        axis: array(0, 3),
        times: array(1, keys),
        factors: array(2, keys),
      };
    });
  }

  /**
   * The floor of a clip and what stands on it, with the `floor` and the corrections (`contacts`) of the style. Dispose
   * of it before the character.
   */
  holds(clip: number | string): Holds {
    const { heap, character } = this;
    const index = character.clipIndex(clip);
    if (index < 0) throw new LimberError('the rest pose has no contacts');
    const found = heap.wasm.contacts_of_pipeline(this.handle, index);
    return new Holds(heap, found, character.clips[index].start, character.jointCount);
  }

  /** The parts that keep their shape with this style; none if its `rigid` is off. */
  rigidParts(): RigidParts {
    const { heap, character } = this;
    if (!heap.wasm.rigid_is_on(this.handle))
      return { parts: [], ofVertex: new Int32Array(character.vertexCount).fill(-1) };
    return readRigidParts(heap, heap.wasm.rigid_create(character.handle, this.handle), character.vertexCount);
  }

  /** The motion of all joints in the current pose, before filters. */
  kinematics(out?: Kinematics): Kinematics {
    const n = 3 * this.character.jointCount;
    if (out) check.room(out, { velocity: n, acceleration: n, angularVelocity: n, angularAcceleration: n });
    const read = (which: From, into?: Float32Array) => this.heap.readFloats(this.array(which), n, into);
    return {
      velocity: read(From.Velocity, out?.velocity),
      acceleration: read(From.Acceleration, out?.acceleration),
      angularVelocity: read(From.AngularVelocity, out?.angularVelocity),
      angularAcceleration: read(From.AngularAcceleration, out?.angularAcceleration),
    };
  }

  /** World matrices of the current pose, 16 numbers per joint, column-major. */
  worldMatrices(out?: Float32Array): Float32Array {
    return this.copy(From.World, 16 * this.character.jointCount, out);
  }

  /** Local transforms of the current pose, 10 numbers per joint: translation, rotation (x, y, z, w) and scale. */
  localTransforms(out?: Float32Array): Float32Array {
    return this.copy(From.Local, 10 * this.character.jointCount, out);
  }

  /**
   * The colliders of the current frame, moved along by the effects. If the style has none: those that `auto` would use,
   * around the bones of the current pose. Call it after the vertices or the `frame` of a pack were computed.
   */
  colliders(): PlacedCollider[] {
    const { heap } = this;
    const count = heap.wasm.pipeline_colliders(this.handle, 0);
    const pointer = heap.allocate(4 * 9 * count);
    try {
      heap.wasm.pipeline_colliders(this.handle, pointer);
      const rows = heap.readFloats(pointer, 9 * count);
      return Array.from({ length: count }, (_, i) => {
        const [shape, joint, x, y, z, toX, toY, toZ, radius] = rows.subarray(9 * i, 9 * i + 9);
        return { shape: SHAPES[shape], joint, from: [x, y, z], to: [toX, toY, toZ], radius };
      });
    } finally {
      heap.free(pointer);
    }
  }

  /** Morph weights of the current pose, all meshes in order. */
  morphWeights(out?: Float32Array): Float32Array {
    return this.copy(From.Morphs, this.character.morphCount, out);
  }

  /** The motion of one joint over a clip. */
  curves(clip: number | string, joint: number | string, times: ArrayLike<number>): Curves {
    const { heap } = this;
    const j = this.character.jointIndex(joint);
    const n = check.times('`times`', times).length;
    const make = () => new Float32Array(3 * n);
    const out: Curves = {
      times: Float32Array.from(times),
      position: make(),
      velocity: make(),
      acceleration: make(),
      angularVelocity: make(),
      angularAcceleration: make(),
    };
    for (let i = 0; i < n; i++) {
      this.evaluateJoints(clip, times[i]);
      const put = (into: Float32Array, pointer: number) => into.set(heap.readFloats(pointer, 3), 3 * i);
      put(out.position, this.array(From.World) + 4 * (16 * j + 12));
      put(out.velocity, this.array(From.Velocity) + 12 * j);
      put(out.acceleration, this.array(From.Acceleration) + 12 * j);
      put(out.angularVelocity, this.array(From.AngularVelocity) + 12 * j);
      put(out.angularAcceleration, this.array(From.AngularAcceleration) + 12 * j);
    }
    return out;
  }

  /** Bakes every frame of the clips to morph targets or bones. This takes seconds for long clips of large characters. */
  bake(options: BakeOptions = {}): Bake {
    return readBake(this, options);
  }

  // --- live and shaders ---

  /**
   * Starts a live stream of poses; create one per character. All streams of a pipeline share its vertex memory. Pass
   * `before`, a stream of another pipeline of the same character, to continue its motion.
   */
  live(before?: Live): Live {
    if (before !== undefined && (!(before instanceof Live) || before.pipeline.character !== this.character))
      throw new LimberError('`before` must be a stream of the same character');
    const ready = before ? undefined : this.readyLives.shift();
    const live = new Live(this, before, () => this.lives.delete(live), ready);
    this.lives.add(live);
    return live;
  }

  /**
   * Packs data for the vertex shader. Throws if the shader does not support the style. A pipeline has one pack at a
   * time.
   */
  pack(options: PackOptions = {}): Pack {
    return new Pack(this, options);
  }

  // --- arrays ---

  private arrays(): Frame {
    const n = 3 * this.character.vertexCount;
    return { positions: new Float32Array(n), normals: new Float32Array(n) };
  }

  private array(which: From): number {
    return this.heap.wasm.pipeline_array(this.handle, which) >>> 0;
  }

  private copy(which: From, count: number, out?: Float32Array): Float32Array {
    if (out) check.typed('the array', 'Float32Array', out, count);
    return this.heap.readFloats(this.array(which), count, out);
  }

  private expectRoom(out: Smeared): void {
    const n = this.character.vertexCount;
    check.room(out, { positions: 3 * n, normals: 3 * n, skinned: 3 * n, deformed: 3 * n, offsets: n });
    if (out.smearMeshes) check.list('`smearMeshes`', out.smearMeshes).forEach(expectSmearMesh);
  }

  /** Tells the module what the next evaluation has to compute. @internal */
  ask(out: Smeared): void {
    this.expectRoom(out);
    const wanted = (out.normals ? NORMALS : 0) | (out.skinned ? SKINNED : 0) | (out.offsets ? OFFSETS : 0);
    this.heap.wasm.pipeline_outputs(this.handle, wanted | (out.smearMeshes ? NORMALS : 0));
  }

  /** @internal */
  fill<T extends FrameArrays>(out: T): T {
    const n = 3 * this.character.vertexCount;
    if (out.positions) this.heap.readFloats(this.array(From.Positions), n, out.positions);
    if (out.normals) this.heap.readFloats(this.array(From.Normals), n, out.normals);
    if (out.skinned) this.heap.readFloats(this.array(From.Skinned), n, out.skinned);
    return out;
  }

  /** @internal */
  fillSmeared(out: Smeared): Smeared {
    const vertices = this.character.vertexCount;
    this.fill(out);
    if (out.deformed) this.heap.readFloats(this.array(From.Deformed), 3 * vertices, out.deformed);
    const offsets = this.array(From.Offsets);
    if (out.offsets && offsets) this.heap.readFloats(offsets, vertices, out.offsets);
    if (out.smearMeshes) {
      const before = out.smearMeshes;
      out.smearMeshes = Array.from({ length: this.heap.wasm.pipeline_smear_mesh_count(this.handle) }, (_, i) =>
        readSmearMesh(this.heap, this.handle, i, before[i]),
      );
    }
    return out;
  }

  /** Frees the pipeline and all its streams. */
  dispose(): void {
    if (!this.pointer) return;
    for (const live of [...this.lives]) live.dispose();
    for (const live of this.readyLives) this.heap.wasm.live_destroy(live);
    this.heap.wasm.pipeline_destroy(this.pointer);
    this.pointer = 0;
    this.forget();
  }
}
