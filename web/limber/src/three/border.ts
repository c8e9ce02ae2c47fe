// What callers pass to limber(), and which meshes have a Toon already.
import type { AnimationClip, Mesh, Object3D } from 'three';
import * as check from '../check.js';
import { Engine } from '../engine.js';
import { LimberError } from '../wasm.js';
import type { Rig } from './rig.js';
import { nameOf } from './rig.js';

const COMPUTES = ['auto', 'gpu', 'cpu'] as const;
const RIGID_MESHES = ['bones', 'all', 'none'] as const;

const isClip = (clip: unknown): clip is AnimationClip =>
  typeof clip === 'object' && clip !== null && Array.isArray((clip as AnimationClip).tracks);

/** Throws unless it is an AnimationClip. */
export function expectClip(clip: unknown): AnimationClip {
  if (!isClip(clip))
    throw new LimberError(`a clip must be an AnimationClip, a name or an index, not ${check.shown(clip)}`);
  return clip;
}

/** Throws unless these can be arguments of limber(). */
export function expectArguments(
  object: Object3D,
  options: {
    engine?: unknown;
    clips?: readonly unknown[];
    rigid?: unknown;
    compute?: unknown;
    smear?: object;
    renderer?: unknown;
    once?: unknown;
  },
): void {
  if ((object as Partial<Object3D> | null | undefined)?.isObject3D !== true)
    throw new LimberError(`limber() needs an Object3D, such as gltf.scene, not ${check.shown(object)}`);
  check.object('the options', options);
  if (options.engine !== undefined && !(options.engine instanceof Engine))
    throw new LimberError(`\`engine\` must be what createEngine() resolves to, not ${check.shown(options.engine)}`);
  if (options.compute !== undefined) check.word('`compute`', options.compute, COMPUTES);
  if (options.rigid !== undefined) check.word('`rigid`', options.rigid, RIGID_MESHES);
  if (options.smear !== undefined) check.object('`smear`', options.smear);
  const renderer = options.renderer as { render?: unknown } | null | undefined;
  if (renderer !== undefined && typeof renderer?.render !== 'function')
    throw new LimberError(`\`renderer\` must be a renderer of three.js, not ${check.shown(renderer)}`);
  if (options.once !== undefined && typeof options.once !== 'boolean')
    throw new LimberError(`\`once\` must be true or false, not ${check.shown(options.once)}`);
  if (options.once && !renderer)
    throw new LimberError('`once` needs the renderer: limber(object, style, { renderer, once: true })');
  check.list('`clips`', options.clips ?? []).forEach(expectClip);
}

const taken = new WeakSet<Mesh>();

/** Marks the meshes as used by a Toon. Throws if one of them is. */
export function claim({ parts }: Rig): void {
  const other = parts.find(({ mesh }) => taken.has(mesh));
  if (other)
    throw new LimberError(
      'the mesh has a Toon already; dispose of that one first',
      'argument',
      `mesh ${nameOf(other.mesh)}`,
    );
  for (const { mesh } of parts) taken.add(mesh);
}

export function unclaim({ parts }: Rig): void {
  for (const { mesh } of parts) taken.delete(mesh);
}
