// A character made by code, for node and browsers.
import * as THREE from 'three';

/** A tube along y with `bones` joints, two influences per vertex. */
export function tube({ bones = 4, rings = 17, sides = 8, material = new THREE.MeshStandardMaterial() } = {}) {
  const geometry = new THREE.CylinderGeometry(0.2, 0.2, bones - 1, sides, rings - 1);
  geometry.translate(0, (bones - 1) / 2, 0);
  const { count } = geometry.getAttribute('position');
  const joints = new Uint16Array(4 * count);
  const weights = new Float32Array(4 * count);
  for (let u = 0; u < count; u++) {
    const at = Math.min(Math.max(geometry.getAttribute('position').getY(u), 0), bones - 1);
    const below = Math.min(Math.floor(at), bones - 2);
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
  const mesh = new THREE.SkinnedMesh(geometry, material);
  const group = new THREE.Group();
  mesh.name = 'Tube';
  group.name = 'Character';
  group.add(mesh, chain[0]);
  group.updateMatrixWorld(true);
  mesh.bind(new THREE.Skeleton(chain));
  return { group, mesh, bones: chain };
}
