// The light WASM module: effects on the GPU, and nothing else, for pages that only play. Importing it is enough:
//
//     import 'limber/light';
//     import { limber } from 'limber/three';
//     const toon = await limber(gltf.scene, 'cartoon');
//
// It has no contacts, rigid parts, colliders, smears, edits of clips, formulas, bakes and crowds: docs/web.md.
import { offerFile } from './wasm.js';

/** Where limber-light.wasm is, for `createEngine(LIGHT)` beside the whole module. */
export const LIGHT: URL = new URL('./limber-light.wasm', import.meta.url);

offerFile('limber-light.wasm', LIGHT);
