// The changes to write into a glTF file.
import type { Bake, ChannelData, ClipData, MeshInfo, Stretch, Style } from 'limber/engine';

/** The location of one of the engine's meshes in the file. */
export interface Part {
  mesh: number;
  node: number;
  primitive: number;
}

/** A clip with its bake. */
export interface BakedClip {
  animation: number;
  bake: Bake;
  /** The weights of the file's own morph targets, for each frame. */
  morphWeights: Float32Array[];
  /** The clip after `exaggerate`. */
  edited?: { clip: ClipData; stretches: Stretch[] };
}

export interface Edits {
  parts: Part[];
  meshes: readonly MeshInfo[];
  nodeOfJoint: (joint: number) => number | undefined;
  /** Clips to append. */
  takes: ClipData[];
  /** The file's own weight channels, by animation. */
  weights: (animation: number) => ChannelData[];
  clips: BakedClip[];
  layers: Readonly<Record<string, Float32Array>>;
  style: Style;
}
