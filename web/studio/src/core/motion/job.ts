// What the page and the worker that puts motions onto characters tell each other.

/** A .glb or .gltf, or with the name of its clip a BVH file. */
export interface FileJob {
  bytes: Uint8Array;
  clipName?: string;
}

/** What becomes of a motion beside the joints that it goes to. */
export interface MotionOptions {
  /** Find its cycle and close it. */
  cycle?: boolean;
  /** Move the travel from the hips to the root. */
  rootMotion?: boolean;
}

export interface MotionJob {
  character: FileJob;
  motion: FileJob;
  options: MotionOptions;
}

/** A clip for the character. Nodes are those of its file; of a BVH file, joints. */
export interface MotionClip {
  name: string;
  fps: number;
  channels: { node: number; path: number; times: Float32Array; values: Float32Array }[];
}

export interface Motion {
  clips: MotionClip[];
  /** How many of the character's joints follow the motion. */
  matched: number;
  joints: number;
  /** How sure the least sure match is, 0 to 1. */
  sure: number;
}

export type MotionAnswer = { motion: Motion } | { error: string };
