// A three.js character with cartoon motion.
import { Matrix4, Vector3 } from 'three';
import type { AnimationClip, Intersection, Mesh, Object3D, Raycaster, WebGLRenderer } from 'three';
import type { Character } from '../character.js';
import type { Engine } from '../engine.js';
import type { Live, LiveOptions } from '../live.js';
import type { Smeared } from '../frame.js';
import type { PlacedCollider, WhatIfMotion, Pipeline } from '../pipeline.js';
import type { StyleSource } from '../style.js';
import type { CurrentStyle, Style, StyleChanges } from '../style.generated.js';
import * as check from '../check.js';
import { bakeClip } from './bake.js';
import type { Baked, BakeClipOptions } from './bake.js';
import { claim, expectArguments, expectClip, unclaim } from './border.js';
import { frozen, join } from './cast.js';
import type { Cast, Compute, StyledCharacter } from './cast.js';
import { DeformPass } from './deform_pass.js';
import { watchLateMeshes } from './late_meshes.js';
import type { Technique } from './material.js';
import { SmearMeshes } from './smear_meshes.js';
import { Place } from './place.js';
import { mayMeet, meet } from './raycast.js';
import { inOrder } from './order.js';
import { findRig, FLOATS_OF_JOINT, nameOf, readLocal, worldMatrix, writeLocal } from './rig.js';
import type { Rig, RigidMeshes } from './rig.js';
import { Screen } from './screen.js';
import { SmearPasses } from './smear_passes.js';
import { WEBGL } from './webgl.js';
import { SmearPack } from '../smear_pack.js';
import { LimberError } from '../wasm.js';

/** Options of `limber()`. */
export interface ToonOptions {
  /** The engine to use. Default: a shared engine, loaded when first needed. */
  engine?: Engine;
  /** Clips that `exact` and `bake` can find by name or index. You can also pass them other clips at any time. */
  clips?: readonly AnimationClip[];
  /**
   * Which unskinned meshes are deformed: `bones` (those attached to bones; the default if there is a skinned mesh),
   * `all` (all meshes in the object; the default if there is none), or `none`.
   */
  rigid?: RigidMeshes;
  /** Where to compute the vertices. `auto` (default): on the GPU, unless the style needs the CPU. */
  compute?: Compute;
  /** Settings for live smears. */
  smear?: LiveOptions;
  /**
   * The renderer that draws the character: then live smears are computed on the GPU, too, where the style allows it. A
   * WebGPURenderer must be initialized.
   */
  renderer?: unknown;
  /**
   * true: with `renderer`, deforms once per frame into a texture that all passes read (color, shadows, depth, several
   * cameras), instead of once in every pass. Tangents are then only made perpendicular to the new normals.
   */
  once?: boolean;
}

/** Options of `toon.exact()`. */
export interface ExactOptions {
  /** Frame rate for counting smear frames. 0 (default): the clip's own. */
  fps?: number;
}

/** The exact frame on display, if any; needed to compute positions and to apply another style. */
type Moment =
  | { clip: number; time: number; options: ExactOptions; whatIf?: { motion: readonly WhatIfMotion[]; amount: number } }
  | undefined;

function transform(from: Float32Array, { elements: e }: Matrix4, into: Float32Array): void {
  for (let i = 0; i < from.length; i += 3) {
    const x = from[i];
    const y = from[i + 1];
    const z = from[i + 2];
    into[i] = e[0] * x + e[4] * y + e[8] * z + e[12];
    into[i + 1] = e[1] * x + e[5] * y + e[9] * z + e[13];
    into[i + 2] = e[2] * x + e[6] * y + e[10] * z + e[14];
  }
}

/** Renderers of both kinds have what passes need. */
function rendererOf(given: unknown): WebGLRenderer | undefined {
  const renderer = given as (WebGLRenderer & { isWebGPURenderer?: boolean; initialized?: boolean }) | undefined;
  if (renderer?.isWebGPURenderer && renderer.initialized === false)
    throw new LimberError('the renderer is not ready: call await renderer.init() first');
  return renderer;
}

/** Made by `limber()`. */
export class Toon {
  /** Warnings: layers that no mesh has, unsupported tracks, skipped instances, meshes that came too late. */
  readonly warnings: string[] = [];
  /** The given object or, for a mesh, the common ancestor of the mesh and its bones. */
  readonly root: Object3D;
  private readonly rig: Rig;
  private cast: Cast;
  private readonly screen: Screen;
  private readonly place: Place;
  private readonly smearMeshes: SmearMeshes;
  private clips: AnimationClip[];
  private readonly compute: Compute;
  private readonly smearing: LiveOptions | undefined;
  private readonly renderer: WebGLRenderer | undefined;
  private readonly technique: Technique;
  private once: DeformPass | undefined;
  private smears: { styled: StyledCharacter; passes?: SmearPasses; reason: string } | undefined;
  private styled: StyledCharacter;
  private exactStyled: StyledCharacter | undefined;
  private live: Live;
  private readonly pose: Float32Array;
  private readonly morphs: Float32Array;
  private readonly exactStage = new Matrix4();
  private readonly unwatch: () => void;
  private frame: Smeared = {};
  private moment: Moment;
  private clock = 0;
  private realTime = 0; // wall-clock time of the last update without a step
  private styleNow: CurrentStyle;
  private disposed = false;

  /** @internal */
  constructor(
    engine: Engine,
    object: Object3D,
    style: StyleSource,
    options: ToonOptions,
    technique: Technique = WEBGL,
  ) {
    expectArguments(object, options);
    this.rig = inOrder(engine, findRig(object, options.rigid, this.warnings), options.clips ?? []);
    this.root = this.rig.root;
    this.compute = options.compute ?? 'auto';
    this.smearing = options.smear;
    this.renderer = rendererOf(options.renderer);
    this.technique = technique;
    this.clips = [...(options.clips ?? [])];
    this.styleNow = frozen(engine.parseStyle(style));
    claim(this.rig);
    try {
      this.cast = join(engine, this.rig);
    } catch (error) {
      unclaim(this.rig);
      throw error;
    }
    try {
      this.styled = this.cast.styled(this.styleNow, this.compute);
      this.live = this.startLive(this.styled);
      this.screen = new Screen(this.rig, this.character.meshes, this.character.size, technique);
    } catch (error) {
      unclaim(this.rig);
      this.cast.release();
      throw error;
    }
    this.warnings.push(...this.styled.pipeline.warnings);
    this.unwatch = watchLateMeshes(this.rig, this.warnings);
    this.place = new Place(this.root, this.character.size);
    this.smearMeshes = new SmearMeshes(this.root);
    if (options.once) this.once = this.deformOnce();
    this.pose = this.rig.rest.slice();
    this.morphs = new Float32Array(this.character.morphCount);
    try {
      this.update(0);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** The engine's character: size, joints, layers. */
  get character(): Character {
    return this.cast.character;
  }

  /** The deformed meshes, in the order of `positions()`. */
  get meshes(): Mesh[] {
    return this.rig.parts.map((part) => part.mesh);
  }

  /** Where the vertices are computed and, if that is the CPU, why. */
  get computed(): { on: 'gpu' | 'cpu'; reason: string } {
    const { passes, reason } = this.smears ?? {};
    const gpu = this.styled.pack || passes;
    return { on: gpu ? 'gpu' : 'cpu', reason: gpu ? '' : reason || this.styled.reason };
  }

  // --- style ---

  /**
   * The current style (read-only). Assign a style (object, preset or JSON text) or call `patch` to change it. Keys that
   * the style does not have are undefined; `style.effects.floppy` is there even if the style has no such effect.
   */
  get style(): CurrentStyle {
    return this.styleNow;
  }

  set style(style: StyleSource) {
    this.expectAlive();
    this.applyStyle(this.cast.engine.parseStyle(style));
  }

  /**
   * Changes individual keys: `patch({ 'effects.floppy.angular': 0.5 })`. Throws if a key or value is invalid, without
   * changing anything.
   */
  patch(changes: StyleChanges): void {
    this.expectAlive();
    this.applyStyle(this.cast.engine.parseStyle(this.styleNow, changes));
  }

  /** The motion continues, and no shader is recompiled. */
  private applyStyle(style: Style): void {
    this.expectAlive();
    const styled = this.cast.styled(style, this.compute);
    let live: Live;
    try {
      live = this.startLive(styled, this.live);
    } catch (error) {
      styled.release();
      throw error;
    }
    this.live.dispose();
    this.styled.release();
    this.dropExact();
    this.styled = styled;
    this.live = live;
    if (!styled.pipeline.smears) this.dropSmears();
    this.styleNow = frozen(style);
    this.warnings.splice(0, Infinity, ...styled.pipeline.warnings);
    this.showAgain();
  }

  /**
   * Wears a style that another thread has made: `engine` has resumed the state of an engine there, with this character.
   * What is not found in it is made here. Show a frame afterwards, with `exact` or `update`.
   */
  resume(engine: Engine, style: StyleSource): void {
    this.expectAlive();
    const next = frozen(engine.parseStyle(style));
    const cast = join(engine, this.rig);
    let made: { styled: StyledCharacter; live: Live };
    try {
      cast.learn(this.clips, this.warnings);
      const styled = cast.styled(next, this.compute);
      made = { styled, live: this.startLive(styled) };
    } catch (error) {
      cast.release();
      throw error;
    }
    this.dropSmears();
    this.dropExact();
    this.live.dispose();
    this.styled.release();
    this.cast.release();
    [this.cast, this.styled, this.live] = [cast, made.styled, made.live];
    this.styleNow = next;
    this.warnings.splice(0, Infinity, ...made.styled.pipeline.warnings);
    this.moment = undefined;
  }

  private showAgain(): void {
    const { moment } = this;
    if (!moment) return this.push();
    const clip = this.cast.clipAt(moment.clip);
    if (moment.whatIf) this.whatIf(clip, moment.time, moment.whatIf.motion, moment.whatIf.amount);
    else this.exact(clip, moment.time, moment.options);
  }

  private startLive(styled: StyledCharacter, before?: Live): Live {
    const live = styled.pipeline.live(before);
    if (styled.pipeline.smears && this.smearing) live.setSmears(this.smearing);
    return live;
  }

  // --- live ---

  /**
   * Reads the current pose of the bones, `step` seconds after the previous one. Call it once per frame, after the
   * animation. Default step: wall-clock time since the last call.
   */
  update(step: number = this.elapsed()): void {
    this.expectAlive();
    if (!Number.isFinite(step))
      throw new LimberError(`the step must be a finite number of seconds, not ${check.shown(step)}`);
    this.clock += step;
    this.moment = undefined;
    this.push();
  }

  private elapsed(): number {
    const now = performance.now() / 1000;
    const step = this.realTime ? now - this.realTime : 0;
    this.realTime = now;
    return step;
  }

  private push(): void {
    const { rig, pose, live, styled } = this;
    const { nodes } = rig;
    if (this.place.write(pose)) this.forgetMotion();
    for (let j = 1; j < nodes.length; j++) readLocal(nodes[j], pose, FLOATS_OF_JOINT * j);
    live.push(pose, this.clock, this.readMorphs());
    const passes = this.smearPasses(styled);
    if (passes) return this.showPasses(passes, styled);
    if (styled.pack) this.showEffects(styled);
    else this.showPlaces(styled.pipeline.smears ? live.evaluateSmeared(this.arrays()) : live.evaluate(this.arrays()));
    this.screen.place(this.place.stage, styled);
    this.showSmearMeshes(styled, this.place.stage);
  }

  private showPasses(passes: SmearPasses, styled: StyledCharacter): void {
    this.screen.showPack(styled);
    passes.update(this.clock);
    this.screen.showTexture(passes.texture);
    this.screen.place(this.place.stage, styled);
    this.smearMeshes.clear();
    passes.show(this.place.stage);
  }

  // --- on the GPU, before anything is drawn ---

  private deformOnce(): DeformPass {
    return new DeformPass(
      this.renderer!,
      this.technique,
      this.screen,
      1,
      1024 * Math.ceil(this.character.vertexCount / 512),
    );
  }

  /** The effects of the current pose. */
  private showEffects(styled: StyledCharacter): void {
    this.screen.showPack(styled);
    if (!this.once) return;
    this.once.draw(0);
    this.screen.showTexture(this.once.texture);
  }

  /** Live smears, where the GPU does them. */
  private smearPasses(styled: StyledCharacter): SmearPasses | undefined {
    if (!this.renderer || this.compute === 'cpu' || !styled.pipeline.smears) return undefined;
    if (this.smears?.styled === styled) return this.smears.passes;
    const before = this.smears?.passes;
    const made = this.makeSmears(styled, this.renderer);
    this.smears = { styled, ...made };
    before?.dispose(); // after the new ones, which may have the same programs
    return made.passes;
  }

  private makeSmears(styled: StyledCharacter, renderer: WebGLRenderer): { passes?: SmearPasses; reason: string } {
    try {
      styled.packEffects();
      const pack = new SmearPack(styled.pipeline, this.smearing);
      this.live.push(this.pose, this.clock, this.readMorphs());
      pack.push(this.clock);
      const { screen, technique, root, character } = this;
      return { passes: new SmearPasses(renderer, technique, screen, pack, root, character.meshes), reason: '' };
    } catch (error) {
      if (!(error instanceof LimberError) || error.kind !== 'unsupported') throw error;
      return { reason: error.message };
    }
  }

  private forgetMotion(): void {
    this.live.reset();
    this.smears?.passes?.pack.reset();
  }

  private dropSmears(): void {
    this.smears?.passes?.dispose();
    this.smears = undefined;
  }

  private readMorphs(): Float32Array | undefined {
    if (!this.morphs.length) return undefined;
    this.rig.parts.forEach(({ mesh }, i) => {
      const { firstMorph, morphCount } = this.character.meshes[i];
      for (let k = 0; k < morphCount; k++) this.morphs[firstMorph + k] = mesh.morphTargetInfluences?.[k] ?? 0;
    });
    return this.morphs;
  }

  /**
   * Clears the motion history: the next pose counts as the first. Call it after a cut or when you have moved the
   * character to another place.
   */
  reset(): void {
    this.expectAlive();
    this.forgetMotion();
    this.place.forget();
  }

  // --- clips ---

  /** Replaces the clips given to `limber()`, which `exact` and `bake` find by name or index. */
  setClips(clips: readonly AnimationClip[]): void {
    this.expectAlive();
    this.clips = clips.map(expectClip);
  }

  private findClip(clip: AnimationClip | string | number): AnimationClip {
    if (typeof clip !== 'string' && typeof clip !== 'number') return expectClip(clip);
    const found = typeof clip === 'number' ? this.clips[clip] : this.clips.find((one) => one.name === clip);
    if (!found)
      throw new LimberError(
        `there is no clip ${check.shown(clip)} among the clips passed to limber(); pass the AnimationClip itself`,
      );
    return found;
  }

  /** The character with this clip, in the current style. */
  private exactFor(clip: AnimationClip): StyledCharacter {
    const character = this.cast.learn([...this.clips, clip], this.warnings);
    if (this.exactStyled?.character !== character) this.dropExact();
    this.exactStyled ??= this.cast.exactStyled(this.styleNow, this.compute);
    return this.exactStyled;
  }

  private dropExact(): void {
    this.exactStyled?.release();
    this.exactStyled = undefined;
  }

  /**
   * Shows a clip at a time in seconds, exactly as `limber apply` would write it: computed from the clip before and
   * after that time, not from the poses seen so far. Also poses the bones. Smears into the future, motion lines and
   * `exaggerate` work only here.
   */
  exact(clip: AnimationClip | string | number, time: number, options: ExactOptions = {}): void {
    this.expectAlive();
    const known = this.findClip(clip);
    check.number('the time', time);
    check.number('`fps`', check.object('the options', options).fps ?? 0);
    const styled = this.exactFor(known);
    const index = this.cast.clipIndex(known);
    const { pipeline } = styled;
    this.forgetMotion();
    this.smears?.passes?.hide();
    this.moment = { clip: index, time, options };
    pipeline.evaluateJoints(index, time);
    this.poseNodes(styled, index);
    if (styled.pack) this.showEffects(styled);
    else
      this.showPlaces(
        pipeline.smears
          ? pipeline.evaluateSmeared(index, time, options.fps ?? 0, this.arrays())
          : pipeline.evaluateVertices(this.arrays()),
      );
    this.screen.place(this.exactStage, styled);
    this.showSmearMeshes(styled, this.exactStage);
  }

  /**
   * Shows a what-if: a frozen pose of a clip whose joints have the given velocities (in the clip's world). Use it to
   * see what the effects make of a motion that nobody has animated. `amount` scales the motion. Smears are left out.
   */
  whatIf(clip: AnimationClip | string | number, time: number, motion: readonly WhatIfMotion[], amount = 1): void {
    this.expectAlive();
    const known = this.findClip(clip);
    const styled = this.exactFor(known);
    const index = this.cast.clipIndex(known);
    const { positions, normals } = this.arrays();
    styled.pipeline.evaluateWhatIf(index, time, motion, amount, { positions, normals });
    this.forgetMotion();
    this.smears?.passes?.hide();
    this.moment = { clip: index, time, options: {}, whatIf: { motion, amount } };
    this.poseNodes(styled, index);
    this.screen.showPlaces(positions, normals);
    this.screen.place(this.exactStage, styled);
    this.smearMeshes.clear();
  }

  /** The root keeps its position, unless the clip animates it. */
  private poseNodes(styled: StyledCharacter, clip: number): void {
    const { nodes, parts } = this.rig;
    const { pipeline } = styled;
    const pose = pipeline.localTransforms(this.pose);
    const moves = this.cast.movesRoot(clip);
    for (let j = moves ? 0 : 1; j < nodes.length; j++) writeLocal(nodes[j], pose, FLOATS_OF_JOINT * j);
    if (this.morphs.length) {
      const weights = pipeline.morphWeights(this.morphs);
      parts.forEach(({ mesh }, i) => {
        const { firstMorph, morphCount } = styled.character.meshes[i];
        for (let k = 0; k < morphCount; k++) mesh.morphTargetInfluences![k] = weights[firstMorph + k];
      });
    }
    const above = moves ? this.root.parent : this.root;
    if (above) worldMatrix(above, this.exactStage);
    else this.exactStage.identity();
  }

  /**
   * The engine's pipeline behind the exact frames of a clip, for curves, what-ifs and your own bakes. It has the
   * current style; ask again after a change.
   */
  exactPipeline(clip: AnimationClip | string | number): { pipeline: Pipeline; clip: number } {
    this.expectAlive();
    const known = this.findClip(clip);
    const { pipeline } = this.exactFor(known);
    return { pipeline, clip: this.cast.clipIndex(known) };
  }

  /**
   * Reads the layers (attributes `_limber_NAME`) of the geometries again. This is fast enough for every step of a
   * brush. Clones of the character use the new values from their next frame on. Returns false if layers were added or
   * removed since `limber()` was called; then the character has to be created again.
   */
  repaint(): boolean {
    this.expectAlive();
    if (!this.cast.repaint()) return false;
    this.showAgain();
    return true;
  }

  /** Bakes a clip to morph targets that three.js can play without limber. This can take seconds. */
  bake(clip: AnimationClip | string | number, options: BakeClipOptions = {}): Baked {
    this.expectAlive();
    const known = this.findClip(clip);
    check.object('the options', options);
    const styled = this.exactFor(known);
    return bakeClip(
      this.rig,
      styled.pipeline,
      known,
      this.cast.clipIndex(known),
      options,
      this.cast.movesRoot(this.cast.clipIndex(known)),
      (i) => this.screen.shown[i].materials.plainAll,
    );
  }

  // --- vertices ---

  private arrays(): Required<Pick<Smeared, 'positions' | 'normals' | 'smearMeshes'>> {
    const count = 3 * this.character.vertexCount;
    this.frame.positions ??= new Float32Array(count);
    this.frame.normals ??= new Float32Array(count);
    this.frame.smearMeshes ??= [];
    return this.frame as Required<Smeared>;
  }

  private showPlaces(frame: Smeared): void {
    this.screen.showPlaces(frame.positions!, frame.normals!);
  }

  private showSmearMeshes(styled: StyledCharacter, stage: Matrix4): void {
    if (!styled.pipeline.smears) return this.smearMeshes.clear();
    this.smearMeshes.show(this.frame.smearMeshes ?? [], stage, (i) => {
      const shown = this.screen.shown[i];
      return { mesh: shown.part.mesh, material: shown.materials.plain() };
    });
  }

  /** Vertices of the current frame in the engine's world. */
  private vertices(): Float32Array {
    const { moment } = this;
    const shown = moment ? this.exactFor(this.cast.clipAt(moment.clip)) : this.styled;
    if (!(shown.pack || (!moment && this.smears?.passes)) || moment?.whatIf) return this.frame.positions!;
    if (moment) shown.pipeline.evaluateJoints(moment.clip, moment.time);
    else this.live.push(this.pose, this.clock, this.morphs.length ? this.morphs : undefined);
    return shown.pipeline.evaluateVertices({ positions: new Float32Array(3 * this.character.vertexCount) }).positions;
  }

  /**
   * World positions of the current frame, 3 numbers per vertex, of one mesh or of all meshes in order. They are
   * computed on the CPU, without smears that the GPU adds. Bounding boxes of three.js ignore the deformation.
   */
  positions(mesh?: Mesh, out?: Float32Array): Float32Array {
    this.expectAlive();
    const index = mesh ? this.rig.parts.findIndex((part) => part.mesh === mesh) : -1;
    if (mesh && index < 0) throw new LimberError(`${nameOf(mesh)} is not one of the character's meshes`);
    const { meshes, vertexCount } = this.character;
    const wanted = 3 * (mesh ? meshes[index].vertexCount : vertexCount);
    const into = check.typed('the array', 'Float32Array', out ?? new Float32Array(wanted), wanted);
    const all = this.vertices();
    let at = 0;
    for (const i of mesh ? [index] : meshes.keys()) {
      const first = 3 * meshes[i].firstVertex;
      const count = 3 * meshes[i].vertexCount;
      transform(all.subarray(first, first + count), this.screen.shown[i].world(), into.subarray(at, at + count));
      at += count;
    }
    return into;
  }

  /**
   * What a ray meets, nearest first, as `raycaster.intersectObject` would, but on the deformed surface; that of three.js
   * meets the plain skin. The vertices are computed on the CPU where the ray comes near the character.
   */
  raycast(raycaster: Raycaster): Intersection[] {
    this.expectAlive();
    if (!raycaster?.ray || !raycaster.layers)
      throw new LimberError(`raycast() needs a Raycaster of three.js, not ${check.shown(raycaster)}`);
    const { meshes } = this.character;
    this.root.updateWorldMatrix(true, true);
    const near = [...meshes.keys()].filter((i) => mayMeet(raycaster, this.rig.parts[i].mesh));
    if (!near.length) return [];
    const all = this.positions();
    const found = near.flatMap((i) => {
      const { firstVertex, vertexCount } = meshes[i];
      const positions = all.subarray(3 * firstVertex, 3 * (firstVertex + vertexCount));
      return meet(raycaster, {
        mesh: this.rig.parts[i].mesh,
        positions,
        material: this.screen.shown[i].materials.plainAll,
      });
    });
    return found.sort((a, b) => a.distance - b.distance);
  }

  /**
   * Where the colliders of the current frame are, in the world of three.js. If the style has none: those that `auto`
   * would use.
   */
  colliders(): PlacedCollider[] {
    this.expectAlive();
    const shown = this.moment ? this.exactFor(this.cast.clipAt(this.moment.clip)) : this.styled;
    const stage = this.moment ? this.exactStage : this.place.stage;
    const point = new Vector3();
    return shown.pipeline.colliders().map((one) => ({
      ...one,
      from: point.fromArray(one.from).applyMatrix4(stage).toArray(),
      to: (one.shape === 'plane'
        ? point.fromArray(one.to).transformDirection(stage)
        : point.fromArray(one.to).applyMatrix4(stage)
      ).toArray(),
      radius: one.radius * stage.getMaxScaleOnAxis(),
    }));
  }

  // --- dispose ---

  private expectAlive(): void {
    if (this.disposed) throw new LimberError('the character has been disposed');
  }

  /** Gives the meshes their own materials back and frees everything. It is safe to call it twice. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    unclaim(this.rig);
    this.unwatch();
    this.smearMeshes.clear();
    this.dropSmears();
    this.once?.dispose();
    this.screen.dispose();
    this.live.dispose();
    this.dropExact();
    this.styled.release();
    this.cast.release();
  }
}
