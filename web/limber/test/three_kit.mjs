// Characters for the tests of limber/three, made by code or read from files of `limber sample`.
import fs from 'node:fs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

export { tube } from './tube.mjs';

globalThis.self ??= globalThis; // needed by GLTFLoader

/** Loads a .glb of `limber sample`, or any other without textures. */
export async function loadGlb(file, plugins = []) {
  const loader = new GLTFLoader();
  for (const plugin of plugins) loader.register(plugin);
  const bytes = fs.readFileSync(file);
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
}

/** Max distance between two arrays of points. */
export function apart(a, b) {
  if (a.length !== b.length) throw new Error(`${a.length} numbers against ${b.length}`);
  let most = 0;
  for (let i = 0; i < a.length; i += 3) {
    const distance = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(distance <= most)) most = distance; // also detects NaN
  }
  return most;
}

/** Where three.js itself would draw the vertices, in world space. */
export function skinned(mesh) {
  mesh.updateWorldMatrix(true, false);
  for (const bone of mesh.skeleton?.bones ?? []) bone.updateWorldMatrix(true, false);
  if (mesh.isSkinnedMesh)
    mesh.bindMatrixInverse.copy(mesh.bindMode === 'detached' ? mesh.bindMatrix : mesh.matrixWorld).invert();
  const { count } = mesh.geometry.getAttribute('position');
  const out = new Float32Array(3 * count);
  const point = new THREE.Vector3();
  for (let u = 0; u < count; u++)
    mesh
      .getVertexPosition(u, point)
      .applyMatrix4(mesh.matrixWorld)
      .toArray(out, 3 * u);
  return out;
}
