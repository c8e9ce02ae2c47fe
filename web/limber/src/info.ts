// What a character is made of, as limber sees it.
import { INTERPOLATIONS, PATHS } from './description.js';
import type { ChannelPath, Interpolation } from './description.js';
import type { Heap } from './wasm.js';

/** What a clip is, as limber sees it. */
export interface ClipInfo {
  name: string;
  /** Seconds. */
  start: number;
  end: number;
  /** The rate of its keys. */
  fps: number;
  loops: boolean;
}

export interface ChannelData {
  path: ChannelPath;
  interpolation: Interpolation;
  /** A joint; a mesh where the path is `weights`. */
  target: number;
  times: Float32Array;
  values: Float32Array;
}

/** A clip with its keys. */
export interface ClipData extends ClipInfo {
  channels: ChannelData[];
}

export interface MeshInfo {
  name: string;
  skin: number;
  vertexCount: number;
  triangleCount: number;
  morphCount: number;
  /** Where its vertices start when all meshes follow each other. */
  firstVertex: number;
  /** Where its weights start among the morph weights of all meshes. */
  firstMorph: number;
  layers: string[];
}

/** A mesh with its arrays. */
export interface MeshData extends MeshInfo {
  positions: Float32Array;
  normals: Float32Array;
  uvs?: Float32Array;
  triangles: Uint32Array;
  /** Vertex u hangs on the influences from influenceFirst[u] to influenceFirst[u + 1]. */
  influenceFirst: Uint32Array;
  influenceJoint: Uint16Array;
  influenceWeight: Float32Array;
}

export interface JointInfo {
  name: string;
  parent: number;
  /** Translation, rotation (x, y, z, w) and scale at rest: 10 numbers. */
  rest: Float32Array;
  /** Mean of the vertices it moves, in its own frame. */
  centroid: Float32Array;
  /** Unit vector along its bone, in its own frame, or 0. */
  boneDirection: Float32Array;
}

/** Reads a clip of the module. */
export function readClip(heap: Heap, handle: number, morphsOfMesh: (mesh: number) => number): ClipData {
  const { wasm } = heap;
  const [start, end, fps, loops, count] = [0, 1, 2, 3, 4].map((which) => wasm.clip_number(handle, which));
  const channels = Array.from({ length: count }, (_, i): ChannelData => {
    const [path, interpolation, target, keys] = [0, 1, 2, 3].map((which) => wasm.channel_number(handle, i, which));
    const width = PATHS[path] === 'weights' ? morphsOfMesh(target) : PATHS[path] === 'rotation' ? 4 : 3;
    const perKey = INTERPOLATIONS[interpolation] === 'cubic' ? 3 * width : width;
    return {
      path: PATHS[path],
      interpolation: INTERPOLATIONS[interpolation],
      target,
      times: heap.readFloats(wasm.channel_array(handle, i, 0), keys),
      values: heap.readFloats(wasm.channel_array(handle, i, 1), keys * perKey),
    };
  });
  return { name: heap.text(wasm.clip_name(handle)), start, end, fps, loops: loops !== 0, channels };
}
