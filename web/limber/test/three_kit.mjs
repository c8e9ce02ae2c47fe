// Characters for the tests of limber/three: made by code, or read from the files of `limber sample`.
import fs from 'node:fs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

globalThis.self ??= globalThis; // GLTFLoader looks for it

/** A .glb of `limber sample`, or any other without textures. */
export async function loadGlb(file, plugins = []) {
  const loader = new GLTFLoader();
  for (const plugin of plugins) loader.register(plugin);
  const bytes = fs.readFileSync(file);
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
}

/** A tube along y with `bones` joints, two of them per vertex. */
export function tube({ bones = 4, rings = 17, sides = 8, material = new THREE.MeshStandardMaterial() } = {}) {
  const geometry = new THREE.CylinderGeometry(0.2, 0.2, bones - 1, sides, rings - 1);
  geometry.translate(0, (bones - 1) / 2, 0);
  const { count } = geometry.getAttribute('position'), joints = new Uint16Array(4 * count), weights = new Float32Array(4 * count);
  for (let u = 0; u < count; u++) {
    const at = Math.min(Math.max(geometry.getAttribute('position').getY(u), 0), bones - 1), below = Math.min(Math.floor(at), bones - 2);
    joints.set([below, below + 1, 0, 0], 4 * u);
    weights.set([1 - (at - below), at - below, 0, 0], 4 * u);
  }
  geometry.setAttribute('skinIndex', new THREE.BufferAttribute(joints, 4));
  geometry.setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4));
  const chain = Array.from({ length: bones }, (_, i) => {
    const bone = new THREE.Bone();
    bone.name = `Bone${i}`;
    bone.position.y = i ? 1 : 0;
    return bone;
  });
  chain.forEach((bone, i) => i && chain[i - 1].add(bone));
  const mesh = new THREE.SkinnedMesh(geometry, material), group = new THREE.Group();
  mesh.name = 'Tube';
  group.name = 'Character';
  group.add(mesh, chain[0]);
  group.updateMatrixWorld(true);
  mesh.bind(new THREE.Skeleton(chain));
  return { group, mesh, bones: chain };
}

/** Largest distance between two arrays of points. */
export function apart(a, b) {
  if (a.length !== b.length) throw new Error(`${a.length} numbers against ${b.length}`);
  let most = 0;
  for (let i = 0; i < a.length; i += 3) {
    const distance = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(distance <= most)) most = distance; // also what is no number
  }
  return most;
}

/** Where three.js itself would draw the vertices, world space. */
export function skinned(mesh) {
  mesh.updateWorldMatrix(true, false);
  for (const bone of mesh.skeleton?.bones ?? []) bone.updateWorldMatrix(true, false);
  if (mesh.isSkinnedMesh) mesh.bindMatrixInverse.copy(mesh.bindMode === 'detached' ? mesh.bindMatrix : mesh.matrixWorld).invert();
  const { count } = mesh.geometry.getAttribute('position'), out = new Float32Array(3 * count), point = new THREE.Vector3();
  for (let u = 0; u < count; u++) mesh.getVertexPosition(u, point).applyMatrix4(mesh.matrixWorld).toArray(out, 3 * u);
  return out;
}
