// Everything limber adds to a glTF file: edited and recorded clips, morph targets, smear meshes, layers, and the style.
import type { BakedMesh, ChannelData, Stretch, Style } from 'limber/engine';
import type { Edits, Part } from './edits';
import type { GltfFile, Json } from './glb';
import { NodeTree } from './nodes';
import { writeSmearMeshes } from './smear_meshes';

const INTERPOLATION = { step: 'STEP', linear: 'LINEAR', cubic: 'CUBICSPLINE' } as const;
const TYPE = { translation: 'VEC3', rotation: 'VEC4', scale: 'VEC3', weights: 'SCALAR' } as const;
const UNIT = 0.005; // tolerance of the glTF validator for unit vectors

function unitVectors(vectors: Float32Array): Float32Array {
  const out = vectors.slice();
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]);
    if (Math.abs(length - 1) < UNIT) continue;
    if (length > 1e-12) for (let k = 0; k < 3; k++) out[i + k] /= length;
    else out.set([0, 1, 0], i);
  }
  return out;
}

// --- clips ---

function writeChannel(file: GltfFile, animation: Json, node: number, channel: ChannelData): void {
  NodeTree.setChannel(animation, node, channel.path, {
    input: file.times(channel.times),
    output: file.keys(channel.values, TYPE[channel.path]),
    interpolation: INTERPOLATION[channel.interpolation],
  });
}

/** An animated node must not have a matrix. */
function splitMatrix(object: Json): void {
  if (!object.matrix) return;
  const m: number[] = object.matrix;
  const scale = [0, 1, 2].map((c) => Math.hypot(m[4 * c], m[4 * c + 1], m[4 * c + 2]));
  const turn = (row: number, column: number) => m[4 * column + row] / (scale[column] || 1);
  const trace = turn(0, 0) + turn(1, 1) + turn(2, 2);
  const w = Math.sqrt(Math.max(0, 1 + trace)) / 2;
  const part = (i: number, sign: number) =>
    (Math.sign(sign || 1) * Math.sqrt(Math.max(0, 1 - trace + 2 * turn(i, i)))) / 2;
  const q = [part(0, turn(2, 1) - turn(1, 2)), part(1, turn(0, 2) - turn(2, 0)), part(2, turn(1, 0) - turn(0, 1)), w];
  const length = Math.hypot(...q) || 1;
  delete object.matrix;
  Object.assign(object, { translation: m.slice(12, 15), rotation: q.map((value) => value / length), scale });
}

function writeTakes(file: GltfFile, { takes, nodeOfJoint }: Edits): void {
  for (const take of takes) {
    const animation: Json = { name: take.name, channels: [], samplers: [] };
    for (const channel of take.channels) {
      const node = channel.path === 'weights' ? undefined : nodeOfJoint(channel.target);
      if (node === undefined) continue;
      splitMatrix(file.nodes[node]);
      writeChannel(file, animation, node, channel);
    }
    file.push('animations', animation);
  }
}

/** The rotation that turns the x axis to `axis`. */
function turnOnto([x, y, z]: ArrayLike<number> & Iterable<number>): number[] {
  if (x <= -0.9999) return [0, 1, 0, 0];
  const length = Math.hypot(z, y, 1 + x);
  return [0, -z / length, y / length, (1 + x) / length];
}

/**
 * Skin that stretches along a bone. The joint itself cannot be scaled, because its children would inherit the scale.
 * Two helper nodes can: the first rotates x to the axis and scales, the second rotates back, and the skin uses the
 * second.
 */
class Stretcher {
  private readonly made = new Map<number, number>();

  constructor(
    private readonly file: GltfFile,
    private readonly tree: NodeTree,
    private readonly edits: Edits,
  ) {}

  private nodes(stretch: Stretch, node: number): number | undefined {
    const known = this.made.get(node);
    if (known !== undefined) return known;
    const skins: Json[] = (this.file.json.skins ?? []).filter((skin: Json) => skin.joints.includes(node));
    const rigid = this.edits.parts.filter((part) => part.node === node && this.tree.at(node).skin === undefined);
    if (!skins.length && !rigid.length) return undefined;
    const turn = turnOnto(stretch.axis as Float32Array);
    const name = this.tree.at(node).name ?? `joint ${node}`;
    const along = this.tree.add({ name: `${name}.along`, rotation: turn }, node);
    const skin = this.tree.add({ name: `${name}.skin`, rotation: [-turn[0], -turn[1], -turn[2], turn[3]] }, along);
    for (const one of skins) one.joints = one.joints.map((joint: number) => (joint === node ? skin : joint));
    if (rigid.length) {
      const leaf = this.tree.toLeaf(node);
      this.tree.under(leaf, skin);
      for (const part of rigid) part.node = leaf;
    }
    this.made.set(node, along);
    return along;
  }

  write(animation: Json, stretch: Stretch): void {
    const joint = this.edits.nodeOfJoint(stretch.joint);
    const node = joint === undefined ? undefined : this.nodes(stretch, joint);
    if (node === undefined) return;
    const scales = new Float32Array(3 * stretch.times.length).fill(1);
    stretch.factors.forEach((factor, i) => (scales[3 * i] = factor));
    NodeTree.setChannel(animation, node, 'scale', {
      input: this.file.times(stretch.times),
      output: this.file.keys(scales, 'VEC3'),
      interpolation: 'LINEAR',
    });
  }
}

function writeEdited(file: GltfFile, tree: NodeTree, edits: Edits): void {
  const stretcher = new Stretcher(file, tree, edits);
  for (const { animation: index, edited, bake } of edits.clips) {
    if (!edited) continue;
    const animation = file.list('animations')[index];
    for (const channel of edited.clip.channels) {
      const node = channel.path === 'weights' ? undefined : edits.nodeOfJoint(channel.target);
      if (node === undefined) continue;
      splitMatrix(file.nodes[node]);
      writeChannel(file, animation, node, channel);
    }
    if (bake.kind !== 'vertex') for (const stretch of edited.stretches) stretcher.write(animation, stretch);
  }
}

// --- targets ---

/** The targets that one clip needs on one node: their parts, and their weights in each frame. */
interface Block {
  clip: number;
  /** By part; undefined means zeros. */
  of: (BakedMesh | undefined)[];
  count: number;
  weights: Float32Array;
}

const same = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/**
 * The primitives of a mesh share their weights: one block if all parts have the same weights, else one block per part.
 */
function blocksOf(edits: Edits, parts: Part[]): Block[] {
  return edits.clips.flatMap(({ bake }, clip): Block[] => {
    const all = parts.map((part) => bake.meshes[part.mesh]);
    const block = (of: Block['of'], one: BakedMesh): Block => ({
      clip,
      of,
      count: one.positions.length,
      weights: one.weights[0],
    });
    if (all.every((one) => one.positions.length === all[0].positions.length && same(one.weights[0], all[0].weights[0])))
      return all[0].positions.length ? [block(all, all[0])] : [];
    return all.flatMap((one, i) =>
      one.positions.length
        ? [
            block(
              all.map((_, k) => (k === i ? one : undefined)),
              one,
            ),
          ]
        : [],
    );
  });
}

/** Adds missing attributes, so that all targets have the same. */
function evenOut(file: GltfFile, targets: Json[], count: number): void {
  for (const name of new Set(targets.flatMap((target) => Object.keys(target)))) {
    const like = file.list('accessors')[targets.find((target) => name in target)![name]];
    let zero: number | undefined;
    for (const target of targets) if (!(name in target)) target[name] = zero ??= file.zeros(count, like.type, like);
  }
}

function writeTargets(file: GltfFile, primitive: Json, blocks: Block[], part: number): void {
  const targets: Json[] = (primitive.targets ??= []);
  const count: number = file.list('accessors')[primitive.attributes.POSITION].count;
  const hasNormals = 'NORMAL' in primitive.attributes;
  for (const block of blocks) {
    const baked = part < 0 ? undefined : block.of[part];
    const zero = baked ? 0 : file.zeros(count);
    for (let t = 0; t < block.count; t++) {
      const target: Json = { POSITION: baked ? file.vertices(baked.positions[t], 'VEC3', true) : zero };
      if (baked?.normals.length && hasNormals) target.NORMAL = file.vertices(baked.normals[t], 'VEC3');
      targets.push(target);
    }
  }
  evenOut(file, targets, count);
}

/** Replaces the skinned mesh by an unskinned mesh in world space. */
function replaceSurface(file: GltfFile, primitive: Json, baked: BakedMesh): void {
  const attributes: Json = primitive.attributes;
  for (const name of Object.keys(attributes)) if (/^(JOINTS_|WEIGHTS_|TANGENT$)/.test(name)) delete attributes[name];
  delete primitive.targets;
  attributes.POSITION = file.vertices(baked.basePositions!, 'VEC3', true);
  if (!('NORMAL' in attributes)) return;
  if (baked.baseNormals) attributes.NORMAL = file.vertices(unitVectors(baked.baseNormals), 'VEC3');
  else delete attributes.NORMAL;
}

const repeated = (count: number): number[] => new Array(count).fill(0);

class NodeEdit {
  private readonly mesh: Json;
  private readonly old: number;
  private readonly blocks: Block[];
  private readonly fresh: number;

  constructor(
    private readonly file: GltfFile,
    private readonly tree: NodeTree,
    private readonly edits: Edits,
    private readonly node: number,
    private readonly parts: Part[],
    private readonly vertex: boolean,
  ) {
    this.mesh = tree.ownMesh(node);
    this.old = vertex ? 0 : (this.mesh.primitives[0].targets?.length ?? 0);
    this.blocks = blocksOf(edits, parts);
    this.fresh = this.blocks.reduce((sum, block) => sum + block.count, 0);
  }

  write(): void {
    if (this.vertex) this.clear();
    this.mesh.primitives.forEach((primitive: Json, p: number) => {
      const part = this.parts.findIndex((one) => one.primitive === p);
      if (this.vertex && part >= 0)
        replaceSurface(this.file, primitive, this.edits.clips[0].bake.meshes[this.parts[part].mesh]);
      if (this.fresh) writeTargets(this.file, primitive, this.blocks, part);
    });
    if (!this.fresh) return;
    this.lengthen();
    this.edits.clips.forEach((_, clip) => this.writeWeights(clip));
    this.keepOthers();
  }

  private clear(): void {
    const node = this.tree.at(this.node);
    delete node.skin;
    delete node.weights;
    delete this.mesh.weights;
    delete this.mesh.extras?.targetNames;
  }

  private lengthen(): void {
    const total = this.old + this.fresh;
    const fill = (list: number[]) => [...list, ...repeated(total - list.length)];
    this.mesh.weights = fill(this.mesh.weights ?? repeated(this.old));
    const node = this.tree.at(this.node);
    const names: string[] | undefined = this.mesh.extras?.targetNames;
    if (node.weights) node.weights = fill(node.weights);
    for (let t = 0; names && t < this.fresh; t++) names.push(`limber_${String(t).padStart(4, '0')}`);
  }

  private writeWeights(clip: number): void {
    const { animation, bake, morphWeights } = this.edits.clips[clip];
    const { times } = bake.tracks[0];
    const total = this.old + this.fresh;
    const values = new Float32Array(total * times.length);
    const first = this.edits.meshes[this.parts[0].mesh].firstMorph;
    for (let i = 0; this.old && i < times.length; i++)
      values.set(morphWeights[i].subarray(first, first + this.old), total * i);
    let at = this.old;
    for (const block of this.blocks) {
      for (let i = 0; block.clip === clip && i < times.length; i++)
        values.set(block.weights.subarray(block.count * i, block.count * (i + 1)), total * i + at);
      at += block.count;
    }
    NodeTree.setChannel(this.file.list('animations')[animation], this.node, 'weights', {
      input: this.file.times(times),
      output: this.file.keys(values, 'SCALAR'),
      interpolation: 'LINEAR',
    });
  }

  /** Clips that were not baked keep their weights; the new targets get zeros. */
  private keepOthers(): void {
    this.file.list('animations').forEach((animation, index) => {
      if (
        !this.old ||
        this.edits.clips.some((one) => one.animation === index) ||
        !NodeTree.channel(animation, this.node, 'weights')
      )
        return;
      const channel = this.edits.weights(index).find((one) => one.target === this.parts[0].mesh);
      if (!channel) return;
      const rows = channel.values.length / this.old;
      const total = this.old + this.fresh;
      const values = new Float32Array(total * rows);
      for (let i = 0; i < rows; i++) values.set(channel.values.subarray(this.old * i, this.old * (i + 1)), total * i);
      writeChannel(this.file, animation, this.node, { ...channel, values });
    });
  }
}

function byNode(parts: Part[]): Map<number, Part[]> {
  const groups = new Map<number, Part[]>();
  for (const part of parts) groups.set(part.node, [...(groups.get(part.node) ?? []), part]);
  return groups;
}

function writeBake(file: GltfFile, tree: NodeTree, edits: Edits): void {
  if (!edits.clips.length) return;
  const vertex = edits.clips[0].bake.kind === 'vertex';
  for (const [node, parts] of byNode(edits.parts)) {
    if (!vertex && parts.every((part) => edits.clips.every(({ bake }) => !bake.meshes[part.mesh].positions.length)))
      continue;
    const skinned = tree.at(node).skin !== undefined;
    const carrier = vertex || skinned ? tree.toRoot(node) : tree.toLeaf(node);
    for (const part of parts) part.node = carrier;
    new NodeEdit(file, tree, edits, carrier, parts, vertex).write();
  }
  if (vertex && !file.nodes.some((node) => node.skin !== undefined)) delete file.json.skins;
}

// --- layers and style ---

function writeLayers(file: GltfFile, tree: NodeTree, { layers, parts, meshes }: Edits): void {
  for (const [name, values] of Object.entries(layers))
    for (const part of parts) {
      const { firstVertex, vertexCount } = meshes[part.mesh];
      tree.ownMesh(part.node).primitives[part.primitive].attributes[`_LIMBER_${name.toUpperCase()}`] = file.vertices(
        values.slice(firstVertex, firstVertex + vertexCount),
        'SCALAR',
      );
    }
}

function writeStyle(file: GltfFile, style: Style): void {
  (file.scene.extensions ??= {}).LIMBER_style = style;
  file.declare('LIMBER_style');
}

/** Writes all edits. Parts are updated when their mesh moves to another node. */
export function writeEdits(file: GltfFile, edits: Edits): void {
  const tree = new NodeTree(file);
  writeTakes(file, edits);
  writeEdited(file, tree, edits);
  writeBake(file, tree, edits);
  for (const clip of edits.clips) writeSmearMeshes(file, tree, edits.parts, clip);
  writeLayers(file, tree, edits);
  writeStyle(file, edits.clips.length ? { ...edits.style, baked: true } : edits.style);
}
