// Turns a description into a character of the WASM module.
import * as check from './check.js';
import { INTERPOLATIONS, PATHS } from './description.js';
import type {
  CameraNodeDescription,
  ChannelDescription,
  CharacterDescription,
  ClipDescription,
  JointDescription,
  MeshDescription,
  Numbers,
  SkinDescription,
} from './description.js';
import type { Heap } from './wasm.js';
import { LimberError } from './wasm.js';

type Camera = NonNullable<CharacterDescription['cameras']>[number];

const FLOATS_OF_TRANSFORM = 10;

const MOST_JOINTS = 0xffff;

const expectLength = (what: string, values: Numbers, length: number): void => void check.numbers(what, values, length);

interface Transform {
  translation?: Numbers;
  rotation?: Numbers;
  scale?: Numbers;
}

function checkTransform({ translation, rotation, scale }: Transform): void {
  if (translation) check.finiteNumbers('`translation`', translation, 3);
  if (rotation) check.finiteNumbers('`rotation`', rotation, 4);
  if (scale) check.finiteNumbers('`scale`', scale, 3);
}

/** Writes into the memory of a builder, which is freed with the builder. */
class Writer {
  constructor(
    readonly heap: Heap,
    readonly builder: number,
  ) {}

  private allocate(bytes: number): number {
    const pointer = bytes <= 0xffffffff ? this.heap.wasm.builder_allocate(this.builder, bytes) >>> 0 : 0;
    if (!pointer) throw new LimberError('not enough memory', 'memory');
    return pointer;
  }

  floats(values?: Numbers): number {
    if (!values) return 0;
    const pointer = this.allocate(4 * values.length);
    this.heap.writeFloats(pointer, values);
    return pointer;
  }

  words(values: Numbers): number {
    const pointer = this.allocate(4 * values.length);
    this.heap.writeWords(pointer, values);
    return pointer;
  }

  halves(values: Numbers): number {
    const pointer = this.allocate(2 * values.length);
    this.heap.writeHalves(pointer, values);
    return pointer;
  }

  text(text = ''): number {
    const encoded = this.heap.encode(check.text('a name', text));
    const pointer = this.allocate(encoded.length + 1); // zeroed by the module
    this.heap.writeBytes(pointer, encoded);
    return pointer;
  }

  transforms(list: readonly Transform[]): number {
    const values = new Float32Array(FLOATS_OF_TRANSFORM * list.length);
    list.forEach((t, i) => {
      values.set(t.translation ?? [0, 0, 0], FLOATS_OF_TRANSFORM * i);
      values.set(t.rotation ?? [0, 0, 0, 1], FLOATS_OF_TRANSFORM * i + 3);
      values.set(t.scale ?? [1, 1, 1], FLOATS_OF_TRANSFORM * i + 7);
    });
    return this.floats(values);
  }
}

function countTriangles(mesh: MeshDescription, vertices: number): Numbers {
  if (mesh.triangles) return mesh.triangles;
  return Uint32Array.from({ length: 3 * Math.floor(vertices / 3) }, (_, i) => i);
}

function writeInfluences(writer: Writer, index: number, mesh: MeshDescription, vertices: number): void {
  const rigid = !mesh.joints || !mesh.weights;
  const width = rigid ? 0 : check.count('`influences`', mesh.influences ?? 4, 1, MOST_JOINTS);
  if (!rigid) expectLength('`joints`', mesh.joints!, width * vertices);
  if (!rigid) check.indices('`joints`', mesh.joints!, MOST_JOINTS);
  if (!rigid) expectLength('`weights`', mesh.weights!, width * vertices);
  const joints = writer.halves(rigid ? [] : mesh.joints!);
  const weights = writer.floats(rigid ? [] : mesh.weights!);
  if (!writer.heap.wasm.builder_influences(writer.builder, index, width, joints, weights))
    throw new LimberError('not enough memory', 'memory');
}

function writeMorphsAndLayers(writer: Writer, index: number, mesh: MeshDescription, vertices: number): void {
  const { wasm } = writer.heap;
  const { builder } = writer;
  const morphs = check.list('`morphs`', mesh.morphs ?? []);
  const layers = Object.entries(check.object('`layers`', mesh.layers ?? {}));
  if (mesh.morphDefaults) expectLength('`morphDefaults`', mesh.morphDefaults, morphs.length);
  if (!wasm.builder_mesh_counts(builder, index, morphs.length, writer.floats(mesh.morphDefaults), layers.length))
    throw new LimberError('not enough memory', 'memory');
  morphs.forEach((morph, i) => {
    check.object(`morph target ${i}`, morph);
    expectLength(`morph target ${i}`, morph.positions, 3 * vertices);
    if (morph.normals) expectLength(`the normals of morph target ${i}`, morph.normals, 3 * vertices);
    wasm.builder_morph(
      builder,
      index,
      i,
      writer.text(morph.name),
      writer.floats(morph.positions),
      writer.floats(morph.normals),
    );
  });
  layers.forEach(([name, values], i) => {
    expectLength(`layer '${name}'`, values, vertices);
    wasm.builder_layer(builder, index, i, writer.text(name.toLowerCase()), writer.floats(values));
  });
}

function writeMesh(writer: Writer, index: number, mesh: MeshDescription): void {
  const { wasm } = writer.heap;
  const { builder } = writer;
  check.object('a mesh', mesh);
  const vertices = check.numbers('`positions`', mesh.positions).length / 3;
  const triangles = check.indices('`triangles`', countTriangles(mesh, vertices), check.MOST);
  if (!Number.isInteger(vertices) || triangles.length % 3)
    throw new LimberError('`positions` needs 3 numbers per vertex, `triangles` 3 indices per triangle', 'data');
  if (mesh.normals) expectLength('`normals`', mesh.normals, 3 * vertices);
  if (mesh.uvs) expectLength('`uvs`', mesh.uvs, 2 * vertices);
  if (mesh.colors) expectLength('`colors`', mesh.colors, 4 * vertices);
  const name = writer.text(mesh.name);
  wasm.builder_mesh(builder, index, name, name, check.count('`skin`', mesh.skin), vertices, triangles.length / 3);
  if (mesh.color) expectLength('`color`', mesh.color, 4);
  if (mesh.color) wasm.builder_color(builder, index, writer.floats(mesh.color));
  wasm.builder_surface(
    builder,
    index,
    writer.floats(mesh.positions),
    writer.floats(mesh.normals),
    writer.floats(mesh.uvs),
    writer.floats(mesh.colors),
    writer.words(triangles),
  );
  writeInfluences(writer, index, mesh, vertices);
  writeMorphsAndLayers(writer, index, mesh, vertices);
}

// The module reads as many values as the number of keys requires, so check that they exist.
function expectKeys(channel: ChannelDescription, description: CharacterDescription): void {
  check.count('`target`', channel.target);
  check.numbers('`times`', channel.times);
  const morphs = description.meshes[channel.target]?.morphs?.length ?? 0;
  const width = channel.path === 'weights' ? morphs : channel.path === 'rotation' ? 4 : 3;
  const perKey = channel.interpolation === 'cubic' ? 3 * width : width;
  expectLength(`a channel of ${channel.times.length} keys`, channel.values, perKey * channel.times.length);
}

function writeClip(writer: Writer, index: number, clip: ClipDescription, description: CharacterDescription): void {
  const { wasm } = writer.heap;
  const { builder } = writer;
  const channels = check.list('`channels`', clip.channels);
  const cameras = check.list('`cameraChannels`', clip.cameraChannels ?? []);
  if (!wasm.builder_clip(builder, index, writer.text(clip.name), channels.length, cameras.length))
    throw new LimberError('not enough memory', 'memory');
  // Channels with the same times share one array; the module uses this to evaluate them together.
  const times = new Map<Numbers, number>();
  [...channels, ...cameras].forEach((channel, i) => {
    check.object(`channel ${i}`, channel);
    const path = PATHS.indexOf(channel.path);
    const interpolation = INTERPOLATIONS.indexOf(channel.interpolation ?? 'linear');
    if (path < 0 || interpolation < 0)
      throw new LimberError(
        `channel ${i}: unknown path ${check.shown(channel.path)} or interpolation ${check.shown(channel.interpolation)}`,
        'data',
      );
    expectKeys(channel, description);
    if (!times.has(channel.times)) times.set(channel.times, writer.floats(channel.times));
    wasm.builder_channel(
      builder,
      index,
      i,
      path,
      interpolation,
      channel.target,
      channel.times.length,
      times.get(channel.times)!,
      writer.floats(channel.values),
    );
  });
}

function at<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LimberError && !error.place)
      throw new LimberError(error.message, error.kind, place, error.detail);
    throw error;
  }
}

const nameOf = (one: { name?: unknown } | undefined): string => (typeof one?.name === 'string' ? one.name : '');

function writeRig(writer: Writer, joints: readonly JointDescription[]): void {
  joints.forEach((joint, j) =>
    at(`joint ${j} '${nameOf(joint)}'`, () => {
      check.text('`name`', check.object('a joint', joint).name);
      check.count('`parent`', joint.parent, -1);
      checkTransform(joint);
    }),
  );
  const names = writer.words(joints.map((joint) => writer.text(joint.name)));
  const parents = writer.words(Int32Array.from(joints, (joint) => joint.parent));
  writer.heap.wasm.builder_rig(writer.builder, joints.length, names, parents, writer.transforms(joints));
}

function writeSkin(writer: Writer, index: number, skin: SkinDescription): void {
  check.indices('`joints`', check.object('a skin', skin).joints, MOST_JOINTS);
  expectLength('`inverseBindMatrices`', skin.inverseBindMatrices, 16 * skin.joints.length);
  writer.heap.wasm.builder_skin(
    writer.builder,
    index,
    writer.text(skin.name),
    skin.joints.length,
    writer.words(skin.joints),
    writer.floats(skin.inverseBindMatrices),
  );
}

function writeCameras(writer: Writer, nodes: readonly CameraNodeDescription[], cameras: readonly Camera[]): void {
  const { wasm } = writer.heap;
  nodes.forEach((node, i) =>
    at(`camera node ${i}`, () => {
      check.count('`parent`', check.object('a camera node', node).parent, -1);
      check.count('`joint`', node.joint, -1);
      checkTransform(node);
      wasm.builder_camera_node(writer.builder, i, node.parent, node.joint, writer.transforms([node]));
    }),
  );
  cameras.forEach((camera, i) =>
    at(`camera ${i} '${nameOf(camera)}'`, () => {
      check.count('`node`', check.object('a camera', camera).node);
      wasm.builder_camera(writer.builder, i, writer.text(camera.name), camera.node);
    }),
  );
}

function fill(writer: Writer, description: CharacterDescription): void {
  const { wasm } = writer.heap;
  const { builder } = writer;
  const given = check.object('the description', description);
  const joints = check.list('`joints`', given.joints);
  const skins = check.list('`skins`', given.skins);
  const meshes = check.list('`meshes`', given.meshes);
  const clips = check.list('`clips`', given.clips ?? []);
  const cameraNodes = check.list('`cameraNodes`', given.cameraNodes ?? []);
  const cameras = check.list('`cameras`', given.cameras ?? []);
  if (!wasm.builder_counts(builder, skins.length, meshes.length, clips.length, cameraNodes.length, cameras.length))
    throw new LimberError('not enough memory', 'memory');
  writeRig(writer, joints);
  skins.forEach((skin, i) => at(`skin ${i} '${nameOf(skin)}'`, () => writeSkin(writer, i, skin)));
  meshes.forEach((mesh, i) => at(`mesh ${i} '${nameOf(mesh)}'`, () => writeMesh(writer, i, mesh)));
  clips.forEach((clip, i) =>
    at(`clip ${i} '${nameOf(clip)}'`, () => writeClip(writer, i, check.object('a clip', clip), description)),
  );
  writeCameras(writer, cameraNodes, cameras);
}

/** A handle of the module, and which joint of the description each joint is: the same one unless `reorder`. */
export interface Built {
  handle: number;
  order: Uint32Array;
}

export function buildCharacter(heap: Heap, description: CharacterDescription, reorder: boolean): Built {
  const builder = heap.wasm.builder_create();
  if (!builder) throw new LimberError('not enough memory', 'memory');
  try {
    const writer = new Writer(heap, builder);
    fill(writer, description);
    const order = Uint32Array.from(description.joints, (_, joint) => joint);
    const pointer = reorder ? writer.words(order) : 0;
    const handle = heap.handle(heap.wasm.builder_finish(builder, pointer));
    if (pointer) order.set(new Uint32Array(heap.wasm.memory.buffer, pointer, order.length));
    return { handle, order };
  } finally {
    heap.wasm.builder_destroy(builder);
  }
}
