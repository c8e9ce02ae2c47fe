// How a crowd is drawn: one mesh with instances for each mesh of the character, and one texture for all members.
import {
  Box3,
  BufferAttribute,
  DataTexture,
  FloatType,
  InstancedBufferGeometry,
  Matrix3,
  Matrix4,
  Mesh,
  NearestFilter,
  RGBAFormat,
} from 'three';
import type { BufferGeometry, IUniform, Material, SkinnedMesh, Sphere } from 'three';
import type { Crowd, CrowdShader } from '../crowd.js';
import type { MeshInfo } from '../info.js';
import { SETTINGS } from '../pack.js';
import { LimberError } from '../wasm.js';
import { Features } from './features.js';
import { MeshMaterials } from './material.js';
import type { Technique, Uniforms } from './material.js';
import { component, nameOf } from './rig.js';
import type { Attribute, Part, Rig } from './rig.js';
import { emptyFloats, emptyIntegers, floatTable, integerTable, spreadColumns } from './texture.js';
import type { Table } from './texture.js';

/** Texels per member at the start of the texture: the rows of its matrix, and where its frame starts. */
export const TEXELS_OF_MEMBER = 4;

// --- geometries ---

/** Positions or normals of a mesh with its current morph weights, or the attribute itself if they are all 0. */
function morphed(mesh: Mesh, name: 'position' | 'normal'): Attribute {
  const { geometry } = mesh;
  const base = geometry.getAttribute(name) as Attribute;
  const targets = geometry.morphAttributes[name] ?? [];
  const weights = mesh.morphTargetInfluences ?? [];
  if (!targets.some((_, k) => weights[k])) return base;
  const sum = new Float32Array(3 * base.count);
  for (let u = 0; u < base.count; u++)
    for (let i = 0; i < 3; i++) {
      const from = component(base, u, i);
      let value = from;
      targets.forEach((target, k) => {
        value += (weights[k] ?? 0) * (component(target, u, i) - (geometry.morphTargetsRelative ? 0 : from));
      });
      sum[3 * u + i] = value;
    }
  return new BufferAttribute(sum, 3);
}

/** Shares the attributes of the mesh. Morph targets stay as they are now. */
function instanced(mesh: Mesh): InstancedBufferGeometry {
  const { geometry } = mesh;
  const made = new InstancedBufferGeometry();
  for (const [name, attribute] of Object.entries(geometry.attributes)) made.setAttribute(name, attribute as Attribute);
  for (const name of ['position', 'normal'] as const)
    if (geometry.hasAttribute(name)) made.setAttribute(name, morphed(mesh, name));
  made.setIndex(geometry.index);
  for (const { start, count, materialIndex } of geometry.groups) made.addGroup(start, count, materialIndex);
  made.setDrawRange(geometry.drawRange.start, geometry.drawRange.count);
  made.name = geometry.name;
  return made;
}

/** Drops the attributes first, so that the renderer keeps those that the original still draws. */
function disposeShared(geometry: BufferGeometry): void {
  for (const name of Object.keys(geometry.attributes)) geometry.deleteAttribute(name);
  geometry.setIndex(null);
  geometry.dispose();
}

/** A material without the stand-in that `limber()` has put before it. */
function original(material: Material): Material {
  const above = Object.getPrototypeOf(material) as Material;
  return Object.hasOwn(above, 'uuid') ? original(above) : material;
}

/** A mesh for all members, without a place of its own. */
function meshFor({ mesh, skinned }: Part): Mesh {
  if (skinned && (mesh as SkinnedMesh).bindMode === 'detached')
    throw new LimberError('crowds have no meshes with bindMode detached', 'unsupported', `mesh ${nameOf(mesh)}`);
  const { material } = mesh;
  const made = new Mesh(instanced(mesh), Array.isArray(material) ? material.map(original) : original(material));
  made.name = mesh.name;
  made.userData = mesh.userData;
  made.visible = mesh.visible;
  made.castShadow = mesh.castShadow;
  made.receiveShadow = mesh.receiveShadow;
  made.renderOrder = mesh.renderOrder;
  made.layers.mask = mesh.layers.mask;
  made.frustumCulled = mesh.frustumCulled;
  made.matrixAutoUpdate = false;
  return made;
}

/** The same rig with meshes that draw a crowd. */
export function crowdRig(rig: Rig): Rig {
  const parts: Part[] = [];
  try {
    for (const part of rig.parts) parts.push({ ...part, mesh: meshFor(part) });
  } catch (error) {
    for (const { mesh } of parts) disposeShared(mesh.geometry);
    throw error;
  }
  return { ...rig, parts };
}

// --- drawing ---

function expectDrawable(shader: CrowdShader): void {
  if (shader.columnsChange)
    throw new LimberError(
      'the style has formulas that differ between vertices; they change in every frame, which crowds do not do',
      'unsupported',
      'effects',
    );
}

export class CrowdMeshes {
  private readonly texture: IUniform = { value: emptyFloats().texture };
  private readonly columns: IUniform = { value: emptyIntegers().texture };
  private readonly obeyed: IUniform = { value: emptyFloats().texture };
  private readonly settings: IUniform<Int32Array> = { value: new Int32Array(SETTINGS) };
  private readonly vectors: IUniform<number> = { value: 0 };
  private readonly features = new Features(true);
  private readonly materials: MeshMaterials[] = [];
  private members: DataTexture | undefined;
  private tables: (Table<Int16Array> | Table<Float32Array>)[] = [];
  private crowd: Crowd | undefined;

  constructor(
    private readonly rig: Rig,
    meshes: readonly MeshInfo[],
    technique: Technique,
  ) {
    const shared: Uniforms = {
      limber_texture: this.texture,
      limber_settings: this.settings,
      limber_column_texture: this.columns,
      limber_column_vectors: this.vectors,
      limber_obeyed: this.obeyed,
      limber_place_texture: { value: emptyFloats().texture },
      limber_places: { value: 0 },
      limber_local: { value: new Matrix4() },
      limber_local_normal: { value: new Matrix3() },
    };
    const firsts: number[] = [];
    rig.skins.reduce((first, skin, i) => ((firsts[i] = first), first + skin.joints.length), 0);
    const checked = { ...technique, checkRenderer: this.checker(technique) };
    try {
      rig.parts.forEach(({ mesh, skin, skinned }, i) => {
        const uniforms = {
          ...shared,
          limber_first_vertex: { value: meshes[i].firstVertex },
          limber_first_joint: { value: firsts[skin] },
        };
        this.materials.push(new MeshMaterials(mesh, skinned, uniforms, this.features, checked));
      });
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  private checker(technique: Technique): Technique['checkRenderer'] {
    return (renderer, mesh) => {
      technique.checkRenderer(renderer, mesh);
      const most = renderer.capabilities?.maxTextureSize ?? Infinity;
      const { height } = this.texture.value.image;
      if (height > most)
        throw new LimberError(`the crowd needs a texture of ${height} rows, but this GPU has ${most}`, 'limit');
    };
  }

  /** What does not change from frame to frame. Throws before anything changes. */
  wear(crowd: Crowd): void {
    const shader = crowd.shader();
    expectDrawable(shader);
    for (const { texture } of this.tables) texture.dispose();
    this.tables = [];
    this.crowd = crowd;
    this.settings.value = shader.settings;
    this.features.add(shader.settings);
    this.vectors.value = Math.ceil(shader.columnCount / 4);
    this.columns.value = this.columnsOf(crowd, shader);
    this.obeyed.value = this.obeyedOf(shader);
  }

  private columnsOf(crowd: Crowd, { columns, columnCount, columnStride }: CrowdShader): DataTexture {
    if (!columnCount) return emptyIntegers().texture;
    const { vertexCount } = crowd.kinds[0].character;
    const table = integerTable(Math.ceil(columnCount / 4) * vertexCount);
    spreadColumns(columns, columnStride, columnCount, vertexCount, table.data);
    this.tables.push(table);
    return table.texture;
  }

  private obeyedOf({ obeyed }: CrowdShader): DataTexture {
    if (!obeyed.length) return emptyFloats().texture;
    const table = floatTable(obeyed.length / 4);
    table.data.set(obeyed);
    this.tables.push(table);
    return table.texture;
  }

  /** A texture that is uploaded straight from the memory of the module, which may move. */
  private makeTexture(width: number, rows: number): DataTexture {
    const made = new DataTexture(null, width, rows, RGBAFormat, FloatType);
    const read = (): Float32Array => this.crowd?.gathered() ?? new Float32Array(0);
    Object.defineProperty(made.image, 'data', { get: read, enumerable: true });
    made.magFilter = made.minFilter = NearestFilter;
    made.generateMipmaps = false;
    made.unpackAlignment = 4;
    return made;
  }

  /** Draws the last frame of the crowd: `shown` are the members, `matrixOf` has their places. */
  show(shown: readonly number[], matrixOf: (member: number) => Matrix4): void {
    for (const { mesh } of this.rig.parts) (mesh.geometry as InstancedBufferGeometry).instanceCount = shown.length;
    if (shown.length) this.fill(shown, matrixOf);
    for (const materials of this.materials) materials.renew(); // they read the texture that is used now
  }

  private fill(shown: readonly number[], matrixOf: (member: number) => Matrix4): void {
    if (!this.crowd) return;
    const { width, rows } = this.crowd.gather(TEXELS_OF_MEMBER * shown.length);
    if (this.members?.image.height !== rows) {
      this.members?.dispose();
      this.members = this.makeTexture(width, rows);
      this.texture.value = this.members;
    }
    const texels = this.crowd.gathered();
    const first = this.crowd.firstTexels();
    shown.forEach((member, i) => {
      const { elements: e } = matrixOf(member);
      const at = 4 * TEXELS_OF_MEMBER * i;
      for (let row = 0; row < 3; row++)
        for (let column = 0; column < 4; column++) texels[at + 4 * row + column] = e[4 * column + row];
      texels[at + 12] = first[member];
    });
    this.members.needsUpdate = true;
  }

  /** For culling. */
  bound(sphere: Sphere, box: Box3): void {
    for (const { mesh } of this.rig.parts) {
      (mesh as Mesh & { boundingSphere?: Sphere }).boundingSphere = sphere;
      mesh.geometry.boundingSphere = sphere;
      (mesh.geometry.boundingBox ??= new Box3()).copy(box);
    }
  }

  dispose(): void {
    this.crowd = undefined;
    for (const one of this.materials) one.dispose();
    this.materials.length = 0;
    this.members?.dispose();
    for (const { texture } of this.tables) texture.dispose();
    for (const { mesh } of this.rig.parts) disposeShared(mesh.geometry);
  }
}
