// limber for three.js with WebGPURenderer, on both of its backends (WebGPU and WebGL 2):
//
//     import { limber } from 'limber/webgpu';
//     const toon = await limber(gltf.scene, 'cartoon');
//
// Everything else is as in limber/three.
import type { Object3D } from 'three';
import { sharedEngine } from './three.js';
import type { StyleSource } from './style.js';
import { objectOf, ToonCrowd } from './three/crowd.js';
import type { CrowdSource, ToonCrowdOptions } from './three/crowd.js';
import { expectArguments } from './three/border.js';
import { styleOf } from './three/gltf.js';
import { Toon } from './three/toon.js';
import { NODES } from './three/webgpu.js';
import type { ToonOptions } from './three/toon.js';

export { LimberError, LimberStyle, sharedEngine, Toon, ToonCrowd, ToonMember } from './three.js';
export type {
  Baked,
  BakeClipOptions,
  Compute,
  CrowdRate,
  CrowdSource,
  CurrentStyle,
  ExactOptions,
  PlacedCollider,
  PresetName,
  RigidMeshes,
  Style,
  StyleChanges,
  StyleSource,
  StyleText,
  ToonCrowdOptions,
  ToonOptions,
} from './three.js';

/** Gives a character cartoon motion, for WebGPURenderer. See `limber` of limber/three. */
export async function limber(object: Object3D, style?: StyleSource, options: ToonOptions = {}): Promise<Toon> {
  expectArguments(object, options);
  const engine = options.engine ?? (await sharedEngine());
  return new Toon(engine, object, style ?? styleOf(object) ?? 'cartoon', options, NODES);
}

/** Many characters in one draw call per mesh, for WebGPURenderer. See `limberCrowd` of limber/three. */
export async function limberCrowd(
  source: CrowdSource,
  style: StyleSource | undefined,
  options: ToonCrowdOptions,
): Promise<ToonCrowd> {
  const engine = options?.engine ?? (await sharedEngine());
  return new ToonCrowd(engine, source, style ?? styleOf(objectOf(source)) ?? 'cartoon', options, NODES);
}
