// What is to be written into a glTF file.
import type { Bake, ChannelData, ClipData, MeshInfo, Stretch, Style } from 'limber/engine';

/** A mesh of the engine in the file. */
export interface Part {
  mesh: number;
  node: number;
  primitive: number;
}

/** A clip with its bake. */
export interface BakedClip {
  animation: number;
  bake: Bake;
  /** All morph weights of the file's own targets, for each frame. */
  morphWeights: Float32Array[];
  /** What `exaggerate` made of it. */
  edited?: { clip: ClipData; stretches: Stretch[] };
}

export interface Edits {
  parts: Part[];
  meshes: readonly MeshInfo[];
  nodeOfJoint: (joint: number) => number | undefined;
  /** Clips to add, after those of the file. */
  takes: ClipData[];
  /** The keys of weights that the file has, by animation. */
  weights: (animation: number) => ChannelData[];
  clips: BakedClip[];
  layers: Readonly<Record<string, Float32Array>>;
  style: Style;
}
