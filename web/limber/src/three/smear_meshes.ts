// In-between copies and motion lines: extra meshes next to the character's own, created when they are first visible.
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
} from 'three';
import type { Material, Object3D, Matrix4 } from 'three';
import type { SmearMesh } from '../frame.js';
import { component, worldMatrix } from './rig.js';
import type { Attribute } from './rig.js';

function dynamic(array: Float32Array, size: number): BufferAttribute {
  const attribute = new BufferAttribute(array, size);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}

/** The material of the source mesh, made transparent so that copies can fade. */
export function fading(material: Material): Material {
  const made = material.clone();
  made.transparent = true;
  made.vertexColors = true;
  return made;
}

/** Lines are lit as the character is. */
export function lineMaterial(character: Material | undefined): Material {
  const unlit = (character as MeshBasicMaterial | undefined)?.isMeshBasicMaterial === true;
  const options = { vertexColors: true, transparent: true };
  return unlit ? new MeshBasicMaterial(options) : new MeshStandardMaterial(options);
}

class SmearObject {
  readonly mesh: Mesh;
  private readonly sourceColors: Attribute | undefined;

  constructor(smear: SmearMesh, source: Mesh | undefined, material: Material | undefined) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', dynamic(new Float32Array(smear.positions.length), 3));
    geometry.setAttribute('normal', dynamic(new Float32Array(smear.normals.length), 3));
    geometry.setAttribute('color', dynamic(new Float32Array(smear.colors.length), 4));
    geometry.setIndex(new BufferAttribute(smear.triangles, 1));
    for (const name of ['uv', 'uv1', 'uv2', 'uv3']) {
      const shared = source?.geometry.getAttribute(name);
      if (shared) geometry.setAttribute(name, shared);
    }
    if (source && material?.vertexColors)
      this.sourceColors = source.geometry.getAttribute('color') as Attribute | undefined;
    this.mesh = new Mesh(geometry, source ? fading(material!) : lineMaterial(material));
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => {};
    this.mesh.name = smear.name;
    this.mesh.receiveShadow = source?.receiveShadow ?? false;
  }

  fits(smear: SmearMesh): boolean {
    return (
      this.mesh.geometry.getAttribute('position').count * 3 === smear.positions.length &&
      this.mesh.geometry.index!.count === smear.triangles.length
    );
  }

  show(smear: SmearMesh): void {
    this.mesh.visible = smear.visible;
    if (!smear.visible) return;
    const { geometry } = this.mesh;
    const put = (name: string, values: Float32Array) => {
      const attribute = geometry.getAttribute(name) as BufferAttribute;
      (attribute.array as Float32Array).set(values);
      attribute.needsUpdate = true;
    };
    put('position', smear.positions);
    put('normal', smear.normals);
    put('color', smear.colors);
    if (this.sourceColors) this.tint(geometry.getAttribute('color') as BufferAttribute);
  }

  /** Copies keep the vertex colors of their source. */
  private tint(colors: BufferAttribute): void {
    for (let u = 0; u < colors.count; u++)
      colors.setXYZ(
        u,
        component(this.sourceColors!, u, 0),
        component(this.sourceColors!, u, 1),
        component(this.sourceColors!, u, 2),
      );
  }

  dispose(): void {
    this.mesh.removeFromParent();
    // Attributes shared with the source are kept.
    this.mesh.geometry.dispose();
    (this.mesh.material as Material).dispose();
  }
}

/** All smear meshes of a character. They are children of its root, but positioned in the engine's world. */
export class SmearMeshes {
  private readonly group = new Group();
  private list: SmearObject[] = [];

  constructor(private readonly root: Object3D) {
    this.group.name = 'limber smears';
    this.group.matrixAutoUpdate = false;
  }

  show(
    smears: readonly SmearMesh[],
    stage: Matrix4,
    source: (mesh: number) => { mesh: Mesh; material: Material } | undefined,
  ): void {
    if (!smears.length) return this.clear();
    if (!this.group.parent) this.root.add(this.group);
    smears.forEach((smear, i) => {
      if (this.list[i] && !this.list[i].fits(smear)) this.list[i].dispose();
      else if (this.list[i]) return;
      const from = source(Math.max(smear.source, 0));
      this.list[i] = new SmearObject(smear, smear.source >= 0 ? from?.mesh : undefined, from?.material);
      this.group.add(this.list[i].mesh);
    });
    for (const gone of this.list.splice(smears.length)) gone.dispose();
    smears.forEach((smear, i) => this.list[i].show(smear));
    worldMatrix(this.root, this.group.matrix).invert().multiply(stage);
    this.group.matrixWorldNeedsUpdate = true;
  }

  clear(): void {
    for (const smear of this.list) smear.dispose();
    this.list = [];
    this.group.removeFromParent();
  }
}
