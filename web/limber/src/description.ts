// A character as plain arrays, independent of any file format or renderer.

/** Any array of numbers. */
export type Numbers = ArrayLike<number>;

export interface JointDescription {
  name: string;
  /** Index of the parent, which must come earlier in the list; -1 for a root. */
  parent: number;
  /** The rest pose. Default: identity. */
  translation?: Numbers;
  /** Quaternion (x, y, z, w). */
  rotation?: Numbers;
  scale?: Numbers;
}

/** The joints that deform a mesh. */
export interface SkinDescription {
  name?: string;
  /** Indices of joints. */
  joints: Numbers;
  /** 16 numbers per joint, column-major, as in glTF and three.js. */
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
  /** Index of a skin. For a mesh attached to a node, use a skin with that node as its only joint. */
  skin: number;
  /** 3 per vertex, in mesh space. */
  positions: Numbers;
  /** 3 per vertex. Default: averaged from the triangles. */
  normals?: Numbers;
  /** 2 per vertex; formulas can use them as `u` and `v`. */
  uvs?: Numbers;
  /** 4 per vertex, linear: the color of in-between copies and motion lines (smears). Default: white. */
  colors?: Numbers;
  /** 4 numbers, linear: the base color of the material, for motion lines. Default: white. */
  color?: Numbers;
  /** 3 per triangle. Default: every three vertices form a triangle. */
  triangles?: Numbers;
  /** `influences` per vertex: indices into the skin's joints. Default: the first joint moves all vertices. */
  joints?: Numbers;
  /** `influences` per vertex. They need not sum to 1. */
  weights?: Numbers;
  /** Number of joints and weights per vertex in the two arrays above. Default 4. */
  influences?: number;
  morphs?: MorphDescription[];
  /** Default weights of the morph targets. */
  morphDefaults?: Numbers;
  /** Painted layers by name: one value per vertex, from -1 to 1. */
  layers?: Record<string, Numbers>;
}

export type ChannelPath = 'translation' | 'rotation' | 'scale' | 'weights';
export type Interpolation = 'step' | 'linear' | 'cubic';

export interface ChannelDescription {
  path: ChannelPath;
  /** Default `linear`. `cubic` has three values per key, as in glTF. */
  interpolation?: Interpolation;
  /** Index of a joint, or of a mesh if the path is `weights`. */
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

/** A camera, or a node above a camera that is not a joint. Needed for smears in camera space. */
export interface CameraNodeDescription {
  /** Index of a camera node earlier in the list; -1 for none. */
  parent: number;
  /** If there is no parent: index of the joint that carries the node; -1 for the world. */
  joint: number;
  translation?: Numbers;
  rotation?: Numbers;
  scale?: Numbers;
}

/** A picture: sRGB, 4 bytes per pixel, top row first. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array | Uint8ClampedArray;
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
