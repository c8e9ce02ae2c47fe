// limber for three.js: cartoon motion for any rigged character, in two lines.
//
//     import { limber } from 'limber/three';
//     const toon = await limber(gltf.scene, 'cartoon');
//     // in every frame, after the animation:
//     mixer.update(dt);
//     toon.update(dt);
//
// docs/web.md explains the rest.
import type { Object3D } from 'three';
import { createEngine } from './engine.js';
import type { Engine } from './engine.js';
import type { StyleSource } from './style.js';
import { objectOf, ToonCrowd } from './three/crowd.js';
import type { CrowdSource, ToonCrowdOptions } from './three/crowd.js';
import { expectArguments } from './three/border.js';
import { styleOf } from './three/gltf.js';
import { Toon } from './three/toon.js';
import type { ToonOptions } from './three/toon.js';

export { LimberError } from './wasm.js';
export type { CurrentStyle, PresetName, Style, StyleChanges } from './style.generated.js';
export type { StyleSource, StyleText } from './style.js';
export type { Baked, BakeClipOptions } from './three/bake.js';
export type { PlacedCollider } from './pipeline.js';
export type { Compute } from './three/cast.js';
export { ToonCrowd } from './three/crowd.js';
export type { CrowdRate, CrowdSource, ToonCrowdOptions } from './three/crowd.js';
export { ToonMember } from './three/member.js';
export { LimberStyle } from './three/gltf.js';
export type { RigidMeshes } from './three/rig.js';
export { limberChunk } from './three/shader.js';
export { Toon } from './three/toon.js';
export type { ExactOptions, ToonOptions } from './three/toon.js';

let shared: Promise<Engine> | undefined;

/** The engine shared by all characters that were not given their own. */
export function sharedEngine(): Promise<Engine> {
  shared ??= createEngine().catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

/**
 * Gives a character cartoon motion. `object` is a SkinnedMesh (together with everything on its skeleton) or a Group
 * such as the scene of GLTFLoader. The style is an object, the name of a preset or JSON text. Default: the style stored
 * in the file (LIMBER_style), else `cartoon`. The current pose becomes the rest pose, so call this before the first
 * frame of an animation.
 */
export async function limber(object: Object3D, style?: StyleSource, options: ToonOptions = {}): Promise<Toon> {
  expectArguments(object, options);
  const engine = options.engine ?? (await sharedEngine());
  return new Toon(engine, object, style ?? styleOf(object) ?? 'cartoon', options);
}

/**
 * Many characters in one draw call per mesh, each with its own place, clip and time. `source` is what GLTFLoader loads,
 * or an object like that of `limber()` whose clips are in `options.clips`; it is copied, and need not be in the scene.
 * Add the crowd to the scene, and call `update` in every frame; there is no AnimationMixer.
 */
export async function limberCrowd(
  source: CrowdSource,
  style: StyleSource | undefined,
  options: ToonCrowdOptions,
): Promise<ToonCrowd> {
  const engine = options?.engine ?? (await sharedEngine());
  return new ToonCrowd(engine, source, style ?? styleOf(objectOf(source)) ?? 'cartoon', options);
}
