// Live smears on the graphics card: it keeps the vertices of the last frames, and elongates, copies and draws lines from
// them. shaders/smear.glsl has the passes.
import { BufferAttribute, BufferGeometry, Group, Matrix3, Matrix4, Mesh } from 'three';
import type { Material, Object3D, Points, RenderTarget, Scene, Texture, WebGLRenderer } from 'three';
import type { MeshInfo } from '../info.js';
import type { PackedSmearMesh, SmearPack } from '../smear_pack.js';
import { DeformPass } from './deform_pass.js';
import type { PassName, PassTextures, Technique } from './material.js';
import { bare, drawInto, makeTarget, pointsOf, sceneOf } from './pass.js';
import { component, worldMatrix } from './rig.js';
import type { Attribute } from './rig.js';
import type { Screen } from './screen.js';
import { fading, lineMaterial } from './smear_meshes.js';
import { floatTable } from './texture.js';
import type { Table } from './texture.js';

const TUBE = 80; // vertices
const SEED_COLOR = 2; // texel of a seed

interface Pass {
  points: Points;
  scene: Scene;
  target: RenderTarget;
}

/** Everything that live smears of one character need on the card. */
export class SmearPasses {
  private readonly vertices: DeformPass;
  private readonly now: Table<Float32Array>;
  private readonly fixed: Table<Float32Array>;
  private readonly passes: Pass[] = [];
  private readonly targets: Record<string, RenderTarget> = {};
  private readonly group = new Group();
  private readonly meshes: Mesh[];

  constructor(
    private readonly renderer: WebGLRenderer,
    private readonly technique: Technique,
    private readonly screen: Screen,
    readonly pack: SmearPack,
    private readonly root: Object3D,
    private readonly infos: readonly MeshInfo[],
  ) {
    this.vertices = new DeformPass(renderer, technique, screen, pack.places, pack.placeTexels);
    this.now = floatTable(pack.frameTexels);
    this.fixed = floatTable(pack.fixed.length / 4);
    this.fixed.data.set(pack.fixed);
    pack.frame(this.now.data); // where the parts of `fixed` are
    this.addPasses();
    this.group.name = 'limber smears';
    this.group.matrixAutoUpdate = false;
    this.meshes = pack.meshes.map((mesh) => (mesh.kind === 'copy' ? this.copy(mesh) : this.lines(mesh)));
    if (this.meshes.length) this.group.add(...this.meshes);
  }

  private get vertexCount(): number {
    return this.infos.reduce((sum, { vertexCount }) => sum + vertexCount, 0);
  }

  private addPasses(): void {
    const { pack } = this;
    const n = this.vertexCount;
    this.add('chunk', 'chunks', pack.chunks, pack.steps, pack.chunks * pack.steps);
    this.add('size', 'sizes', pack.joints, pack.steps, pack.joints * pack.steps);
    this.add('move', 'moved', n, 2, 2 * n);
    if (pack.copies) this.add('copy', 'copies', n, 2 * pack.copies, 2 * n * pack.copies);
    if (!pack.lines) return;
    this.add('point', 'points', 16 * pack.lines, 1, 16 * pack.lines);
    this.add('tube', 'tubes', 128 * pack.lines, 2, 2 * TUBE * pack.lines);
  }

  private add(name: PassName, to: string, count: number, instances: number, texels: number): void {
    const target = makeTarget(texels);
    this.targets[to] = target;
    const material = this.technique.passes.smear(name, this.textures(), this.pack.formulas, target.height);
    const points = pointsOf(bare(count, instances), material);
    this.passes.push({ points, scene: sceneOf(points), target });
  }

  private textures(): PassTextures {
    const all: Record<string, Texture | undefined> = {
      ring: this.vertices.texture,
      fixed: this.fixed.texture,
      now: this.now.texture,
      chunks: this.targets.chunks?.texture,
      sizes: this.targets.sizes?.texture,
      moved: this.targets.moved?.texture,
      points: this.targets.points?.texture,
    };
    return Object.fromEntries(
      Object.entries(all).map(([name, value]) => [`limber_smear_${name}`, { value: value ?? this.fixed.texture }]),
    );
  }

  // --- copies and lines ---

  private drawn(geometry: BufferGeometry, from: Material, texture: Texture, firstVertex: number, name: string): Mesh {
    const mesh = new Mesh(geometry);
    const uniforms = {
      ...this.screen.shown[0].materials.uniforms,
      limber_local: { value: new Matrix4() },
      limber_local_normal: { value: new Matrix3() },
      limber_places: { value: 1 },
      limber_place_texture: { value: texture },
      limber_first_vertex: { value: firstVertex },
    };
    from.alphaTest = Math.max(from.alphaTest, 1 / 512); // what is not to be seen hides nothing
    const faded = this.technique.passes.fade(from, uniforms);
    mesh.material = this.technique.standIn(faded, mesh, false, uniforms, this.screen.features);
    mesh.frustumCulled = false;
    mesh.raycast = () => {};
    mesh.name = name;
    return mesh;
  }

  private copy({ number, source, vertexCount, triangles }: PackedSmearMesh): Mesh {
    const { part, materials } = this.screen.shown[source];
    const geometry = new BufferGeometry();
    for (const name of ['position', 'normal', 'uv', 'uv1', 'uv2', 'uv3']) {
      const shared = part.mesh.geometry.getAttribute(name);
      if (shared) geometry.setAttribute(name, shared);
    }
    geometry.setIndex(new BufferAttribute(triangles, 1));
    const plain = materials.plain();
    const colors = plain.vertexColors ? (part.mesh.geometry.getAttribute('color') as Attribute | undefined) : undefined;
    geometry.setAttribute('color', new BufferAttribute(colorsOf(colors, vertexCount), 4));
    const first = (number + this.pack.copies) * this.vertexCount + this.infos[source].firstVertex;
    const mesh = this.drawn(geometry, fading(plain), this.targets.copies.texture, first, `multiple ${number}`);
    mesh.receiveShadow = part.mesh.receiveShadow;
    return mesh;
  }

  private lines({ vertexCount, triangles }: PackedSmearMesh): Mesh {
    const geometry = new BufferGeometry();
    const colors = new Float32Array(4 * vertexCount);
    const { data } = this.now;
    const [seeds, stride] = [data[22], data[23]];
    for (let u = 0; u < vertexCount; u++) {
      const at = 4 * (seeds + Math.floor(u / TUBE) * stride + SEED_COLOR);
      colors.set(this.pack.fixed.subarray(at, at + 4), 4 * u);
    }
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * vertexCount), 3));
    geometry.setAttribute('normal', new BufferAttribute(new Float32Array(3 * vertexCount), 3));
    geometry.setAttribute('color', new BufferAttribute(colors, 4));
    geometry.setIndex(new BufferAttribute(triangles, 1));
    return this.drawn(
      geometry,
      lineMaterial(this.screen.shown[0].materials.plain()),
      this.targets.tubes.texture,
      0,
      'lines',
    );
  }

  // --- frames ---

  /** After a push to the stream: the pose, with all smears. */
  update(time: number): void {
    const place = this.pack.push(time);
    this.pack.frame(this.now.data);
    this.now.texture.needsUpdate = true;
    this.vertices.draw(place);
    for (const { scene, target } of this.passes) drawInto(this.renderer, scene, target);
  }

  /** Positions and normals of the elongated character. */
  get texture(): Texture {
    return this.targets.moved.texture;
  }

  /** @internal For tests: the targets by name. */
  get results(): Readonly<Record<string, RenderTarget>> {
    return this.targets;
  }

  show(stage: Matrix4): void {
    if (!this.meshes.length) return;
    if (!this.group.parent) this.root.add(this.group);
    for (const mesh of this.meshes) this.technique.refresh?.(mesh.material as Material);
    worldMatrix(this.root, this.group.matrix).invert().multiply(stage);
    this.group.matrixWorldNeedsUpdate = true;
  }

  hide(): void {
    this.group.removeFromParent();
  }

  dispose(): void {
    this.hide();
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      (mesh.material as Material).dispose();
    }
    for (const { points } of this.passes) {
      points.geometry.dispose();
      (points.material as Material).dispose();
    }
    for (const target of Object.values(this.targets)) target.dispose();
    this.vertices.dispose();
    this.now.texture.dispose();
    this.fixed.texture.dispose();
    this.pack.dispose();
  }
}

/** Four numbers per vertex; white without colors. */
function colorsOf(colors: Attribute | undefined, count: number): Float32Array {
  const out = new Float32Array(4 * count).fill(1);
  for (let u = 0; colors && u < count; u++)
    for (let k = 0; k < Math.min(colors.itemSize, 4); k++) out[4 * u + k] = component(colors, u, k);
  return out;
}
