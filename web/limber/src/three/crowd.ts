// Many characters in one draw call per mesh: each member has its own place, clip and time.
import { Box3, BufferAttribute, BufferGeometry, Group, Matrix4, Mesh, Sphere, Vector3 } from 'three';
import type { AnimationClip, Camera, Intersection, Object3D, Raycaster } from 'three';
import type { Character } from '../character.js';
import type { Crowd, CrowdMember } from '../crowd.js';
import type { ClipDescription } from '../description.js';
import type { Engine } from '../engine.js';
import type { StyleSource } from '../style.js';
import type { CurrentStyle, Style, StyleChanges } from '../style.generated.js';
import { LimberError } from '../wasm.js';
import { frozen } from './cast.js';
import { describeClip } from './clip.js';
import { CrowdMeshes, crowdRig } from './crowd_meshes.js';
import type { Technique } from './material.js';
import { WEBGL } from './webgl.js';
import { ToonMember } from './member.js';
import { inOrder } from './order.js';
import { describe, findRig } from './rig.js';
import type { Rig, RigidMeshes } from './rig.js';

/** Members further from the camera than `distance` are computed in every n-th frame only. */
export interface CrowdRate {
  distance: number;
  every: number;
}

/** Options of `limberCrowd()`. */
export interface ToonCrowdOptions {
  /** Number of members. */
  count: number;
  /** The engine to use. Default: a shared engine, loaded when first needed. */
  engine?: Engine;
  /** Clips that members can play. Default: `animations` of the object that you pass. */
  clips?: readonly AnimationClip[];
  /** Which unskinned meshes belong to the character, as for `limber()`. */
  rigid?: RigidMeshes;
  /**
   * Times are rounded to multiples of it (seconds), so that more members share a moment and are computed only once:
   * 1 / 60 is barely noticeable. 0 (default): every member is computed at its own time.
   */
  step?: number;
  /** Far members are computed less often; pass the camera to `update`. */
  rates?: readonly CrowdRate[];
}

/** What GLTFLoader loads, or any object. */
export type CrowdSource = Object3D | { scene: Object3D; animations?: readonly AnimationClip[] };

const MAX_COUNT = 1 << 20;
const SAMPLE_S = 0.1;
const MAX_SAMPLES = 2000;

export function objectOf(source: CrowdSource): Object3D {
  const object = 'isObject3D' in source ? source : source?.scene;
  if (!object?.isObject3D) throw new LimberError('a crowd needs an object, or a glTF file that was loaded', 'argument');
  return object;
}

function checkOptions({ count, rates = [] }: ToonCrowdOptions): void {
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT)
    throw new LimberError(`\`count\` must be a whole number from 1 to ${MAX_COUNT}, not ${count}`);
  for (const { distance, every } of rates)
    if (!(distance >= 0) || !Number.isInteger(every) || every < 1 || every > 1000)
      throw new LimberError('`rates` need a distance and how often to compute: { distance: 20, every: 2 }');
}

/** Morph targets stay as they are; one draw call has one set of weights. */
function withoutMorphs(clip: ClipDescription, warnings: string[]): ClipDescription {
  const channels = clip.channels.filter((channel) => channel.path !== 'weights');
  if (channels.length < clip.channels.length)
    warnings.push(`clip '${clip.name}': morph targets are not animated in a crowd`);
  return { ...clip, channels };
}

/** Made by `limberCrowd()`. Add it to your scene. */
export class ToonCrowd extends Group {
  /** What is left out, and layers that no mesh has. */
  readonly warnings: string[] = [];
  readonly members: readonly ToonMember[];
  /** What members can play. */
  readonly clips: readonly AnimationClip[];
  /** The engine's character. */
  readonly character: Character;
  /** How many members the last update has computed; the others shared a moment, were not due, or are not visible. */
  computed = 0;
  /** @internal */ clock = 0;
  private readonly engine: Engine;
  private readonly rig: Rig;
  private readonly screen: CrowdMeshes;
  private readonly step: number;
  private readonly rates: readonly CrowdRate[];
  private readonly notes: readonly string[]; // warnings that no style changes
  private styleNow: CurrentStyle;
  private crowd: Crowd;
  private single: Crowd | undefined; // for vertices of one member on the CPU
  private readonly records: Required<CrowdMember>[];
  private readonly spheres = new Map<number, Sphere>(); // around the motion of a clip
  private readonly whole = new Sphere();
  private shown: number[] = []; // member of each instance
  private readonly seen = new Map<number, Float32Array>(); // vertices of this frame, by member
  private readonly shownAt: Float64Array; // time of each member in the last frame that computed it
  private readonly shownClip: Int32Array;
  private frame = 2; // counts updates; from 2 on, `frame + i` is a rate that is due now
  private realTime = 0;
  private disposed = false;

  /** @internal */
  constructor(
    engine: Engine,
    source: CrowdSource,
    style: StyleSource,
    options: ToonCrowdOptions,
    technique: Technique = WEBGL,
  ) {
    super();
    checkOptions(options);
    const object = objectOf(source);
    const given = options.clips ?? (source as { animations?: readonly AnimationClip[] }).animations ?? [];
    this.name = object.name ? `crowd of ${object.name}` : 'crowd';
    this.engine = engine;
    this.clips = [...given];
    this.step = options.step ?? 0;
    this.rates = [...(options.rates ?? [])].sort((a, b) => b.distance - a.distance);
    const found = inOrder(engine, findRig(object, options.rigid, this.warnings), this.clips);
    const clips = this.clips.map((clip) => withoutMorphs(describeClip(clip, found, this.warnings), this.warnings));
    this.notes = [...this.warnings];
    this.styleNow = frozen(engine.parseStyle(style));
    this.rig = crowdRig(found);
    this.character = engine.character(describe(this.rig, clips));
    try {
      this.screen = new CrowdMeshes(this.rig, this.character.meshes, technique);
      this.crowd = this.dress(this.styleNow, options.count);
    } catch (error) {
      this.character.dispose();
      throw error;
    }
    this.members = Array.from({ length: options.count }, () => new ToonMember(this));
    this.records = this.members.map(() => ({ kind: 0, clip: -1, start: 0, speed: 1, every: 1 }));
    this.shownAt = new Float64Array(options.count);
    this.shownClip = new Int32Array(options.count).fill(-1);
    for (const { mesh } of this.rig.parts) {
      mesh.raycast = (raycaster, hits) => this.pick(mesh, raycaster, hits);
      this.add(mesh);
    }
    this.update(0);
  }

  /** The meshes of the character; each is one draw call per material for all members. */
  get meshes(): Mesh[] {
    return this.rig.parts.map((part) => part.mesh);
  }

  // --- style ---

  /** The style of all members (read-only). Assign a style (object, preset or JSON text) or call `patch` to change it. */
  get style(): CurrentStyle {
    return this.styleNow;
  }

  set style(style: StyleSource) {
    this.expectAlive();
    this.applyStyle(this.engine.parseStyle(style));
  }

  /** Changes individual keys: `patch({ 'effects.floppy.angular': 0.5 })`. */
  patch(changes: StyleChanges): void {
    this.expectAlive();
    this.applyStyle(this.engine.parseStyle(this.styleNow, changes));
  }

  private applyStyle(style: Style): void {
    this.expectAlive();
    const before = this.crowd;
    this.crowd = this.dress(style, this.members.length);
    before.dispose();
    this.styleNow = frozen(style);
    this.single?.dispose();
    this.single = undefined;
    this.spheres.clear();
    for (const member of this.members) member.settled = false;
    this.compute();
  }

  private dress(style: Style, limit: number): Crowd {
    const kinds = [{ character: this.character, style }];
    const crowd = this.engine.crowd(kinds, { limit, outputs: ['texels', 'normals'], step: this.step });
    try {
      this.screen.wear(crowd);
    } catch (error) {
      crowd.dispose();
      throw error;
    }
    const smears = crowd.smears() ? ['smears are left out in a crowd'] : [];
    this.warnings.splice(0, Infinity, ...this.notes, ...crowd.warnings(), ...smears);
    return crowd;
  }

  // --- clips ---

  /** @internal */
  clipIndex(clip: AnimationClip | string | number): number {
    const index =
      typeof clip === 'number'
        ? clip
        : this.clips.findIndex((one) => (typeof clip === 'string' ? one.name === clip : one === clip));
    if (!Number.isInteger(index) || index < 0 || index >= this.clips.length) {
      const name = typeof clip === 'object' ? `'${clip?.name}'` : typeof clip === 'string' ? `'${clip}'` : String(clip);
      throw new LimberError(
        `there is no clip ${name} in the crowd; there are ${this.clips.map((one) => `'${one.name}'`).join(', ') || 'none'}`,
      );
    }
    return index;
  }

  /** @internal */
  clipStart(index: number): number {
    return index < 0 ? 0 : this.character.clips[index].start;
  }

  /** @internal */
  timeOf(member: ToonMember): number {
    this.expectAlive();
    const { clipIndex: clip, start, speed } = member;
    return this.crowd.time({ clip, start, speed }, this.clock);
  }

  // --- frames ---

  /**
   * Moves the time of all members on by `step` seconds, and computes them in one call. Default: wall-clock time since
   * the last call. `camera` is only needed for `rates`.
   */
  update(step: number = this.elapsed(), camera?: Camera): void {
    this.expectAlive();
    if (!Number.isFinite(step)) throw new LimberError(`the step must be a finite number of seconds, not ${step}`);
    this.clock += step;
    this.compute(camera);
  }

  private elapsed(): number {
    const now = performance.now() / 1000;
    const step = this.realTime ? now - this.realTime : 0;
    this.realTime = now;
    return step;
  }

  private compute(camera?: Camera): void {
    this.frame++;
    this.shown = [];
    this.members.forEach((member, i) => {
      const record = this.records[i];
      record.clip = member.clipIndex;
      record.start = member.start;
      record.speed = member.speed;
      record.every = this.rateNow(member, i, camera);
      if (member.visible) this.shown.push(i);
    });
    const { computed, sameAs, changed } = this.crowd.evaluate(this.records, this.clock, this.frame);
    this.computed = computed;
    for (const i of this.shown) {
      if (!changed[i] && sameAs[i] === i) continue;
      this.shownAt[i] = this.records[i].start + this.records[i].speed * this.clock;
      this.shownClip[i] = this.members[i].clipIndex;
    }
    this.seen.clear();
    this.screen.show(this.shown, (i) => this.members[i].matrix);
    this.bound();
  }

  /**
   * How often the engine computes a member. Those that are computed in every frame share numbers with others in the same
   * moment; a member that is about to be computed less often needs numbers of its own first.
   */
  private rateNow(member: ToonMember, i: number, camera?: Camera): number {
    const every = member.visible ? Math.max(member.every, this.rateByDistance(member, camera)) : Infinity;
    const settled = member.settled;
    member.settled = every > 1 && every < Infinity;
    return member.settled && !settled ? this.frame + i : every;
  }

  private rateByDistance(member: ToonMember, camera?: Camera): number {
    if (!camera || !this.rates.length) return 1;
    point.setFromMatrixPosition(member.matrix).applyMatrix4(this.matrixWorld);
    const distance = point.distanceTo(eye.setFromMatrixPosition(camera.matrixWorld));
    return this.rates.find((rate) => distance > rate.distance)?.every ?? 1;
  }

  // --- bounds ---

  /** Around the joints in the whole clip, and one character size more. */
  private sphereOf(clip: number): Sphere {
    let sphere = this.spheres.get(clip);
    if (!sphere) this.spheres.set(clip, (sphere = this.measure(clip)));
    return sphere;
  }

  private measure(clip: number): Sphere {
    const { character, styleNow } = this;
    const pipeline = character.pipeline(styleNow.exaggerate ? { exaggerate: styleNow.exaggerate } : {});
    const { start, end } = clip < 0 ? { start: 0, end: 0 } : character.clips[clip];
    const steps = Math.min(MAX_SAMPLES, Math.ceil((end - start) / SAMPLE_S));
    const joints = [...new Set(this.rig.skins.flatMap((skin) => Array.from(skin.joints)))];
    const worlds = new Float32Array(16 * character.jointCount);
    const reach = new Box3();
    for (let i = 0; i <= steps; i++) {
      pipeline.evaluateJoints(clip, start + ((end - start) * i) / Math.max(1, steps));
      pipeline.worldMatrices(worlds);
      for (const joint of joints) reach.expandByPoint(point.fromArray(worlds, 16 * joint + 12));
    }
    pipeline.dispose();
    const sphere = reach.getBoundingSphere(new Sphere());
    sphere.radius += character.size;
    return sphere;
  }

  /** Around all members that are shown. */
  private bound(): void {
    const { whole, shown } = this;
    box.makeEmpty();
    for (const i of shown) box.union(this.around(i).getBoundingBox(room));
    whole.makeEmpty();
    if (shown.length) box.getCenter(whole.center);
    for (const i of shown) {
      const { center, radius } = this.around(i);
      whole.radius = Math.max(whole.radius, center.distanceTo(whole.center) + radius);
    }
    this.screen.bound(whole, box);
  }

  /** Around a member, in the space of the crowd. */
  private around(i: number): Sphere {
    return ball.copy(this.sphereOf(this.shownClip[i])).applyMatrix4(this.members[i].matrix);
  }

  // --- vertices ---

  /** Vertices of a member in the space of the character. */
  private vertices(i: number): Float32Array {
    let places = this.seen.get(i);
    if (!places) {
      const kinds = [{ character: this.character, style: this.styleNow }];
      this.single ??= this.engine.crowd(kinds, { limit: 1, outputs: ['positions'], step: this.step });
      this.single.evaluate([{ clip: this.shownClip[i], start: this.shownAt[i], speed: 0 }], 0);
      this.seen.set(i, (places = this.single.positions(0)));
    }
    return places;
  }

  /**
   * World positions of a member in the last update, 3 numbers per vertex, all meshes in order. They are computed on the
   * CPU.
   */
  positions(member: number, out?: Float32Array): Float32Array {
    this.expectAlive();
    const one = this.members[member];
    if (!one) throw new LimberError(`the crowd has ${this.members.length} members, and no member ${member}`);
    const from = this.vertices(member);
    const into = out ?? new Float32Array(from.length);
    if (into.length < from.length)
      throw new LimberError(`the array has room for ${into.length} numbers, but needs ${from.length}`);
    this.updateWorldMatrix(true, false);
    const world = matrix.multiplyMatrices(this.matrixWorld, one.matrix);
    for (let at = 0; at < from.length; at += 3) point.fromArray(from, at).applyMatrix4(world).toArray(into, at);
    return into;
  }

  /** Raycasts meet the deformed vertices; `instanceId` is the member. */
  private pick(mesh: Mesh, raycaster: Raycaster, hits: Intersection[]): void {
    if (this.disposed) return;
    const { firstVertex, vertexCount } = this.character.meshes[this.meshes.indexOf(mesh)];
    const { geometry } = mesh;
    const stand = new Mesh(new BufferGeometry(), mesh.material);
    const { attributes, index, groups } = geometry;
    for (const name of ['uv', 'uv1']) if (attributes[name]) stand.geometry.setAttribute(name, attributes[name]);
    stand.geometry.setIndex(index);
    stand.geometry.groups = groups;
    for (const i of this.shown) {
      if (!raycaster.ray.intersectsSphere(this.around(i).applyMatrix4(this.matrixWorld))) continue;
      const places = this.vertices(i).subarray(3 * firstVertex, 3 * (firstVertex + vertexCount));
      stand.geometry.setAttribute('position', new BufferAttribute(places, 3));
      stand.geometry.boundingSphere = null;
      stand.geometry.boundingBox = null;
      stand.matrixWorld.multiplyMatrices(this.matrixWorld, this.members[i].matrix);
      const found: Intersection[] = [];
      stand.raycast(raycaster, found);
      for (const hit of found) hits.push({ ...hit, object: mesh, instanceId: i });
    }
  }

  // --- dispose ---

  private expectAlive(): void {
    if (this.disposed) throw new LimberError('the crowd has been disposed');
  }

  /** Frees everything and takes the crowd out of the scene. It is safe to call it twice. */
  override dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.removeFromParent();
    this.clear();
    this.screen.dispose();
    this.character.dispose(); // and crowds that have it
    super.dispose?.(); // three.js 0.160 has none
  }
}

const point = new Vector3();
const eye = new Vector3();
const ball = new Sphere();
const box = new Box3();
const room = new Box3();
const matrix = new Matrix4();
