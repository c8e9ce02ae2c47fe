// How the meshes of a character are drawn: materials, uniforms, textures, and the bounds used for culling.
import { Matrix3, Matrix4, Sphere, Vector3 } from 'three';
import type { IUniform, Mesh, SkinnedMesh, Texture } from 'three';
import type { MeshInfo } from '../info.js';
import { SETTINGS } from '../pack.js';
import type { StyledCharacter } from './cast.js';
import { Features } from './features.js';
import { MeshMaterials } from './material.js';
import type { Technique, Uniforms } from './material.js';
import { worldMatrix } from './rig.js';
import type { Part, Rig } from './rig.js';
import { emptyFloats, emptyIntegers, floatTable, spreadPlaces } from './texture.js';
import type { Table } from './texture.js';

type Bounded = Mesh & { boundingSphere?: Sphere | null };

/** One mesh. */
class Shown {
  readonly materials: MeshMaterials;
  private readonly local: IUniform<Matrix4> = { value: new Matrix4() };
  private readonly normal: IUniform<Matrix3> = { value: new Matrix3() };
  private readonly sphere = new Sphere();
  private readonly standing = new Matrix4();
  private readonly before: Sphere | null | undefined;

  constructor(
    readonly part: Part,
    shared: Uniforms,
    firstVertex: number,
    firstJoint: number,
    features: Features,
    technique: Technique,
  ) {
    const { mesh, skinned } = part;
    const uniforms = {
      ...shared,
      limber_local: this.local,
      limber_local_normal: this.normal,
      limber_first_vertex: { value: firstVertex },
      limber_first_joint: { value: firstJoint },
    };
    this.materials = new MeshMaterials(mesh, skinned, uniforms, features, technique);
    this.before = (mesh as Bounded).boundingSphere;
    (mesh as Bounded).boundingSphere = this.sphere;
  }

  /** With bindMode `detached`, the mesh's world matrix applies on top of the skinning. */
  place(stage: Matrix4): void {
    const mesh = this.part.mesh as SkinnedMesh;
    const local = this.local.value;
    worldMatrix(mesh, this.standing);
    local.copy(this.part.skinned && mesh.bindMode === 'detached' ? mesh.bindMatrix : this.standing).invert();
    local.multiply(stage);
    this.normal.value.getNormalMatrix(local);
  }

  /** Transforms the engine's world to the world of three.js, for this mesh. */
  world(): Matrix4 {
    return new Matrix4().multiplyMatrices(this.standing, this.local.value);
  }

  bound(center: Vector3, radius: number): void {
    this.sphere.center.copy(center).applyMatrix4(this.local.value);
    this.sphere.radius = radius * this.local.value.getMaxScaleOnAxis();
  }

  dispose(): void {
    this.materials.dispose();
    if (this.before === undefined) delete (this.part.mesh as Bounded).boundingSphere;
    else (this.part.mesh as Bounded).boundingSphere = this.before;
  }
}

/** All meshes of a character. */
export class Screen {
  readonly shown: Shown[];
  private readonly texture: IUniform = { value: emptyFloats().texture };
  private readonly columns: IUniform = { value: emptyIntegers().texture };
  private readonly obeyed: IUniform = { value: emptyFloats().texture };
  private readonly places: IUniform = { value: emptyFloats().texture };
  private readonly settings: IUniform<Int32Array> = { value: new Int32Array(SETTINGS) };
  readonly features = new Features();
  private readonly vectors: IUniform<number> = { value: 0 };
  private readonly given: IUniform<number> = { value: 0 };
  private texels: Table<Float32Array> | undefined;
  private ownColumns: Table<Int16Array> | undefined;
  private placeTable: Table<Float32Array> | undefined;
  private styled: StyledCharacter | undefined;
  private readonly worlds: Float32Array;
  private readonly moving: number[]; // offsets in `worlds` of the positions of all skin joints
  private readonly center = new Vector3();

  constructor(
    rig: Rig,
    meshes: readonly MeshInfo[],
    private readonly size: number,
    technique: Technique,
  ) {
    const shared: Uniforms = {
      limber_texture: this.texture,
      limber_settings: this.settings,
      limber_column_texture: this.columns,
      limber_column_vectors: this.vectors,
      limber_obeyed: this.obeyed,
      limber_place_texture: this.places,
      limber_places: this.given,
    };
    const firsts: number[] = [];
    rig.skins.reduce((first, skin, i) => ((firsts[i] = first), first + skin.joints.length), 0);
    this.worlds = new Float32Array(16 * rig.nodes.length);
    this.moving = [...new Set(rig.skins.flatMap((skin) => Array.from(skin.joints)))].map((joint) => 16 * joint + 12);
    this.shown = [];
    try {
      rig.parts.forEach((part, i) =>
        this.shown.push(new Shown(part, shared, meshes[i].firstVertex, firsts[part.skin], this.features, technique)),
      );
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** Draws the current pose of the pipeline with the shader. */
  showPack(styled: StyledCharacter): void {
    const pack = styled.effects!;
    const wanted = 4 * pack.width * pack.height;
    if (!this.texels || this.texels.data.length < wanted) {
      this.texels?.texture.dispose();
      this.texels = floatTable(pack.width * pack.height);
    }
    pack.frame(this.texels.data);
    this.texels.texture.needsUpdate = true;
    this.texture.value = this.texels.texture;
    this.settings.value = pack.settings;
    this.features.add(pack.settings);
    this.vectors.value = Math.ceil(pack.columnCount / 4);
    this.showColumns(styled);
    this.obeyed.value = styled.obeyed();
    this.given.value = 0;
    this.styled = styled;
  }

  private showColumns(styled: StyledCharacter): void {
    const { columnCount, columnsChange } = styled.effects!;
    if (!columnsChange || this.styled !== styled) {
      this.ownColumns?.texture.dispose();
      this.ownColumns = undefined;
    }
    if (!columnCount) this.columns.value = emptyIntegers().texture;
    else if (!columnsChange) this.columns.value = styled.columns();
    else {
      this.ownColumns = styled.fillColumns(this.ownColumns ?? styled.makeColumns());
      this.columns.value = this.ownColumns.texture;
    }
  }

  /** Draws vertices that were computed on the CPU. */
  showPlaces(positions: Float32Array, normals: Float32Array): void {
    this.placeTable ??= floatTable((2 * positions.length) / 3);
    spreadPlaces(positions, normals, this.placeTable.data);
    this.placeTable.texture.needsUpdate = true;
    this.places.value = this.placeTable.texture;
    this.columns.value = emptyIntegers().texture; // release the textures of the previous style
    this.obeyed.value = emptyFloats().texture;
    this.given.value = 1;
  }

  /** Draws vertices that a pass of the GPU has made, after `showPack`. */
  showTexture(texture: Texture): void {
    this.places.value = texture;
    this.given.value = 1;
  }

  /** Updates the matrices and bounds of the meshes. Bounds reach one character size beyond the joints. */
  place(stage: Matrix4, styled: StyledCharacter): void {
    const worlds = styled.pipeline.worldMatrices(this.worlds);
    const { center, moving } = this;
    center.set(0, 0, 0);
    for (const at of moving) {
      center.x += worlds[at] / moving.length;
      center.y += worlds[at + 1] / moving.length;
      center.z += worlds[at + 2] / moving.length;
    }
    let far = 0;
    for (const at of moving)
      far = Math.max(far, Math.hypot(worlds[at] - center.x, worlds[at + 1] - center.y, worlds[at + 2] - center.z));
    for (const shown of this.shown) {
      shown.place(stage);
      shown.materials.renew();
      shown.bound(center, far + this.size);
    }
  }

  dispose(): void {
    for (const shown of this.shown) shown.dispose();
    this.shown.length = 0;
    for (const table of [this.texels, this.ownColumns, this.placeTable]) table?.texture.dispose();
  }
}
