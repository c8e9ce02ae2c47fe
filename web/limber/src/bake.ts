// Bakes: every frame as morph targets or bones.
import * as check from './check.js';
import type { PipelineFrames } from './frame.js';
import { LimberError } from './wasm.js';
import type { Heap } from './wasm.js';

/** How a bake plays: `BakeOptions.kind` explains the words. */
export type BakeKind = 'corrective' | 'vertex' | 'bones';

/** What to bake, and how: `pipeline.bake(options)`. */
export interface BakeOptions {
  /**
   * `corrective`: targets in the space of the mesh, added before an ordinary player skins it. `vertex`: an unskinned mesh
   * in world space. `bones`: new nodes below the joints carry the skin, and few targets the rest. `auto` (default): the
   * smallest of a corrective and a bone bake; `Bake.kind` says which.
   */
  kind?: BakeKind | 'auto';
  /** Names or indices. Default: all clips. */
  clips?: (number | string)[];
  /** Frames per second. 0 (default): the clip's own rate. */
  fps?: number;
  /** Bake only this part of each clip, in seconds. */
  range?: [number, number];
  /**
   * Max error, in thousandths of the character's size. 0: exact, one target per frame. Default: 1 for `auto` and
   * `bones`, else 0.
   */
  tolerance?: number;
  /** Default true. */
  normals?: boolean;
  /** What to do with in-between copies and motion lines. Default `separate`. */
  smearMeshes?: 'separate' | 'merged' | 'none';
}

/** The morph targets of one mesh, and their weights. */
export interface BakedMesh {
  /** Displacements: for each target an array with 3 numbers per vertex. */
  positions: Float32Array[];
  /** Changes to the normals, in the same layout. Empty if normals were switched off. */
  normals: Float32Array[];
  /** With `vertex`: replaces the positions and normals of the mesh. */
  basePositions?: Float32Array;
  /** With `vertex`: the normals that belong to `basePositions`. */
  baseNormals?: Float32Array;
  /** For each track: one weight per target per frame. */
  weights: Float32Array[];
  /** With `bones`: for each vertex the index of the bone that alone moves it, or -1. */
  helper?: Int32Array;
}

/** Keys of one part of a bone, linear between them. None: it rests. */
export interface BakedCurve {
  /** Frames of the track. */
  frames: Uint32Array;
  /** 3 numbers per key, 4 of rotations. */
  values: Float32Array;
}

/**
 * A new node below a joint that carries the joint's part of the skin, or, as a helper, pieces of one mesh. At rest it
 * only turns by `axes`, which a second turn undoes: a constant one in the inverse bind matrix, or, if the bone shears,
 * one with keys (`back`) in a node below it.
 */
export interface BakedBone {
  /** The joint that it hangs below. */
  joint: number;
  /** Of a helper, else -1. */
  helperMesh: number;
  /** Of a helper: the index in the mesh's skin of the joint whose inverse bind matrix it has. */
  helperBind: number;
  /** Whether `back` has keys. */
  shears: boolean;
  /** x, y, z, w. */
  axes: Float32Array;
  /** For each track. */
  tracks: { translation: BakedCurve; rotation: BakedCurve; scale: BakedCurve; back: BakedCurve }[];
}

/** A part of a smear mesh: a copy of a mesh (it reuses that mesh's triangles), or motion lines (source -1). */
export interface BakedPiece {
  /** The mesh it is a copy of; -1: lines. */
  source: number;
  /** Its first vertex in the smear mesh. */
  firstVertex: number;
  /** How many vertices it has. */
  vertexCount: number;
  /** Of lines: 3 per triangle. */
  triangles?: Uint32Array;
}

/**
 * In-between copies or motion lines as a separate mesh that is visible in some frames only. World space, relative to
 * `center`.
 */
export interface BakedSmearMesh {
  name: string;
  /** The mesh it belongs to; -1: all of them. */
  source: number;
  /** The copies and lines that it consists of. */
  pieces: BakedPiece[];
  /** What positions are relative to, in world space. */
  center: Float32Array;
  /** 3 per vertex. */
  basePositions: Float32Array;
  /** 3 per vertex. */
  baseNormals: Float32Array;
  /** 4 per vertex, linear color and opacity. */
  baseColors: Float32Array;
  /** How many targets it has: those that move vertices, and those that change the opacity. */
  targetCount: number;
  /** These come first among the targets and move vertices. */
  positions: Float32Array[];
  /** Changes to the normals of these targets; empty if normals were switched off. */
  normals: Float32Array[];
  /** These come last among the targets and change the opacity, one number per vertex. */
  opacities: Float32Array[];
  /** For each track: one weight per target per frame. */
  weights: Float32Array[];
  /** For each track: 1 for each frame in which the mesh is visible. */
  visible: Uint8Array[];
}

/** Every frame of clips as morph targets or bones. Made by `pipeline.bake()`. */
export interface Bake {
  kind: BakeKind;
  /** How far a vertex is off at most, in thousandths of the character's size. 0: exact but for rounding. */
  error: number;
  /** One per clip: its index and the times of its frames, in seconds. */
  tracks: { clip: number; times: Float32Array }[];
  /** In the order of the character's meshes. */
  meshes: BakedMesh[];
  /** Of a bone bake. */
  bones: BakedBone[];
  smearMeshes: BakedSmearMesh[];
}

const KINDS = ['corrective', 'vertex', 'bones', 'auto'] as const;
const CURVES = ['translation', 'rotation', 'scale', 'back'] as const;
const SMEAR_MESHES = ['separate', 'merged', 'none'] as const;

function several(heap: Heap, pointer: number, count: number, length: number): Float32Array[] {
  if (!pointer) return [];
  return Array.from({ length: count }, (_, i) => heap.readFloats(pointer + 4 * i * length, length));
}

function readMesh(heap: Heap, bake: number, mesh: number, vertices: number, tracks: Bake['tracks']): BakedMesh {
  const { wasm } = heap;
  const targets = wasm.bake_target_count(bake, mesh);
  const array = (which: number) => wasm.bake_array(bake, mesh, which);
  const base = (which: number) => (array(which) ? heap.readFloats(array(which), 3 * vertices) : undefined);
  return {
    positions: several(heap, array(2), targets, 3 * vertices),
    normals: several(heap, array(3), targets, 3 * vertices),
    basePositions: base(0),
    baseNormals: base(1),
    weights: tracks.map((track, t) => {
      const pointer = wasm.bake_weights(bake, mesh, t);
      return pointer ? heap.readFloats(pointer, targets * track.times.length) : new Float32Array(0);
    }),
    helper: readHelpers(heap, wasm.bake_helpers(bake, mesh), vertices),
  };
}

function readHelpers(heap: Heap, pointer: number, vertices: number): Int32Array | undefined {
  return pointer ? new Int32Array(heap.readWords(pointer, vertices)) : undefined;
}

function readCurve(heap: Heap, bake: number, bone: number, track: number, part: number): BakedCurve {
  const { wasm } = heap;
  const curve = track * CURVES.length + part;
  const count = wasm.bake_curve_key_count(bake, bone, curve);
  const isTurn = CURVES[part] === 'rotation' || CURVES[part] === 'back';
  return {
    frames: heap.readWords(wasm.bake_curve_array(bake, bone, curve, 0), count),
    values: heap.readFloats(wasm.bake_curve_array(bake, bone, curve, 1), (isTurn ? 4 : 3) * count),
  };
}

function readBone(heap: Heap, bake: number, bone: number, tracks: Bake['tracks']): BakedBone {
  const { wasm } = heap;
  const [joint, helperMesh, helperBind, shears] = [0, 1, 2, 3].map((which) => wasm.bake_bone_number(bake, bone, which));
  const curve = (track: number, part: number) => readCurve(heap, bake, bone, track, part);
  return {
    joint,
    helperMesh,
    helperBind,
    shears: shears !== 0,
    axes: heap.readFloats(wasm.bake_bone_axes(bake, bone), 4),
    tracks: tracks.map((_, t) => ({
      translation: curve(t, 0),
      rotation: curve(t, 1),
      scale: curve(t, 2),
      back: curve(t, 3),
    })),
  };
}

function readPiece(heap: Heap, bake: number, smear: number, piece: number): BakedPiece {
  const { wasm } = heap;
  const [source, firstVertex, vertexCount, triangles] = [0, 1, 2, 3].map((which) =>
    wasm.bake_piece_number(bake, smear, piece, which),
  );
  const pointer = wasm.bake_piece_triangles(bake, smear, piece);
  return { source, firstVertex, vertexCount, triangles: pointer ? heap.readWords(pointer, 3 * triangles) : undefined };
}

function readSmearMesh(heap: Heap, bake: number, smear: number, tracks: Bake['tracks']): BakedSmearMesh {
  const { wasm } = heap;
  const [source, pieces, vertices, targets, shapes, opacities] = [0, 1, 2, 3, 4, 5].map((which) =>
    wasm.bake_smear_mesh_number(bake, smear, which),
  );
  const array = (which: number) => wasm.bake_smear_mesh_array(bake, smear, which);
  const floats = (which: number, count: number) =>
    array(which) ? heap.readFloats(array(which), count) : new Float32Array(count);
  return {
    name: heap.text(wasm.bake_smear_mesh_name(bake, smear)),
    source,
    pieces: Array.from({ length: pieces }, (_, i) => readPiece(heap, bake, smear, i)),
    center: floats(0, 3),
    basePositions: floats(1, 3 * vertices),
    baseNormals: floats(2, 3 * vertices),
    baseColors: floats(3, 4 * vertices),
    targetCount: targets,
    positions: several(heap, array(4), shapes, 3 * vertices),
    normals: several(heap, array(5), shapes, 3 * vertices),
    opacities: several(heap, array(6), opacities, vertices),
    weights: tracks.map((track, t) =>
      heap.readFloats(wasm.bake_smear_mesh_track(bake, smear, t, 0), targets * track.times.length),
    ),
    visible: tracks.map((track, t) =>
      heap.readBytes(wasm.bake_smear_mesh_track(bake, smear, t, 1), track.times.length),
    ),
  };
}

function start(pipeline: PipelineFrames, options: BakeOptions): number {
  const { heap, character } = pipeline;
  const { fps = 0, tolerance, range = [1, 0] } = check.object('the options', options);
  const kind = KINDS.indexOf(check.word('`kind`', options.kind ?? 'auto', KINDS));
  const smearMeshes = SMEAR_MESHES.indexOf(
    check.word('`smearMeshes`', options.smearMeshes ?? 'separate', SMEAR_MESHES),
  );
  const clips = check.list('`clips`', options.clips ?? []).map((clip) => character.clipIndex(clip));
  if (clips.includes(-1)) throw new LimberError('the rest pose (clip -1) cannot be baked');
  check.finite('`fps`', fps, 0);
  if (tolerance !== undefined) check.finite('`tolerance`', tolerance, 0);
  check.finiteNumbers('`range`', range, 2);
  if (options.range && !(range[0] <= range[1]))
    throw new LimberError(`\`range\` ends at ${range[1]} s, before it starts at ${range[0]} s`);
  const { handle } = pipeline;
  const list = heap.allocate(4 * clips.length);
  const [from, to] = range;
  try {
    heap.writeWords(list, clips);
    return heap.handle(
      heap.wasm.bake_create(
        handle,
        kind,
        clips.length,
        list,
        fps,
        from,
        to,
        tolerance === undefined ? -1 : tolerance / 1000,
        options.normals === false ? 0 : 1,
        smearMeshes,
      ),
    );
  } finally {
    heap.free(list);
  }
}

/** @internal */
export function readBake(pipeline: PipelineFrames, options: BakeOptions): Bake {
  const { heap, character } = pipeline;
  const { wasm } = heap;
  const bake = start(pipeline, options);
  try {
    const tracks = Array.from({ length: wasm.bake_track_count(bake) }, (_, t) => ({
      clip: wasm.bake_track_number(bake, t, 0),
      times: heap.readFloats(wasm.bake_track_times(bake, t), wasm.bake_track_number(bake, t, 1)),
    }));
    return {
      kind: KINDS[wasm.bake_kind(bake)] as BakeKind,
      error: 1000 * wasm.bake_error(bake),
      tracks,
      meshes: character.meshes.map((mesh, m) => readMesh(heap, bake, m, mesh.vertexCount, tracks)),
      bones: Array.from({ length: wasm.bake_bone_count(bake) }, (_, b) => readBone(heap, bake, b, tracks)),
      smearMeshes: Array.from({ length: wasm.bake_smear_mesh_count(bake) }, (_, e) =>
        readSmearMesh(heap, bake, e, tracks),
      ),
    };
  } finally {
    wasm.bake_destroy(bake);
  }
}
