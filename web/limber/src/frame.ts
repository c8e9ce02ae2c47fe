// A frame as arrays, and what streams, packs and bakes need of the pipeline that computes it.
import type { MeshInfo } from './info.js';
import type { Heap } from './wasm.js';

/** Arrays that a frame is written into; what is left out is not computed. All meshes follow each other, world space. */
export interface FrameArrays {
  /** 3 per vertex, after every effect. */
  positions?: Float32Array;
  /** 3 per vertex. */
  normals?: Float32Array;
  /** 3 per vertex: positions before the effects. */
  skinned?: Float32Array;
}

export interface Frame extends FrameArrays {
  positions: Float32Array;
  normals: Float32Array;
}

/** A mesh that smears add: a copy of one of the character's meshes, or all motion lines. */
export interface SmearMesh {
  kind: 'copy' | 'lines';
  /** "multiple -2", "lines". */
  name: string;
  /** Of a multiple: which copy; negative: in the past. */
  number: number;
  /** Of a multiple: the mesh it is a copy of. */
  source: number;
  /** Where it is not seen its arrays are old. */
  visible: boolean;
  positions: Float32Array;
  normals: Float32Array;
  /** 4 per vertex, linear; the last is the opacity. */
  colors: Float32Array;
  triangles: Uint32Array;
}

/** A frame with smears. */
export interface Smeared extends FrameArrays {
  /** 3 per vertex: positions before the smears. */
  deformed?: Float32Array;
  /** -1 … 1 per vertex: how far in front or behind it lies in the motion. */
  offsets?: Float32Array;
  /** Copies and lines. Those of the frame before, given again, are written over. */
  smearMeshes?: SmearMesh[];
}

/** A `Pipeline`, as far as streams, packs and bakes need it. */
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
