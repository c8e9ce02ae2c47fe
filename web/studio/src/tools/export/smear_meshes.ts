// In-between copies and motion lines as separate nodes. Shapes and opacities are morph targets; a scale of 0 hides a
// node.
import type { BakedSmearMesh } from 'limber/engine';
import type { BakedClip, Part } from './edits';
import type { GltfFile, Json } from './glb';
import { NodeTree } from './nodes';

type BakedPiece = BakedSmearMesh['pieces'][number];

const OPACITY_STEPS = 127;

/** Copies of materials, without properties that a faded copy does not need. */
class Materials {
  private static readonly made = new WeakMap<GltfFile, Map<number, number>>();

  static copy(file: GltfFile, index: number | undefined): number {
    const known = Materials.made.get(file) ?? new Map<number, number>();
    const key = index ?? -1;
    Materials.made.set(file, known);
    if (!known.has(key)) {
      const {
        extras: _e,
        alphaCutoff: _c,
        normalTexture: _n,
        extensions,
        ...kept
      } = index === undefined ? ({} as Json) : structuredClone(file.list('materials')[index]);
      const unlit = extensions?.KHR_materials_unlit ? { extensions: { KHR_materials_unlit: {} } } : {};
      known.set(
        key,
        file.push('materials', { ...kept, ...unlit, name: `${kept.name ?? 'material'} faded`, alphaMode: 'BLEND' }),
      );
    }
    return known.get(key)!;
  }

  static lines(file: GltfFile): number {
    const known = Materials.made.get(file) ?? new Map<number, number>();
    Materials.made.set(file, known);
    if (!known.has(-2))
      known.set(
        -2,
        file.push('materials', {
          name: 'motion lines',
          pbrMetallicRoughness: { metallicFactor: 0 },
          alphaMode: 'BLEND',
        }),
      );
    return known.get(-2)!;
  }
}

interface Range {
  first: number;
  count: number;
}

const slice = (values: Float32Array, { first, count }: Range, width: number): Float32Array =>
  values.slice(width * first, width * (first + count));

function targetsOf(file: GltfFile, smear: BakedSmearMesh, range: Range): Json[] {
  const targets: Json[] = Array.from({ length: smear.targetCount }, () => ({}));
  const opacityFirst = smear.targetCount - smear.opacities.length;
  const zero = (name: string, type: string, like?: Json) => {
    let index: number | undefined;
    for (const target of targets) if (!(name in target)) target[name] = index ??= file.zeros(range.count, type, like);
  };
  smear.positions.forEach((values, t) => (targets[t].POSITION = file.vertices(slice(values, range, 3), 'VEC3', true)));
  smear.normals.forEach((values, t) => (targets[t].NORMAL = file.vertices(slice(values, range, 3), 'VEC3')));
  zero('POSITION', 'VEC3');
  if (smear.normals.length) zero('NORMAL', 'VEC3');
  if (!smear.opacities.length) return targets;
  smear.opacities.forEach((values, o) => {
    const steps = new Int8Array(4 * range.count);
    for (let u = 0; u < range.count; u++) steps[4 * u + 3] = Math.round(values[range.first + u] * OPACITY_STEPS);
    targets[opacityFirst + o].COLOR_0 = file.signed(steps, 'VEC4');
  });
  zero('COLOR_0', 'VEC4', file.list('accessors')[targets[opacityFirst].COLOR_0]);
  return targets;
}

function primitiveOf(file: GltfFile, tree: NodeTree, parts: Part[], smear: BakedSmearMesh, piece: BakedPiece): Json {
  const range = { first: piece.firstVertex, count: piece.vertexCount };
  const part = parts.find((one) => one.mesh === piece.source);
  const source: Json | undefined = part && file.list('meshes')[tree.at(part.node).mesh].primitives[part.primitive];
  const attributes: Json = {
    POSITION: file.vertices(slice(smear.basePositions, range, 3), 'VEC3', true),
    NORMAL: file.vertices(slice(smear.baseNormals, range, 3), 'VEC3'),
    COLOR_0: file.vertices(slice(smear.baseColors, range, 4), 'VEC4'),
  };
  for (const [name, index] of Object.entries(source?.attributes ?? {}))
    if (name.startsWith('TEXCOORD_')) attributes[name] = index;
  const primitive: Json = {
    attributes,
    material: source ? Materials.copy(file, source.material) : Materials.lines(file),
  };
  if (source?.indices !== undefined) primitive.indices = source.indices;
  else if (piece.triangles) primitive.indices = file.triangles(piece.triangles);
  if (source?.mode !== undefined) primitive.mode = source.mode;
  if (smear.targetCount) primitive.targets = targetsOf(file, smear, range);
  return primitive;
}

/** Keys at the frames where it appears and disappears. */
function writeVisibility(
  file: GltfFile,
  animation: Json,
  node: number,
  times: Float32Array,
  visible: Uint8Array,
): void {
  const frames = [...times.keys()].filter((i) => i === 0 || visible[i] !== visible[i - 1]);
  const scales = Float32Array.from(frames.flatMap((i) => (visible[i] ? [1, 1, 1] : [0, 0, 0])));
  NodeTree.setChannel(animation, node, 'scale', {
    input: file.times(Float32Array.from(frames, (i) => times[i])),
    output: file.keys(scales, 'VEC3'),
    interpolation: 'STEP',
  });
}

/** Keys in all visible frames, and in the frame after, until which the shape is held. */
function writeWeights(file: GltfFile, animation: Json, node: number, times: Float32Array, smear: BakedSmearMesh): void {
  const {
    targetCount: width,
    visible: [visible],
    weights: [weights],
  } = smear;
  if (!width) return;
  const frames = [...times.keys()].filter((i) => i === 0 || visible[i] || visible[i - 1]);
  const values = new Float32Array(width * frames.length);
  frames.forEach((i, k) => values.set(weights.subarray(width * i, width * (i + 1)), width * k));
  NodeTree.setChannel(animation, node, 'weights', {
    input: file.times(Float32Array.from(frames, (i) => times[i])),
    output: file.keys(values, 'SCALAR'),
    interpolation: 'LINEAR',
  });
}

/** Writes the smear meshes of one clip. They are hidden in all other clips. */
export function writeSmearMeshes(
  file: GltfFile,
  tree: NodeTree,
  parts: Part[],
  { animation: index, bake }: BakedClip,
): void {
  const animation = file.list('animations')[index];
  const { times } = bake.tracks[0];
  for (const smear of bake.smearMeshes) {
    if (!smear.visible[0].includes(1)) continue;
    const pieces = smear.pieces.filter((piece) => piece.vertexCount && (piece.source >= 0 || piece.triangles?.length));
    if (!pieces.length) continue;
    const carrier = parts.find((part) => part.mesh === Math.max(smear.source, 0))!.node;
    const name = smear.source >= 0 && tree.at(carrier).name ? `${tree.at(carrier).name} ${smear.name}` : smear.name;
    const mesh = file.push('meshes', {
      name,
      primitives: pieces.map((piece) => primitiveOf(file, tree, parts, smear, piece)),
      ...(smear.targetCount && { weights: new Array(smear.targetCount).fill(0) }),
    });
    const node = tree.add({ name, mesh, translation: [...smear.center], scale: [0, 0, 0] });
    tree.show(node, tree.root(carrier));
    writeVisibility(file, animation, node, times, smear.visible[0]);
    writeWeights(file, animation, node, times, smear);
  }
}
