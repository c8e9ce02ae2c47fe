// A character in the WASM module.
import type { Crowd } from './crowd.js';
import * as check from './check.js';
import type { Picture } from './description.js';
import { readClip, readContacts, readRigidParts } from './info.js';
import type { Contacts, ClipData, ClipInfo, JointInfo, MeshData, MeshInfo, RigidParts } from './info.js';
import { Pipeline } from './pipeline.js';
import type { PipelineCharacter, PipelineState } from './pipeline.js';
import { withStyle } from './style.js';
import type { StyleSource } from './style.js';
import { LimberError } from './wasm.js';
import type { Heap } from './wasm.js';

/** An automatic layer. */
export interface PaintOptions {
  /**
   * `thickness`: 1 where the body is thin. `height`: 0 at the bottom, 1 at the top. `joint`: distance from a joint.
   * `skirt`: 1 at the hem of a skirt, 0 at the joint above the legs and where there is no skirt.
   */
  auto?: 'thickness' | 'height' | 'joint' | 'skirt';
  /** For `joint`: the name or index of the joint. */
  joint?: string | number;
  /** Instead of `auto`: a formula. */
  formula?: string;
  /** Instead of both: values to smooth, one per vertex, all meshes in order. */
  values?: ArrayLike<number>;
  /** Number of smoothing passes over the surface. */
  smooth?: number;
}

const AUTO_KINDS = { thickness: 0, height: 1, joint: 2, skirt: 5 } as const;
const AUTOS = ['thickness', 'height', 'joint', 'skirt'] as const;
const MOST_PASSES = 10000;
const MOST_PIXELS = 16384; // a side

enum Count {
  Joints,
  Skins,
  Meshes,
  Clips,
  Vertices,
  Morphs,
  Cameras,
}

/** A character in the memory of an engine. */
export interface CharacterState {
  /** Its address in the memory of the engine. */
  pointer: number;
  /** Whether the textures of its meshes were set. */
  textured: boolean;
  pipelines: PipelineState[];
  /** Which joint of the description each joint is. */
  order: Uint32Array;
  /** Of the joints of its rig, if it was put in order before. */
  rigOrder?: Uint32Array;
}

/** Keeps track of all characters: the engine. @internal */
export interface CharacterOwner {
  adopt(pointer: number): Character;
  forget(character: Character): void;
}

/**
 * A rig with its meshes and clips, made by `engine.character(description)` or `engine.bvh(bytes)`. Disposing of it also
 * disposes of its pipelines and of crowds that have it.
 */
export class Character implements PipelineCharacter {
  private readonly pipelines = new Set<Pipeline>();
  /** @internal */ readonly crowds = new Set<Crowd>();
  /** Whether the textures of its meshes were set. @internal */ textured: boolean;
  /** Made by another engine, and not asked for yet. */
  private readonly ready: PipelineState[];
  /** Of the rig. */
  readonly jointCount: number;
  /** In all meshes together. */
  readonly vertexCount: number;
  /** In all meshes together. */
  readonly morphCount: number;
  /** The diameter of the smallest ball around the rest pose, called L. */
  readonly size: number;
  readonly meshes: readonly MeshInfo[];
  readonly clips: readonly ClipInfo[];
  readonly joints: readonly JointInfo[];
  /** Which joint of the description each joint is. The same one, unless it was built with `reorder`. */
  readonly order: Uint32Array;
  /** In which order the joints of a three.js rig were described. @internal */ rigOrder: Uint32Array | undefined;

  /** @internal */
  constructor(
    /** @internal */ readonly heap: Heap,
    private pointer: number,
    private readonly owner: CharacterOwner,
    { textured = false, pipelines = [], order, rigOrder }: Partial<CharacterState> = {},
  ) {
    this.rigOrder = rigOrder;
    this.textured = textured;
    this.ready = [...pipelines];
    const count = (which: Count) => this.heap.wasm.character_count(pointer, which);
    this.jointCount = count(Count.Joints);
    this.order = order ?? Uint32Array.from({ length: this.jointCount }, (_, joint) => joint);
    this.vertexCount = count(Count.Vertices);
    this.morphCount = count(Count.Morphs);
    this.size = this.heap.wasm.character_size(pointer);
    this.meshes = Array.from({ length: count(Count.Meshes) }, (_, i) => this.meshInfo(i));
    this.joints = this.readJoints();
    this.clips = Array.from({ length: count(Count.Clips) }, (_, i) => {
      const { channels: _channels, ...info } = this.readClipHead(i);
      return info;
    });
  }

  /** @internal */
  get handle(): number {
    if (!this.pointer) throw new LimberError('the character has been disposed');
    return this.pointer;
  }

  private name(which: Count, i: number): string {
    return this.heap.text(this.heap.wasm.character_name(this.handle, which, i));
  }

  private readClipHead(i: number): ClipInfo & { channels: number } {
    const { wasm } = this.heap;
    const clip = wasm.clip_of_character(this.handle, i);
    const numbers = [0, 1, 2, 3, 4, 5, 6].map((which) => wasm.clip_number(clip, which));
    const [start, end, fps, loops, channels, travels, motionStart] = numbers;
    const name = this.name(Count.Clips, i);
    return { name, start, end, fps, motionStart, loops: loops !== 0, travels: travels !== 0, channels };
  }

  private meshInfo(i: number): MeshInfo {
    const { wasm } = this.heap;
    const [skin, vertexCount, triangleCount, morphCount, layerCount, firstVertex, firstMorph] = [
      0, 1, 2, 3, 4, 5, 6,
    ].map((which) => wasm.mesh_number(this.handle, i, which));
    const layers = Array.from({ length: layerCount }, (_, k) => this.heap.text(wasm.layer_name(this.handle, i, k)));
    return {
      name: this.name(Count.Meshes, i),
      skin,
      vertexCount,
      triangleCount,
      morphCount,
      firstVertex,
      firstMorph,
      layers,
    };
  }

  private readJoints(): JointInfo[] {
    const { heap } = this;
    const n = this.jointCount;
    const rig = (which: number) => heap.wasm.character_rig(this.handle, which);
    const parents = new Int32Array(heap.readWords(rig(0), n).buffer);
    const rest = heap.readFloats(rig(1), 10 * n);
    const centroid = heap.readFloats(rig(3), 3 * n);
    const direction = heap.readFloats(rig(5), 3 * n);
    return Array.from({ length: n }, (_, j) => ({
      name: this.name(Count.Joints, j),
      parent: parents[j],
      rest: rest.slice(10 * j, 10 * j + 10),
      centroid: centroid.slice(3 * j, 3 * j + 3),
      boneDirection: direction.slice(3 * j, 3 * j + 3),
    }));
  }

  private expectMesh(i: number): MeshInfo {
    if (!Number.isInteger(i) || !this.meshes[i]) throw new LimberError(`there is no mesh ${check.shown(i)}`);
    return this.meshes[i];
  }

  /** The arrays of a mesh. */
  mesh(i: number): MeshData {
    const { heap } = this;
    const info = this.expectMesh(i);
    const array = (which: number) => heap.wasm.mesh_array(this.handle, i, which);
    const influences = heap.wasm.mesh_number(this.handle, i, 7);
    return {
      ...info,
      positions: heap.readFloats(array(0), 3 * info.vertexCount),
      normals: heap.readFloats(array(1), 3 * info.vertexCount),
      uvs: array(2) ? heap.readFloats(array(2), 2 * info.vertexCount) : undefined,
      triangles: heap.readWords(array(4), 3 * info.triangleCount),
      influenceFirst: heap.readWords(array(5), info.vertexCount + 1),
      influenceJoint: heap.readHalves(array(6), influences),
      influenceWeight: heap.readFloats(array(7), influences),
    };
  }

  /** A skin: its joints and their inverse bind matrices. */
  skin(i: number): { joints: Uint32Array; inverseBindMatrices: Float32Array } {
    const { heap } = this;
    if (!Number.isInteger(i) || i < 0 || i >= heap.wasm.character_count(this.handle, Count.Skins))
      throw new LimberError(`there is no skin ${check.shown(i)}`);
    const count = heap.wasm.skin_joint_count(this.handle, i);
    return {
      joints: heap.readWords(heap.wasm.skin_array(this.handle, i, 0), count),
      inverseBindMatrices: heap.readFloats(heap.wasm.skin_array(this.handle, i, 1), 16 * count),
    };
  }

  /** A clip with its keys. */
  clip(clip: number | string): ClipData {
    const handle = this.heap.wasm.clip_of_character(this.handle, this.keyedClip(clip));
    return readClip(this.heap, handle, (mesh) => this.meshes[mesh].morphCount);
  }

  /**
   * The floor of a clip and what stands on it, as the engine finds them from the motion. What flies has no floor.
   * Times are seconds of the clip, as in `ClipInfo`.
   */
  contacts(clip: number | string): Contacts {
    const index = this.clipIndex(clip);
    if (index < 0) return { levels: [], contacts: [] };
    const { heap } = this;
    const found = heap.wasm.contacts_create(this.handle, index);
    if (!found) throw heap.error();
    const contacts = readContacts(heap, found, this.clips[index].start);
    heap.wasm.contacts_destroy(found);
    return contacts;
  }

  /** The parts that could keep their shape, as the engine finds them from the mesh. */
  rigidParts(): RigidParts {
    return readRigidParts(this.heap, this.heap.wasm.rigid_create(this.handle, 0), this.vertexCount);
  }

  /** The index of a clip. Valid indices and -1 (the rest pose) are returned unchanged. */
  clipIndex(clip: number | string): number {
    const index = typeof clip === 'number' ? clip : this.clips.findIndex((c) => c.name === clip);
    if (!Number.isInteger(index) || index < (typeof clip === 'number' ? -1 : 0) || index >= this.clips.length)
      throw new LimberError(`there is no clip ${check.shown(clip)}`);
    return index;
  }

  /** The same for what has keys, which the rest pose does not. @internal */
  keyedClip(clip: number | string): number {
    const index = this.clipIndex(clip);
    if (index < 0) throw new LimberError('the rest pose (clip -1) has no keys');
    return index;
  }

  /** Vertex positions in the rest pose, in world space, all meshes in order. */
  restPositions(): Float32Array {
    const { heap } = this;
    const pointer = heap.allocate(12 * this.vertexCount);
    try {
      heap.wasm.character_rest(this.handle, pointer);
      return heap.readFloats(pointer, 3 * this.vertexCount);
    } finally {
      heap.free(pointer);
    }
  }

  /** Computes an automatic layer: one value per vertex, all meshes in order. */
  paint(options: PaintOptions): Float32Array {
    const { heap } = this;
    const { values, smooth = 0 } = check.object('the options', options);
    const auto = check.word('`auto`', options.auto ?? 'thickness', AUTOS);
    const kind = values ? 4 : options.formula !== undefined ? 3 : AUTO_KINDS[auto];
    const joint = kind === 2 ? this.jointIndex(options.joint ?? 0) : 0;
    if (values) check.finiteNumbers('`values`', values, this.vertexCount);
    check.count('`smooth`', smooth, 0, MOST_PASSES);
    const words = kind === 3 ? check.text('`formula`', options.formula) : '';
    const { handle } = this;
    const pointer = heap.allocate(4 * this.vertexCount);
    let formula: { pointer: number } | undefined;
    try {
      formula = heap.allocateText(words);
      if (values) heap.writeFloats(pointer, values);
      heap.check(heap.wasm.layer_paint(handle, kind, joint, formula.pointer, smooth, pointer));
      return heap.readFloats(pointer, this.vertexCount);
    } finally {
      heap.free(pointer);
      if (formula) heap.free(formula.pointer);
    }
  }

  /** The index of a joint. Valid indices are returned unchanged; an unknown name throws. */
  jointIndex(joint: number | string): number {
    const index = typeof joint === 'number' ? joint : this.joints.findIndex((j) => j.name === joint);
    if (!Number.isInteger(index) || index < 0 || index >= this.jointCount)
      throw new LimberError(`there is no joint ${check.shown(joint)}`);
    return index;
  }

  private layerIndex(mesh: number, name: string): number {
    const index = this.expectMesh(mesh).layers.indexOf(check.text('the name of a layer', name).toLowerCase());
    if (index < 0) throw new LimberError(`mesh ${mesh} has no layer '${name}'`);
    return index;
  }

  /** The values of a layer in one mesh. */
  layer(mesh: number, name: string): Float32Array {
    const pointer = this.heap.wasm.layer_values(this.handle, mesh, this.layerIndex(mesh, name));
    return this.heap.readFloats(pointer, this.meshes[mesh].vertexCount);
  }

  /**
   * Replaces the values of a layer that the description had; returns false if nothing changed. Every pipeline uses the
   * new values from its next frame on, at a fraction of the cost of a new pipeline. Live smears keep their past frames.
   */
  setLayer(mesh: number, name: string, values: ArrayLike<number>): boolean {
    const index = this.layerIndex(mesh, name);
    const count = this.meshes[mesh].vertexCount;
    check.numbers(`layer '${name}'`, values, count);
    for (let i = 0; i < count; i++)
      if (typeof values[i] !== 'number' || !(Math.abs(values[i]) <= 1))
        throw new LimberError(
          `layer '${name}': vertex ${i} has ${check.shown(values[i])}, which is not within -1 … 1`,
          'data',
        );
    if (!this.heap.renewFloats(this.heap.wasm.layer_values(this.handle, mesh, index), values)) return false;
    for (const pipeline of this.pipelines) this.heap.wasm.pipeline_repaint(pipeline.handle, mesh, index);
    for (const crowd of this.crowds) crowd.repaint();
    return true;
  }

  /**
   * The base color texture of a mesh, from which motion lines take their colors. It acts on pipelines created
   * afterwards.
   */
  setTexture(mesh: number, picture: Picture): void {
    this.expectMesh(mesh);
    const { width, height, pixels } = check.object('the picture', picture);
    check.count('`width`', width, 1, MOST_PIXELS);
    check.count('`height`', height, 1, MOST_PIXELS);
    if (!ArrayBuffer.isView(pixels) || pixels.BYTES_PER_ELEMENT !== 1 || pixels.length !== 4 * width * height)
      throw new LimberError(`a picture of ${width} x ${height} pixels needs ${4 * width * height} bytes`, 'data');
    const { heap } = this;
    const pointer = heap.handle(heap.wasm.character_texture(this.handle, mesh, width, height));
    heap.writeBytes(pointer, new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length));
  }

  /** @internal */
  state(): CharacterState {
    const pipelines = [...this.pipelines].map((one) => one.state());
    return { pointer: this.handle, textured: this.textured, pipelines, order: this.order, rigOrder: this.rigOrder };
  }

  /** A pipeline that another engine has made, by the JSON of its style. @internal */
  readyPipeline(style: string): PipelineState | undefined {
    const at = this.ready.findIndex((one) => one.style === style);
    return at < 0 ? undefined : this.ready.splice(at, 1)[0];
  }

  /**
   * Throws if a style is invalid or names joints, clips or meshes that the character does not have. A pipeline finds what
   * else cannot be done, and takes much longer.
   */
  expectStyle(style: StyleSource): void {
    withStyle(this.heap, style, (handle) => this.heap.check(this.heap.wasm.character_fits(this.handle, handle)));
  }

  /** Creates a pipeline: the character with a style, ready to evaluate. */
  pipeline(style: StyleSource = {}): Pipeline {
    const pipeline = new Pipeline(this, style, () => this.pipelines.delete(pipeline));
    this.pipelines.add(pipeline);
    return pipeline;
  }

  /**
   * Returns a character whose meshes are subdivided where the style's elongation would tear them
   * (`smear.elongate.subdivide`), or undefined if nothing tears. Vertex indices change.
   */
  subdivide(style: StyleSource, fps = 0): Character | undefined {
    check.number('`fps`', fps);
    return withStyle(this.heap, style, (handle) => {
      const pointer = this.heap.wasm.character_subdivide(this.handle, handle, fps);
      if (!pointer && this.heap.wasm.error_result()) throw this.heap.error();
      return pointer ? this.owner.adopt(pointer >>> 0) : undefined;
    });
  }

  /** Frees the character, all its pipelines, and crowds that have it. */
  dispose(): void {
    if (!this.pointer) return;
    for (const one of [...this.pipelines, ...this.crowds]) one.dispose();
    for (const { pointer, lives } of this.ready) {
      for (const live of lives) this.heap.wasm.live_destroy(live);
      this.heap.wasm.pipeline_destroy(pointer);
    }
    this.heap.wasm.character_destroy(this.pointer);
    this.pointer = 0;
    this.owner.forget(this);
  }
}
