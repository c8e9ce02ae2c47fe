// A character as plain arrays: what the engine is given, and nothing of where it comes from.

/** Numbers of any kind that has a length. */
export type Numbers = ArrayLike<number>;

export interface JointDescription {
  name: string;
  /** Index of a joint that comes before it; -1: none. */
  parent: number;
  /** The rest pose; what is left out is that of an identity. */
  translation?: Numbers;
  /** Quaternion (x, y, z, w). */
  rotation?: Numbers;
  scale?: Numbers;
}

/** The joints that a mesh hangs on. */
export interface SkinDescription {
  name?: string;
  /** Indices of joints. */
  joints: Numbers;
  /** 16 numbers per joint, column-major; the inverse bind matrices of glTF and three.js. */
  inverseBindMatrices: Numbers;
}

export interface MorphDescription {
  name?: string;
  /** 3 per vertex, added to the mesh's positions. */
  positions: Numbers;
  normals?: Numbers;
}

export interface MeshDescription {
  name?: string;
  /** Index of a skin. A mesh that is merely carried by a node is a skin with that node as its only joint. */
  skin: number;
  /** 3 per vertex, in the space of the mesh. */
  positions: Numbers;
  /** 3 per vertex; left out: averaged from the triangles. */
  normals?: Numbers;
  /** 2 per vertex, for formulas of `u` and `v`. */
  uvs?: Numbers;
  /** 4 per vertex, linear: what copies of the mesh (smears) look like. Left out: white. */
  colors?: Numbers;
  /** 3 per triangle; left out: every three vertices are one. */
  triangles?: Numbers;
  /** `influences` per vertex: which of the skin's joints. Left out: the first one moves everything. */
  joints?: Numbers;
  /** `influences` per vertex; need not add up to 1. */
  weights?: Numbers;
  /** How many joints and weights each vertex has in the two arrays above. Default 4. */
  influences?: number;
  morphs?: MorphDescription[];
  /** Weights of the morph targets where nothing else is said. */
  morphDefaults?: Numbers;
  /** Painted layers by name: one value per vertex in [-1, 1]. */
  layers?: Record<string, Numbers>;
}

export type ChannelPath = 'translation' | 'rotation' | 'scale' | 'weights';
export type Interpolation = 'step' | 'linear' | 'cubic';

export interface ChannelDescription {
  path: ChannelPath;
  /** Default `linear`. `cubic` has three values per key, as in glTF. */
  interpolation?: Interpolation;
  /** Index of a joint; of a mesh where the path is `weights`. */
  target: number;
  /** Seconds, increasing. */
  times: Numbers;
  values: Numbers;
}

export interface ClipDescription {
  name: string;
  channels: ChannelDescription[];
  /** Channels whose targets are camera nodes. */
  cameraChannels?: ChannelDescription[];
}

/** A camera or a node above one that is no joint; for smears in a camera's space. */
export interface CameraNodeDescription {
  /** A camera node that comes before it; -1: none. */
  parent: number;
  /** Without a parent: the joint it hangs on; -1: the world. */
  joint: number;
  translation?: Numbers;
  rotation?: Numbers;
  scale?: Numbers;
}

export interface CharacterDescription {
  joints: JointDescription[];
  skins: SkinDescription[];
  meshes: MeshDescription[];
  clips?: ClipDescription[];
  cameraNodes?: CameraNodeDescription[];
  cameras?: { name: string; node: number }[];
}

export const PATHS: readonly ChannelPath[] = ['translation', 'rotation', 'scale', 'weights'];
export const INTERPOLATIONS: readonly Interpolation[] = ['step', 'linear', 'cubic'];
