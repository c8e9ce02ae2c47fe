// limber for three.js: cartoon motion for any rigged character, in two lines.
//
//     import { limber } from 'limber/three';
//     const toon = await limber(gltf.scene, 'cartoon');
//     // every frame, after whatever animates:
//     mixer.update(dt);
//     toon.update(dt);
//
// docs/web.md explains the rest.
import type { Object3D } from 'three';
import { createEngine } from './engine.js';
import type { Engine } from './engine.js';
import type { StyleSource } from './style.js';
import { styleOf } from './three/gltf.js';
import { Toon } from './three/toon.js';
import type { ToonOptions } from './three/toon.js';

export { LimberError } from './wasm.js';
export type { PresetName, Style } from './style.generated.js';
export type { StyleSource } from './style.js';
export type { Baked, BakeClipOptions } from './three/bake.js';
export type { Compute } from './three/cast.js';
export { LimberStyle } from './three/gltf.js';
export type { RigidMeshes } from './three/rig.js';
export { limberChunk } from './three/shader.js';
export { Toon } from './three/toon.js';
export type { ExactOptions, ToonOptions } from './three/toon.js';

let shared: Promise<Engine> | undefined;

/** The engine of all characters that were not given another. */
export function sharedEngine(): Promise<Engine> {
  shared ??= createEngine().catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

/**
 * Makes a character move like a cartoon: a SkinnedMesh (with everything on its skeleton), or a Group such as the scene of
 * GLTFLoader. The style is an object, the name of a preset or JSON text; left out: the one that the file carries
 * (LIMBER_style), else `cartoon`. The nodes are in their rest pose now: call it before the first frame of an animation.
 */
export async function limber(object: Object3D, style?: StyleSource, options: ToonOptions = {}): Promise<Toon> {
  const engine = options.engine ?? (await sharedEngine());
  return new Toon(engine, object, style ?? styleOf(object) ?? 'cartoon', options);
}
