// The light WASM module: effects on the GPU, and nothing else, for pages that only play:
//
//     import { lightEngine } from 'limber/light';
//     import { limber } from 'limber/three';
//     const toon = await limber(gltf.scene, 'cartoon', { engine: await lightEngine() });
//
// The whole module stays the default of everything else on the page. The light one has no contacts, rigid parts,
// colliders, smears, edits of clips, formulas, bakes and crowds: docs/web.md.
import { createEngine } from './engine.js';
import type { Engine } from './engine.js';
import { bytesBeside } from './wasm.js';

/** Where limber-light.wasm is, for `createEngine(LIGHT)`. */
export const LIGHT: URL = new URL('./limber-light.wasm', import.meta.url);

let shared: Promise<Engine> | undefined;

/** The light engine that the page shares; loaded when first asked for. */
export function lightEngine(): Promise<Engine> {
  shared ??= createEngine(bytesBeside('limber-light.wasm', LIGHT)).catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}
