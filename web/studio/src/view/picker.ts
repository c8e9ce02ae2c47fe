// What is under the pointer: the deformed surface, and joints.
import type { Ray } from 'three';
import { BufferAttribute, BufferGeometry, DoubleSide, Vector3 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import type { JointNode, Session } from '../core/session';

export interface Hit {
  /** Index of the mesh. */
  mesh: number;
  point: Vector3;
  normal: Vector3;
  distance: number;
  /** Indices of the triangle's corners, counted over all meshes. */
  corners: [number, number, number];
  /** The nearest corner. */
  vertex: number;
}

interface Surface {
  geometry: BufferGeometry;
  bvh: MeshBVH;
  first: number;
}

/** The deformed surface, in a tree that is refitted when it is used after a change. */
export class Picker {
  private surfaces: Surface[] = [];
  private session: Session | undefined;
  private stale = true;
  private positionsNow = new Float32Array(0);

  setSession(session: Session | undefined): void {
    this.session = session;
    this.surfaces = [];
    this.stale = true;
  }

  /** Call it when the character has moved. */
  moved(): void {
    this.stale = true;
  }

  /** World positions of all vertices, 3 numbers each; computed on demand. */
  get positions(): Float32Array {
    this.refresh();
    return this.positionsNow;
  }

  private build(session: Session): void {
    const { meshes } = session.character;
    this.positionsNow = new Float32Array(3 * session.character.vertexCount);
    this.surfaces = session.toon.meshes.map((mesh, i) => {
      const { firstVertex, vertexCount } = meshes[i];
      const geometry = new BufferGeometry();
      const places = this.positionsNow.subarray(3 * firstVertex, 3 * (firstVertex + vertexCount));
      geometry.setAttribute('position', new BufferAttribute(places, 3));
      const { index } = mesh.geometry;
      // The tree reorders the index, so it needs a copy.
      geometry.setIndex(
        new BufferAttribute(
          index ? Uint32Array.from(index.array) : Uint32Array.from({ length: vertexCount }, (_, u) => u),
          1,
        ),
      );
      return { geometry, bvh: undefined as unknown as MeshBVH, first: firstVertex };
    });
  }

  private refresh(): void {
    const { session } = this;
    if (!session || !this.stale) return;
    this.stale = false;
    const fresh = !this.surfaces.length;
    if (fresh) this.build(session);
    session.toon.positions(undefined, this.positionsNow);
    for (const surface of this.surfaces)
      if (fresh) surface.bvh = new MeshBVH(surface.geometry);
      else surface.bvh.refit();
  }

  /** The first intersection of a ray in world space with the character. */
  hit(ray: Ray): Hit | undefined {
    this.refresh();
    let best: Hit | undefined;
    this.surfaces.forEach(({ bvh, geometry, first }, mesh) => {
      const found = bvh.raycastFirst(ray, DoubleSide);
      if (!found?.face || (best && found.distance >= best.distance)) return;
      const { a, b, c } = found.face;
      const place = geometry.getAttribute('position');
      const at = new Vector3();
      const nearest = [a, b, c]
        .map((u) => ({ u, d: at.fromBufferAttribute(place, u).distanceToSquared(found.point) }))
        .sort((p, q) => p.d - q.d)[0].u;
      best = {
        mesh,
        point: found.point,
        normal: found.face.normal.clone(),
        distance: found.distance,
        corners: [first + a, first + b, first + c],
        vertex: first + nearest,
      };
    });
    return best;
  }

  /** The trees of the meshes, for brushes; positions are in world space. */
  trees(): readonly { bvh: MeshBVH; first: number }[] {
    this.refresh();
    return this.surfaces;
  }

  /** The joint nearest to a point on the screen, within `reach` pixels. */
  joint(x: number, y: number, project: (place: Vector3) => Vector3, reach = 14): JointNode | undefined {
    const place = new Vector3();
    let best: JointNode | undefined;
    let nearest = reach;
    for (const joint of this.session?.joints ?? []) {
      const at = project(joint.node.getWorldPosition(place));
      const away = Math.hypot(at.x - x, at.y - y);
      if (away < nearest && Math.abs(at.z) < 1) {
        nearest = away;
        best = joint;
      }
    }
    return best;
  }

  /** The joint with the largest weight for a vertex. */
  jointOfVertex(vertex: number): number {
    const { session } = this;
    if (!session) return 0;
    const mesh = session.character.meshes.findIndex(
      (one) => vertex >= one.firstVertex && vertex < one.firstVertex + one.vertexCount,
    );
    const data = this.influences(mesh);
    const u = vertex - session.character.meshes[mesh].firstVertex;
    let best = 0;
    let most = -1;
    for (let i = data.influenceFirst[u]; i < data.influenceFirst[u + 1]; i++)
      if (data.influenceWeight[i] > most) {
        most = data.influenceWeight[i];
        best = data.influenceJoint[i];
      }
    return session.character.skin(session.character.meshes[mesh].skin).joints[best];
  }

  private influences(mesh: number) {
    return this.session!.character.mesh(mesh);
  }
}
