// Bakes a clip with its style to morph targets, for playback in three.js without limber.
import {
  AnimationClip,
  BufferAttribute,
  BufferGeometry,
  Group,
  Mesh,
  NumberKeyframeTrack,
  PropertyBinding,
  QuaternionKeyframeTrack,
  VectorKeyframeTrack,
} from 'three';
import type { KeyframeTrack, Material, Object3D, SkinnedMesh } from 'three';
import type { Bake, BakedMesh } from '../bake.js';
import type { Pipeline } from '../pipeline.js';
import type { Rig } from './rig.js';
import { component, FLOATS_OF_JOINT } from './rig.js';

/** What to bake, and how: `toon.bake(clip, options)`. */
export interface BakeClipOptions {
  /**
   * `corrective` (default): a copy of the skinned character, corrected by morph targets. `vertex`: unskinned meshes.
   */
  kind?: 'corrective' | 'vertex';
  /** Frames per second. 0 (default): the clip's own rate. */
  fps?: number;
  /** Bake only this part of the clip, in seconds. */
  range?: [number, number];
  /**
   * Max error of reduced targets, in thousandths of the character's size. 0 (default): exact, one target per frame.
   * Graphics cards support a few hundred targets per mesh.
   */
  tolerance?: number;
  /** Default true. */
  normals?: boolean;
}

/** A character that plays without limber. Made by `toon.bake()`. */
export interface Baked {
  /** A copy of the character with morph targets. It shares the character's materials. */
  object: Object3D;
  /** Animates the copy: `new AnimationMixer(object).clipAction(clip).play()`. */
  clip: AnimationClip;
  /** The meshes of the copy, in the order of `toon.meshes`. */
  meshes: Mesh[];
  /** The raw result of the engine. */
  bake: Bake;
}

type OneOrMany = Material | Material[];

const attributes = (arrays: readonly Float32Array[]): BufferAttribute[] =>
  arrays.map((array) => new BufferAttribute(array, 3));
const zeros = (count: number, length: number): BufferAttribute[] =>
  Array.from({ length: count }, () => new BufferAttribute(new Float32Array(length), 3));

/** Existing morph targets, converted to differences. */
function relative(geometry: BufferGeometry, name: 'position' | 'normal'): BufferAttribute[] {
  const base = geometry.getAttribute(name);
  const targets = geometry.morphAttributes[name] ?? [];
  return targets.map((target) => {
    const out = new Float32Array(3 * target.count);
    for (let i = 0; i < target.count; i++)
      for (let k = 0; k < 3; k++)
        out[3 * i + k] = component(target, i, k) - (geometry.morphTargetsRelative ? 0 : component(base, i, k));
    return new BufferAttribute(out, 3);
  });
}

/** Appends the baked targets to the existing ones. */
function addTargets(mesh: Mesh, baked: BakedMesh, kept: number): void {
  const { geometry } = mesh;
  const length = 3 * geometry.getAttribute('position').count;
  const old = kept ? relative(geometry, 'position') : [];
  const oldNormals = kept ? relative(geometry, 'normal') : [];
  const made = baked.positions.length;
  const names = old.map((target, i) => target.name || `${i}`);
  geometry.morphAttributes = { position: [...old, ...attributes(baked.positions)] };
  if (baked.normals.length || oldNormals.length)
    geometry.morphAttributes.normal = [
      ...(oldNormals.length ? oldNormals : zeros(kept, length)),
      ...(baked.normals.length ? attributes(baked.normals) : zeros(made, length)),
    ];
  geometry.morphTargetsRelative = true;
  mesh.morphTargetInfluences = new Array(kept + made).fill(0);
  mesh.morphTargetDictionary = Object.fromEntries(
    [...names, ...baked.positions.map((_, i) => `limber ${i}`)].map((name, i) => [name, i]),
  );
}

function trackName(object: Object3D, property: string): string {
  return `${object.uuid}.${property}`;
}

/** Weights of the existing targets (from the clip) and of the baked ones. */
function weightTrack(
  mesh: Mesh,
  times: Float32Array,
  baked: BakedMesh,
  old: (frame: number) => Float32Array,
  kept: number,
): KeyframeTrack {
  const made = baked.positions.length;
  const width = kept + made;
  const values = new Float32Array(width * times.length);
  for (let i = 0; i < times.length; i++) {
    if (kept) values.set(old(i), width * i);
    values.set(baked.weights[0].subarray(made * i, made * (i + 1)), width * i + kept);
  }
  return new NumberKeyframeTrack(
    trackName(mesh, 'morphTargetInfluences'),
    times as unknown as number[],
    values as unknown as number[],
  );
}

/** The clip's tracks for nodes, retargeted to the copy. */
function nodeTracks(clip: AnimationClip, root: Object3D, copies: ReadonlyMap<Object3D, Object3D>): KeyframeTrack[] {
  return clip.tracks.flatMap((track) => {
    const binding = PropertyBinding.parseTrackName(track.name);
    const node = PropertyBinding.findNode(root, binding.nodeName) as Object3D | null | undefined;
    const copy = node && copies.get(node);
    if (!copy || binding.propertyName === 'morphTargetInfluences') return [];
    const moved = track.clone();
    moved.name = copy.uuid + track.name.slice(track.name.indexOf(binding.nodeName) + binding.nodeName.length);
    return [moved];
  });
}

/** The clip as the style edits it, sampled at every frame. */
function editedTracks(
  rig: Rig,
  pipeline: Pipeline,
  clip: number,
  times: Float32Array,
  copies: ReadonlyMap<Object3D, Object3D>,
): KeyframeTrack[] {
  const targets = [
    ...new Set(
      pipeline
        .clip(clip)
        .channels.filter((channel) => channel.path !== 'weights')
        .map((channel) => channel.target),
    ),
  ];
  const widths = [3, 4, 3];
  const starts = [0, 3, 7];
  const values = targets.map(() => widths.map((width) => new Float32Array(width * times.length)));
  times.forEach((time, i) => {
    pipeline.evaluateJoints(clip, time);
    const local = pipeline.localTransforms();
    targets.forEach((joint, t) =>
      widths.forEach((width, k) => {
        const at = FLOATS_OF_JOINT * joint + starts[k];
        values[t][k].set(local.subarray(at, at + width), width * i);
      }),
    );
  });
  return targets.flatMap((joint, t) => {
    const node = copies.get(rig.nodes[joint])!;
    const [moves, turns, grows] = values[t] as unknown as number[][];
    const at = times as unknown as number[];
    return [
      new VectorKeyframeTrack(trackName(node, 'position'), at, moves),
      new QuaternionKeyframeTrack(trackName(node, 'quaternion'), at, turns),
      new VectorKeyframeTrack(trackName(node, 'scale'), at, grows),
    ];
  });
}

/** A copied mesh is moved by the copies of its bones. */
function rebind(from: Object3D, to: Object3D, copies: ReadonlyMap<Object3D, Object3D>): void {
  const { isSkinnedMesh, skeleton, bindMatrix } = from as SkinnedMesh;
  if (!isSkinnedMesh) return;
  const own = skeleton.clone();
  own.bones = skeleton.bones.map((bone) => (copies.get(bone) as typeof bone | undefined) ?? bone);
  (to as SkinnedMesh).bind(own, bindMatrix);
}

/** Copies the character as it would be without limber; `copies` maps each object to its copy. */
function copyCharacter(
  rig: Rig,
  materialOf: (part: number) => OneOrMany,
): { object: Object3D; copies: Map<Object3D, Object3D>; meshes: Mesh[] } {
  const object = rig.root.clone();
  const copies = new Map<Object3D, Object3D>();
  const list: Object3D[] = [];
  object.traverse((node) => list.push(node));
  let at = 0;
  rig.root.traverse((node) => copies.set(node, list[at++]));
  for (const [from, to] of copies) rebind(from, to, copies);
  for (const smears of list.filter((node) => node.name === 'limber smears')) smears.removeFromParent();
  const meshes = rig.parts.map(({ mesh }, i) => {
    const copy = copies.get(mesh) as Mesh & { boundingSphere?: unknown };
    copy.material = materialOf(i);
    copy.geometry = mesh.geometry.clone();
    copy.frustumCulled = false; // the bounds of three.js ignore these morph targets
    return copy;
  });
  return { object, copies, meshes };
}

function bakeCorrective(
  rig: Rig,
  pipeline: Pipeline,
  clip: AnimationClip,
  index: number,
  bake: Bake,
  materialOf: (part: number) => OneOrMany,
): Baked {
  const { object, copies, meshes } = copyCharacter(rig, materialOf);
  const { times } = bake.tracks[0];
  const tracks = pipeline.exaggerates
    ? editedTracks(rig, pipeline, index, times, copies)
    : nodeTracks(clip, rig.root, copies);
  meshes.forEach((mesh, i) => {
    const { morphCount, firstMorph } = pipeline.character.meshes[i];
    const baked = bake.meshes[i];
    addTargets(mesh, baked, morphCount);
    const old = (frame: number) => {
      pipeline.evaluateJoints(index, times[frame]);
      return pipeline.morphWeights().subarray(firstMorph, firstMorph + morphCount);
    };
    tracks.push(weightTrack(mesh, times, baked, old, morphCount));
  });
  return { object, clip: new AnimationClip(clip.name, -1, tracks), meshes, bake };
}

function bakeVertex(
  rig: Rig,
  clip: AnimationClip,
  bake: Bake,
  movesRoot: boolean,
  materialOf: (part: number) => OneOrMany,
): Baked {
  const object = new Group();
  const { times } = bake.tracks[0];
  const tracks: KeyframeTrack[] = [];
  object.name = rig.root.name;
  if (!movesRoot) {
    object.position.copy(rig.root.position);
    object.quaternion.copy(rig.root.quaternion);
    object.scale.copy(rig.root.scale);
  }
  const meshes = rig.parts.map(({ mesh }, i) => {
    const baked = bake.meshes[i];
    const geometry = new BufferGeometry();
    for (const [name, attribute] of Object.entries(mesh.geometry.attributes))
      if (!/^(position|normal|tangent|skin|_limber)/.test(name)) geometry.setAttribute(name, attribute.clone());
    geometry.setAttribute('position', new BufferAttribute(baked.basePositions!, 3));
    geometry.setAttribute('normal', new BufferAttribute(baked.baseNormals!, 3));
    if (mesh.geometry.index) geometry.setIndex(mesh.geometry.index.clone());
    for (const group of mesh.geometry.groups) geometry.addGroup(group.start, group.count, group.materialIndex);
    const copy = new Mesh(geometry, materialOf(i));
    copy.name = mesh.name;
    copy.castShadow = mesh.castShadow;
    copy.receiveShadow = mesh.receiveShadow;
    addTargets(copy, baked, 0);
    tracks.push(weightTrack(copy, times, baked, () => new Float32Array(0), 0));
    object.add(copy);
    return copy;
  });
  return { object, clip: new AnimationClip(clip.name, -1, tracks), meshes, bake };
}

/** @internal */
export function bakeClip(
  rig: Rig,
  pipeline: Pipeline,
  clip: AnimationClip,
  index: number,
  options: BakeClipOptions,
  movesRoot: boolean,
  materialOf: (part: number) => OneOrMany,
): Baked {
  const bake = pipeline.bake({ ...options, kind: options.kind ?? 'corrective', clips: [index], smearMeshes: 'none' });
  return bake.kind === 'vertex'
    ? bakeVertex(rig, clip, bake, movesRoot, materialOf)
    : bakeCorrective(rig, pipeline, clip, index, bake, materialOf);
}
