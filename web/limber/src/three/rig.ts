// Turns three.js objects into a rig: joints, meshes, and their arrays.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type {
  BufferAttribute,
  BufferGeometry,
  InterleavedBufferAttribute,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Skeleton,
  SkinnedMesh,
} from 'three';
import type { CharacterDescription, ClipDescription, MeshDescription, SkinDescription } from '../description.js';
import { LimberError } from '../wasm.js';

export type Attribute = BufferAttribute | InterleavedBufferAttribute;

/** Which unskinned meshes belong to a character. */
export type RigidMeshes = 'bones' | 'all' | 'none';

/** A mesh of the character. */
export interface Part {
  mesh: Mesh;
  skin: number;
  skinned: boolean;
}

export interface Rig {
  /** The given object or, for a mesh, the common ancestor of the mesh and its bones. It is the first joint. */
  root: Object3D;
  /** Parents come before children. */
  nodes: Object3D[];
  parents: number[];
  skins: SkinDescription[];
  parts: Part[];
  /**
   * The rest pose, 10 numbers per joint. The root is the identity, because its position is not part of the character.
   */
  rest: Float32Array;
  /** Which joint of the rig as it was found each joint is, once they are in order. */
  order?: Uint32Array;
}

export const FLOATS_OF_JOINT = 10;
const LAYER = '_limber_';

const isMesh = (object: Object3D): object is Mesh => (object as Mesh).isMesh === true;
const isSkinned = (object: Object3D): object is SkinnedMesh => (object as SkinnedMesh).isSkinnedMesh === true;
const isCopied = (object: Object3D): boolean =>
  (object as { isInstancedMesh?: boolean }).isInstancedMesh === true ||
  (object as { isBatchedMesh?: boolean }).isBatchedMesh === true;

/** The name of an object in messages. */
export function nameOf(object: Object3D): string {
  return `'${object?.name || object?.type || String(object)}'`;
}

/** The name in the file. GLTFLoader stores it if it had to change the name of the node. */
function jointName(node: Object3D): string {
  return typeof node.userData.name === 'string' ? node.userData.name : node.name;
}

function ancestors(object: Object3D): Object3D[] {
  const list: Object3D[] = [];
  for (let at: Object3D | null = object; at; at = at.parent) list.push(at);
  return list;
}

/** The lowest common ancestor. */
function commonAncestor(objects: Object3D[]): Object3D {
  let common = ancestors(objects[0]);
  for (const object of objects.slice(1)) {
    const above = new Set(ancestors(object));
    common = common.filter((one) => above.has(one));
  }
  if (!common.length) throw new LimberError(`${nameOf(objects[0])} and its bones have no common ancestor`, 'data');
  return common[0];
}

function sharesBones(mesh: SkinnedMesh, bones: ReadonlySet<Object3D>): boolean {
  return mesh.skeleton.bones.some((bone) => bones.has(bone));
}

function expectSkeleton(mesh: SkinnedMesh): void {
  if (!mesh.skeleton)
    throw new LimberError('the mesh has no skeleton; call bind() first', 'data', `mesh ${nameOf(mesh)}`);
}

function expectSingle(object: Object3D): void {
  if (isCopied(object))
    throw new LimberError(
      'instances cannot be deformed individually; use limberCrowd() for many characters in one draw call, or SkeletonUtils.clone for a few, which share the geometry',
      'unsupported',
      `mesh ${nameOf(object)}`,
    );
}

function findSkinned(root: Object3D, given: Object3D): SkinnedMesh[] {
  const all: SkinnedMesh[] = [];
  root.traverse((object) => {
    if (!isSkinned(object)) return;
    expectSingle(object);
    expectSkeleton(object);
    all.push(object);
  });
  if (!isSkinned(given)) return all;
  const bones = new Set<Object3D>(given.skeleton.bones);
  return all.filter((mesh) => mesh === given || sharesBones(mesh, bones));
}

function findRigid(root: Object3D, skinned: SkinnedMesh[], which: RigidMeshes | undefined, skipped: string[]): Mesh[] {
  const choice = which ?? (skinned.length ? 'bones' : 'all');
  if (choice === 'none') return [];
  const bones = new Set<Object3D>(skinned.flatMap((mesh) => mesh.skeleton.bones));
  const found: Mesh[] = [];
  root.traverse((object) => {
    if (!isMesh(object) || isSkinned(object)) return;
    if (choice === 'bones' && !ancestors(object).some((above) => bones.has(above))) return;
    if (isCopied(object))
      skipped.push(`${nameOf(object)} has instances and is not deformed; limberCrowd() draws many characters at once`);
    else if (!object.geometry.getAttribute('position')) skipped.push(`${nameOf(object)} has no vertices`);
    else found.push(object);
  });
  return found;
}

/** 10 numbers: translation, rotation, scale. For nodes without matrixAutoUpdate they are read from the matrix. */
export function readLocal(node: Object3D, out: Float32Array, at: number): void {
  const { position, quaternion, scale } = node;
  if (!node.matrixAutoUpdate) node.matrix.decompose(position, quaternion, scale);
  out[at] = position.x;
  out[at + 1] = position.y;
  out[at + 2] = position.z;
  out[at + 3] = quaternion.x;
  out[at + 4] = quaternion.y;
  out[at + 5] = quaternion.z;
  out[at + 6] = quaternion.w;
  out[at + 7] = scale.x;
  out[at + 8] = scale.y;
  out[at + 9] = scale.z;
}

export function writeLocal(node: Object3D, from: Float32Array, at: number): void {
  node.position.fromArray(from, at);
  node.quaternion.fromArray(from, at + 3);
  node.scale.fromArray(from, at + 7);
  if (!node.matrixAutoUpdate) node.updateMatrix();
}

const ancestor = new Matrix4();

/**
 * The world matrix that a frame drawn now would use. It does not modify anything, so that three.js still knows what has
 * changed.
 */
export function worldMatrix(node: Object3D, out: Matrix4): Matrix4 {
  out.identity();
  for (let at: Object3D | null = node; at; at = at.parent) {
    if (at.matrixWorldAutoUpdate === false) return out.premultiply(at.matrixWorld);
    out.premultiply(at.matrixAutoUpdate ? ancestor.compose(at.position, at.quaternion, at.scale) : at.matrix);
  }
  return out;
}

export function writeTransform(
  out: Float32Array,
  at: number,
  position: Vector3,
  rotation: Quaternion,
  scale: Vector3,
): void {
  position.toArray(out, at);
  rotation.toArray(out, at + 3);
  scale.toArray(out, at + 7);
}

function findJoints(root: Object3D, holders: Iterable<Object3D>): Object3D[] {
  const marked = new Set<Object3D>([root]);
  for (const holder of holders) {
    const above = ancestors(holder);
    if (!above.includes(root))
      throw new LimberError(
        `the bone is not inside ${nameOf(root)}; clone() leaves the bones with the original: copy characters with SkeletonUtils.clone`,
        'data',
        `bone ${nameOf(holder)}`,
      );
    for (const node of above.slice(0, above.indexOf(root))) marked.add(node);
  }
  const nodes: Object3D[] = [];
  root.traverse((node) => marked.has(node) && nodes.push(node));
  return nodes;
}

function skinOf(mesh: SkinnedMesh, jointOf: ReadonlyMap<Object3D, number>): SkinDescription {
  const { bones, boneInverses } = mesh.skeleton;
  const inverses = new Float32Array(16 * bones.length);
  const product = new Matrix4();
  bones.forEach((_, i) => product.multiplyMatrices(boneInverses[i], mesh.bindMatrix).toArray(inverses, 16 * i));
  return { joints: bones.map((bone) => jointOf.get(bone)!), inverseBindMatrices: inverses };
}

/** Meshes with the same skeleton and bind matrix share a skin. */
function findParts(
  skinned: SkinnedMesh[],
  rigid: Mesh[],
  jointOf: ReadonlyMap<Object3D, number>,
): { skins: SkinDescription[]; parts: Part[] } {
  const skins: SkinDescription[] = [];
  const parts: Part[] = [];
  const known: { skeleton: Skeleton; bound: Matrix4; skin: number }[] = [];
  for (const mesh of skinned) {
    let entry = known.find((one) => one.skeleton === mesh.skeleton && one.bound.equals(mesh.bindMatrix));
    if (!entry) {
      entry = { skeleton: mesh.skeleton, bound: mesh.bindMatrix.clone(), skin: skins.length };
      skins.push(skinOf(mesh, jointOf));
      known.push(entry);
    }
    parts.push({ mesh, skin: entry.skin, skinned: true });
  }
  for (const mesh of rigid) {
    parts.push({ mesh, skin: skins.length, skinned: false });
    skins.push({ joints: [jointOf.get(mesh)!], inverseBindMatrices: new Matrix4().toArray() });
  }
  return { skins, parts };
}

/** Reads the scene graph. The current state of the nodes becomes the rest pose. */
export function findRig(given: Object3D, rigidMeshes: RigidMeshes | undefined, warnings: string[]): Rig {
  expectSingle(given);
  if (isSkinned(given)) expectSkeleton(given);
  const root = isSkinned(given) ? commonAncestor([given, ...given.skeleton.bones]) : given;
  const skinned = findSkinned(root, given);
  const rigid = findRigid(root, skinned, rigidMeshes, warnings);
  if (!skinned.length && !rigid.length) throw new LimberError(`there is no mesh in ${nameOf(given)}`, 'data');
  const nodes = findJoints(root, [...skinned.flatMap((mesh) => mesh.skeleton.bones), ...rigid]);
  const jointOf = new Map(nodes.map((node, i) => [node, i]));
  const parents = nodes.map((node) => (node === root ? -1 : jointOf.get(node.parent!)!));
  const rest = new Float32Array(FLOATS_OF_JOINT * nodes.length);
  nodes.forEach((node, i) => readLocal(node, rest, FLOATS_OF_JOINT * i));
  writeTransform(rest, 0, new Vector3(), new Quaternion(), new Vector3(1, 1, 1));
  return { root, nodes, parents, rest, ...findParts(skinned, rigid, jointOf) };
}

// --- arrays ---

/** One component of an attribute. */
export function component(attribute: Attribute, index: number, which: number): number {
  if (which === 0) return attribute.getX(index);
  return which === 1 ? attribute.getY(index) : which === 2 ? attribute.getZ(index) : attribute.getW(index);
}

/** Any attribute as floats, including interleaved and normalized ones. */
function floatsOf(attribute: Attribute, size: number): Float32Array {
  const { array, count } = attribute;
  if (array instanceof Float32Array && array.length === size * count && attribute.itemSize === size)
    return array.slice();
  const out = new Float32Array(size * count);
  for (let i = 0; i < count; i++) for (let k = 0; k < size; k++) out[size * i + k] = component(attribute, i, k);
  return out;
}

function weightsOf(attribute: Attribute): Float32Array {
  const weights = floatsOf(attribute, 4);
  for (let at = 0; at < weights.length; at += 4)
    if (!(weights[at] + weights[at + 1] + weights[at + 2] + weights[at + 3] > 0)) weights[at] = 1; // as three.js does
  return weights;
}

function expectFourInfluences(geometry: BufferGeometry): void {
  const more = geometry.getAttribute('weights_1');
  if (more && floatsOf(more, 4).some((weight) => weight > 0))
    throw new LimberError(
      'some vertices have more than 4 influences, but three.js draws only 4; limit them when exporting',
      'unsupported',
    );
}

function morphsOf(
  geometry: BufferGeometry,
  positions: Float32Array,
  normals?: Float32Array,
): MeshDescription['morphs'] {
  const targets = geometry.morphAttributes.position ?? [];
  const turned = geometry.morphAttributes.normal ?? [];
  const difference = (values: Float32Array, base?: Float32Array) =>
    geometry.morphTargetsRelative || !base ? values : values.map((value, i) => value - base[i]);
  return targets.map((target, i) => ({
    name: target.name,
    positions: difference(floatsOf(target, 3), positions),
    normals: turned[i] ? difference(floatsOf(turned[i], 3), normals) : undefined,
  }));
}

/** Current values of the painted layers, by name. */
export function layersOf(geometry: BufferGeometry): Record<string, Float32Array> {
  const names = Object.keys(geometry.attributes).filter((name) => name.toLowerCase().startsWith(LAYER));
  return Object.fromEntries(
    names.map((name) => [name.slice(LAYER.length), floatsOf(geometry.getAttribute(name) as Attribute, 1)]),
  );
}

const colorOf = ({ material }: Mesh) => {
  const first = (Array.isArray(material) ? material[0] : material) as Partial<MeshStandardMaterial>;
  return first?.color ? [first.color.r, first.color.g, first.color.b, first.opacity ?? 1] : undefined;
};

/** The vertex colors that three.js draws, with an opacity. */
function colorsOf({ geometry, material }: Mesh): Float32Array | undefined {
  const colors = geometry.getAttribute('color') as Attribute | undefined;
  if (!colors || !(Array.isArray(material) ? material[0] : material)?.vertexColors) return undefined;
  if (colors.itemSize === 4) return floatsOf(colors, 4);
  const out = new Float32Array(4 * colors.count).fill(1);
  for (let u = 0; u < colors.count; u++) for (let i = 0; i < 3; i++) out[4 * u + i] = component(colors, u, i);
  return out;
}

function describePart({ mesh, skin, skinned }: Part): MeshDescription {
  const { geometry } = mesh;
  const get = (name: string) => geometry.getAttribute(name) as Attribute | undefined;
  const position = get('position');
  const normal = get('normal');
  const uv = get('uv');
  const joints = get('skinIndex');
  const weights = get('skinWeight');
  if (!position) throw new LimberError('the mesh has no positions', 'data');
  if (skinned && (!joints || !weights)) throw new LimberError('the mesh has no skinIndex and skinWeight', 'data');
  if (skinned) expectFourInfluences(geometry);
  const positions = floatsOf(position, 3);
  const normals = normal && floatsOf(normal, 3);
  const morphs = morphsOf(geometry, positions, normals) ?? [];
  return {
    name: jointName(mesh),
    skin,
    positions,
    normals,
    uvs: uv && floatsOf(uv, 2),
    colors: colorsOf(mesh),
    color: colorOf(mesh),
    triangles: geometry.index ? Uint32Array.from(geometry.index.array) : undefined,
    joints: skinned ? floatsOf(joints!, 4) : undefined,
    weights: skinned ? weightsOf(weights!) : undefined,
    morphs,
    morphDefaults: morphs.length ? morphs.map((_, i) => mesh.morphTargetInfluences?.[i] ?? 0) : undefined,
    layers: layersOf(geometry),
  };
}

/** The whole character as plain arrays. */
export function describe(rig: Rig, clips: ClipDescription[] = []): CharacterDescription {
  const { rest } = rig;
  const joints = rig.nodes.map((node, i) => {
    const part = (first: number, end: number) => rest.subarray(FLOATS_OF_JOINT * i + first, FLOATS_OF_JOINT * i + end);
    return {
      name: jointName(node),
      parent: rig.parents[i],
      translation: part(0, 3),
      rotation: part(3, 7),
      scale: part(7, 10),
    };
  });
  const meshes = rig.parts.map((part) => {
    try {
      return describePart(part);
    } catch (error) {
      if (error instanceof LimberError && !error.place)
        throw new LimberError(error.message, error.kind, `mesh ${nameOf(part.mesh)}`);
      throw error;
    }
  });
  return { joints, skins: rig.skins, meshes, clips };
}
