// A character as plain arrays, independent of any file format or renderer.

/** Any array of numbers. */
export type Numbers = ArrayLike<number>;

/** A joint of the rig. */
export interface JointDescription {
  name: string;
  /** Index of the parent, which must come earlier in the list; -1 for a root. */
  parent: number;
  /** The rest pose. Default: identity. */
  translation?: Numbers;
  /** Quaternion (x, y, z, w). */
  rotation?: Numbers;
  /** Of the rest pose. */
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

/** A morph target. */
export interface MorphDescription {
  name?: string;
  /** 3 per vertex, added to the mesh's positions. */
  positions: Numbers;
  /** 3 per vertex, added to the mesh's normals. */
  normals?: Numbers;
}

/** A mesh and how joints move it. */
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

/** What a channel moves. */
export type ChannelPath = 'translation' | 'rotation' | 'scale' | 'weights';
/** What happens between keys, as in glTF. */
export type Interpolation = 'step' | 'linear' | 'cubic';

/** The curve of one joint, or of the morph weights of a mesh. */
export interface ChannelDescription {
  path: ChannelPath;
  /** Default `linear`. `cubic` has three values per key, as in glTF. */
  interpolation?: Interpolation;
  /** Index of a joint, or of a mesh if the path is `weights`. */
  target: number;
  /** Seconds, increasing. */
  times: Numbers;
  /** Per key: 3 numbers, 4 of rotations, or a weight per morph target; `cubic`: three times as many. */
  values: Numbers;
}

/** An animation. */
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
  /** The rest pose. Default: identity. */
  translation?: Numbers;
  /** Quaternion (x, y, z, w). */
  rotation?: Numbers;
  /** Of the rest pose. */
  scale?: Numbers;
}

/** A picture: sRGB, 4 bytes per pixel, top row first. */
export interface Picture {
  /** Pixels in a row. */
  width: number;
  /** Rows. */
  height: number;
  /** `width` x `height` pixels. */
  pixels: Uint8Array | Uint8ClampedArray;
}

/** A character: `engine.character(description)` checks and copies it. */
export interface CharacterDescription {
  joints: JointDescription[];
  skins: SkinDescription[];
  meshes: MeshDescription[];
  clips?: ClipDescription[];
  /** Cameras and nodes above them that are not joints. */
  cameraNodes?: CameraNodeDescription[];
  /** Cameras by name: `node` is an index into `cameraNodes`. */
  cameras?: { name: string; node: number }[];
}

/** @internal */
export const PATHS: readonly ChannelPath[] = ['translation', 'rotation', 'scale', 'weights'];
/** @internal */
export const INTERPOLATIONS: readonly Interpolation[] = ['step', 'linear', 'cubic'];
