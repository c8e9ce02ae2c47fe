// A frame as arrays, and the part of a pipeline that streams, packs and bakes use.
import type { MeshInfo } from './info.js';
import type { Heap } from './wasm.js';

/** Arrays for the result of an evaluation. Only the arrays present are computed. World space, all meshes in order. */
export interface FrameArrays {
  /** 3 per vertex, after all effects. */
  positions?: Float32Array;
  /** 3 per vertex. */
  normals?: Float32Array;
  /** 3 per vertex: positions before the effects. */
  skinned?: Float32Array;
}

/** The vertices of one moment. */
export interface Frame extends FrameArrays {
  positions: Float32Array;
  normals: Float32Array;
}

/** A mesh added by smears: an in-between copy of one of the character's meshes, or all motion lines. */
export interface SmearMesh {
  /** Whether it is a copy of a mesh, or motion lines. */
  kind: 'copy' | 'lines';
  /** "multiple -2" or "lines". */
  name: string;
  /** For a copy: its number. Negative numbers lie in the past. */
  number: number;
  /** For a copy: index of the mesh it copies; else -1. */
  source: number;
  /** If false, the arrays are out of date. */
  visible: boolean;
  /** 3 per vertex, in world space. */
  positions: Float32Array;
  /** 3 per vertex. */
  normals: Float32Array;
  /** 4 per vertex, linear; the fourth is the opacity. */
  colors: Float32Array;
  /** 3 per triangle; the same in all frames. */
  triangles: Uint32Array;
}

/** A frame with smears. */
export interface Smeared extends FrameArrays {
  /** 3 per vertex: positions before smearing. */
  deformed?: Float32Array;
  /** Motion offsets, one per vertex from -1 (trailing) to 1 (leading). */
  offsets?: Float32Array;
  /** In-between copies and motion lines. Pass the result of the previous frame to reuse its arrays. */
  smearMeshes?: SmearMesh[];
}

/** The part of a `Pipeline` that streams, packs and bakes use. */
export interface PipelineFrames {
  /** @internal */ readonly heap: Heap;
  /** @internal */ readonly handle: number;
  /** @internal */ readonly generation: number;
  /** @internal */ packed?: object;
  readonly character: {
    readonly jointCount: number;
    readonly vertexCount: number;
    readonly morphCount: number;
    readonly meshes: readonly MeshInfo[];
    clipIndex(clip: number | string): number;
  };
  evaluateVertices(): Frame;
  evaluateVertices<T extends FrameArrays>(out: T): T;
  /** @internal */ ask(out: Smeared): void;
  /** @internal */ fillSmeared(out: Smeared): Smeared;
}
