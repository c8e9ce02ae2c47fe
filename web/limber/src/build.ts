// Turns a description into a character of the WASM module.
import { INTERPOLATIONS, PATHS } from './description.js';
import type {
  ChannelDescription,
  CharacterDescription,
  ClipDescription,
  MeshDescription,
  Numbers,
} from './description.js';
import type { Heap } from './wasm.js';
import { LimberError } from './wasm.js';

const FLOATS_OF_TRANSFORM = 10;

function expectLength(what: string, values: Numbers, length: number): void {
  if (values.length !== length)
    throw new LimberError(`${what} has ${values.length} numbers instead of ${length}`, 'data');
}

/** Writes into the memory of a builder, which is freed with the builder. */
class Writer {
  constructor(
    readonly heap: Heap,
    readonly builder: number,
  ) {}

  private allocate(bytes: number): number {
    const pointer = this.heap.wasm.builder_take(this.builder, bytes);
    if (!pointer) throw new LimberError('not enough memory for the character', 'memory');
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
    const encoded = this.heap.encode(text);
    const pointer = this.allocate(encoded.length + 1); // zeroed by the module
    this.heap.writeBytes(pointer, encoded);
    return pointer;
  }

  transforms(list: readonly { translation?: Numbers; rotation?: Numbers; scale?: Numbers }[]): number {
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
  const width = rigid ? 0 : (mesh.influences ?? 4);
  if (!rigid) expectLength('`joints`', mesh.joints!, width * vertices);
  if (!rigid) expectLength('`weights`', mesh.weights!, width * vertices);
  const joints = writer.halves(rigid ? [] : mesh.joints!);
  const weights = writer.floats(rigid ? [] : mesh.weights!);
  if (!writer.heap.wasm.builder_influences(writer.builder, index, width, joints, weights))
    throw new LimberError('not enough memory for the weights', 'memory');
}

function writeMorphsAndLayers(writer: Writer, index: number, mesh: MeshDescription, vertices: number): void {
  const { wasm } = writer.heap;
  const { builder } = writer;
  const morphs = mesh.morphs ?? [];
  const layers = Object.entries(mesh.layers ?? {});
  if (mesh.morphDefaults) expectLength('`morphDefaults`', mesh.morphDefaults, morphs.length);
  if (!wasm.builder_extras(builder, index, morphs.length, writer.floats(mesh.morphDefaults), layers.length))
    throw new LimberError('not enough memory for the character', 'memory');
  morphs.forEach((morph, i) => {
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
  const vertices = mesh.positions.length / 3;
  const triangles = countTriangles(mesh, vertices);
  if (!Number.isInteger(vertices) || triangles.length % 3)
    throw new LimberError('`positions` needs 3 numbers per vertex, `triangles` 3 indices per triangle', 'data');
  if (mesh.normals) expectLength('`normals`', mesh.normals, 3 * vertices);
  if (mesh.uvs) expectLength('`uvs`', mesh.uvs, 2 * vertices);
  if (mesh.colors) expectLength('`colors`', mesh.colors, 4 * vertices);
  const name = writer.text(mesh.name);
  wasm.builder_mesh(builder, index, name, name, mesh.skin, vertices, triangles.length / 3);
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
  const morphs = description.meshes[channel.target]?.morphs?.length ?? 0;
  const width = channel.path === 'weights' ? morphs : channel.path === 'rotation' ? 4 : 3;
  const perKey = channel.interpolation === 'cubic' ? 3 * width : width;
  expectLength(`a channel of ${channel.times.length} keys`, channel.values, perKey * channel.times.length);
}

function writeClip(writer: Writer, index: number, clip: ClipDescription, description: CharacterDescription): void {
  const { wasm } = writer.heap;
  const { builder } = writer;
  const cameras = clip.cameraChannels ?? [];
  if (!wasm.builder_clip(builder, index, writer.text(clip.name), clip.channels.length, cameras.length))
    throw new LimberError('not enough memory for the character', 'memory');
  // Channels with the same times share one array; the module uses this to evaluate them together.
  const times = new Map<Numbers, number>();
  [...clip.channels, ...cameras].forEach((channel, i) => {
    const path = PATHS.indexOf(channel.path);
    const interpolation = INTERPOLATIONS.indexOf(channel.interpolation ?? 'linear');
    if (path < 0 || interpolation < 0)
      throw new LimberError(
        `channel ${i}: unknown path '${channel.path}' or interpolation '${channel.interpolation}'`,
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

function fill(writer: Writer, description: CharacterDescription): void {
  const { wasm } = writer.heap;
  const { builder } = writer;
  const { joints, skins, meshes, clips = [], cameraNodes = [], cameras = [] } = description;
  if (!wasm.builder_counts(builder, skins.length, meshes.length, clips.length, cameraNodes.length, cameras.length))
    throw new LimberError('not enough memory for the character', 'memory');
  const names = writer.words(joints.map((joint) => writer.text(joint.name)));
  const parents = writer.words(Int32Array.from(joints, (joint) => joint.parent));
  wasm.builder_rig(builder, joints.length, names, parents, writer.transforms(joints));
  skins.forEach((skin, i) =>
    at(`skin ${i} '${skin.name ?? ''}'`, () => {
      expectLength('`inverseBindMatrices`', skin.inverseBindMatrices, 16 * skin.joints.length);
      wasm.builder_skin(
        builder,
        i,
        writer.text(skin.name),
        skin.joints.length,
        writer.words(skin.joints),
        writer.floats(skin.inverseBindMatrices),
      );
    }),
  );
  meshes.forEach((mesh, i) => at(`mesh ${i} '${mesh.name ?? ''}'`, () => writeMesh(writer, i, mesh)));
  clips.forEach((clip, i) => at(`clip ${i} '${clip.name}'`, () => writeClip(writer, i, clip, description)));
  cameraNodes.forEach((node, i) =>
    wasm.builder_camera_node(builder, i, node.parent, node.joint, writer.transforms([node])),
  );
  cameras.forEach((camera, i) => wasm.builder_camera(builder, i, writer.text(camera.name), camera.node));
}

/** Returns a handle of the module. */
export function buildCharacter(heap: Heap, description: CharacterDescription): number {
  const builder = heap.wasm.builder_create();
  if (!builder) throw new LimberError('not enough memory for the character', 'memory');
  try {
    fill(new Writer(heap, builder), description);
    return heap.handle(heap.wasm.builder_finish(builder));
  } finally {
    heap.wasm.builder_destroy(builder);
  }
}
