// What is under the pointer: the deformed surface, and joints.
import type { Ray } from 'three';
import { BufferAttribute, BufferGeometry, DoubleSide, Vector3 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import type { JointNode, Session } from '../core/session';
import { Signal } from '../core/signal';

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

/** A tree of some triangles of a mesh. */
interface Tree {
  mesh: number;
  first: number;
  geometry: BufferGeometry;
  bvh?: MeshBVH;
}

/** Trees of more triangles are built in pieces, one after another, while the page goes on. */
const PIECE = 1 << 16;
const AT_ONCE = 1 << 18;

const breathe = () => new Promise<void>((done) => window.setTimeout(done));

/** The deformed surface, in trees that are refitted when they are used after a change. */
export class Picker {
  /** How much of the surface is ready, from 0 to 1, while it is being prepared. */
  readonly preparing = new Signal<number | undefined>(undefined);
  /** Keeps the surface as it is, whatever moves: for strokes on large characters. */
  frozen = false;
  private trees: Tree[] = [];
  private session: Session | undefined;
  private stalePositions = true;
  private staleTrees = true;
  private positionsNow = new Float32Array(0);

  setSession(session: Session | undefined): void {
    this.moved();
    if (session && session === this.session) return; // its layers have changed, not its triangles
    this.session = session;
    this.trees = [];
    this.frozen = false;
    this.preparing.value = undefined;
    this.positionsNow = new Float32Array(3 * (session?.character.vertexCount ?? 0));
  }

  /** Call it when the character has moved. */
  moved(): void {
    this.stalePositions = true;
    this.staleTrees = true;
  }

  /** World positions of all vertices, 3 numbers each; computed on demand. */
  get positions(): Float32Array {
    if (this.session && this.stalePositions && !this.frozen) {
      this.stalePositions = false;
      this.session.toon.positions(undefined, this.positionsNow);
    }
    return this.positionsNow;
  }

  /** The triangles of the meshes in pieces, without trees. */
  private split(session: Session): Tree[] {
    const { meshes } = session.character;
    const step = cornersOf(session) > 3 * AT_ONCE ? 3 * PIECE : Infinity;
    return session.toon.meshes.flatMap(({ geometry: { index } }, mesh) => {
      const { firstVertex: first, vertexCount } = meshes[mesh];
      const places = new BufferAttribute(this.positionsNow.subarray(3 * first, 3 * (first + vertexCount)), 3);
      // The tree reorders the index, so it needs a copy.
      const corners = index ? Uint32Array.from(index.array) : Uint32Array.from({ length: vertexCount }, (_, u) => u);
      const size = Math.min(step, Math.max(corners.length, 1));
      return Array.from({ length: Math.ceil(corners.length / size) }, (_, i) => {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', places);
        geometry.setIndex(new BufferAttribute(corners.slice(i * size, (i + 1) * size), 1));
        return { mesh, first, geometry };
      });
    });
  }

  /** Builds the trees: at once or, for large characters, step by step. Until they are ready nothing is hit. */
  prepare(): void {
    const { session } = this;
    if (!session || this.trees.length) return;
    void this.positions;
    this.trees = this.split(session);
    if (cornersOf(session) > 3 * AT_ONCE) void this.growAll(this.trees);
    else for (const tree of this.trees) grow(tree);
  }

  private async growAll(trees: Tree[]): Promise<void> {
    for (const [i, tree] of trees.entries()) {
      this.preparing.value = i / trees.length;
      await breathe();
      if (this.trees !== trees) return;
      grow(tree);
    }
    this.staleTrees = true; // it may have moved meanwhile
    this.preparing.value = undefined;
  }

  /** Whether the trees are there and fit the current positions. */
  private ready(): boolean {
    this.prepare();
    if (!this.session || this.preparing.value !== undefined) return false;
    if (this.staleTrees && !this.frozen) {
      void this.positions;
      this.staleTrees = false;
      for (const { bvh } of this.trees) bvh!.refit();
    }
    return true;
  }

  /** The first intersection of a ray in world space with the character. */
  hit(ray: Ray): Hit | undefined {
    let best: Hit | undefined;
    for (const { bvh, geometry, first, mesh } of this.ready() ? this.trees : []) {
      const found = bvh!.raycastFirst(ray, DoubleSide);
      if (!found?.face || (best && found.distance >= best.distance)) continue;
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
    }
    return best;
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

const cornersOf = ({ toon }: Session): number =>
  toon.meshes.reduce((sum, { geometry }) => sum + (geometry.index ?? geometry.getAttribute('position')).count, 0);

function grow(tree: Tree): void {
  tree.bvh = new MeshBVH(tree.geometry);
}
