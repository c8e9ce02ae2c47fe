// What the page and the worker that writes .glb files tell each other.

/** A clip to append. Channels are linear between their keys; nodes are those of the file. */
export interface TakeJob {
  name: string;
  channels: { node: number; path: number; times: Float32Array; values: Float32Array }[];
}

/** Values of a layer on one primitive of the file. */
export interface LayerJob {
  name: string;
  node: number;
  primitive: number;
  values: Float32Array;
}

export interface Job {
  bytes: Uint8Array;
  /** Of a BVH file: the name of its clip. */
  clipName?: string;
  layers: LayerJob[];
  takes: TakeJob[];
  style: string;
  kind: number;
  /** Clips to bake, by their index in the file, takes after them. */
  clips: number[];
  fps: number;
  /** In parts of the character's size. */
  tolerance: number;
  smearMeshes: number;
}

export type Answer = { done: number; total: number } | { glb: Uint8Array } | { error: string };
