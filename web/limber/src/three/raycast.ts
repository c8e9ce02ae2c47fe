// Rays against the deformed surface.
import { BufferAttribute, BufferGeometry, Matrix4, Mesh, Vector3 } from 'three';
import type { Intersection, Material, Raycaster, Sphere } from 'three';

/** A mesh as it is drawn now. */
export interface Deformed {
  mesh: Mesh;
  /** World positions of its vertices. */
  positions: Float32Array;
  material: Material | Material[];
}

const point = new Vector3();

/** Whether a ray may meet a mesh at all, by the sphere that it is culled by. */
export function mayMeet(raycaster: Raycaster, mesh: Mesh & { boundingSphere?: Sphere | null }): boolean {
  if (!raycaster.layers.test(mesh.layers)) return false;
  const sphere = mesh.boundingSphere?.clone().applyMatrix4(mesh.matrixWorld);
  return !sphere || raycaster.ray.intersectsSphere(sphere);
}

/** What a ray meets of a mesh; faces and points are as three.js has them. */
export function meet(raycaster: Raycaster, { mesh, positions, material }: Deformed): Intersection[] {
  const stand = new Mesh(new BufferGeometry(), material);
  const { attributes, index, groups, drawRange } = mesh.geometry;
  for (const name of ['uv', 'uv1', 'normal']) if (attributes[name]) stand.geometry.setAttribute(name, attributes[name]);
  stand.geometry.setIndex(index);
  stand.geometry.groups = groups;
  stand.geometry.setDrawRange(drawRange.start, drawRange.count);
  const inverse = new Matrix4().copy(mesh.matrixWorld).invert();
  const local = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 3)
    point.fromArray(positions, at).applyMatrix4(inverse).toArray(local, at);
  stand.geometry.setAttribute('position', new BufferAttribute(local, 3));
  stand.matrixWorld.copy(mesh.matrixWorld);
  const found: Intersection[] = [];
  stand.raycast(raycaster, found);
  return found.map((hit) => ({ ...hit, object: mesh }));
}
