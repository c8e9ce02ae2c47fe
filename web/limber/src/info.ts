// Information about the parts of a character.
import { INTERPOLATIONS, PATHS } from './description.js';
import type { ChannelPath, Interpolation } from './description.js';
import { LimberError } from './wasm.js';
import type { Heap } from './wasm.js';

/** A clip without its keys. */
export interface ClipInfo {
  name: string;
  /** Seconds. */
  start: number;
  /** Seconds. */
  end: number;
  /** The rate of the keys, in frames per second. */
  fps: number;
  /** Where the motion starts: after a pose that was put before it, such as the T-pose of many captures; else `start`. */
  motionStart: number;
  /** Whether the motion is a cycle. */
  loops: boolean;
  /** Whether it ends somewhere else than it started, such as a walk. */
  travels: boolean;
}

/** The curve of one joint, or of the morph weights of a mesh. */
export interface ChannelData {
  path: ChannelPath;
  interpolation: Interpolation;
  /** Index of a joint, or of a mesh if the path is `weights`. */
  target: number;
  /** Seconds, increasing. */
  times: Float32Array;
  /** Per key: 3 numbers, 4 of rotations, or a weight per morph target; `cubic`: three times as many. */
  values: Float32Array;
}

/** A clip with its keys. */
export interface ClipData extends ClipInfo {
  channels: ChannelData[];
}

/** A mesh without its arrays. */
export interface MeshInfo {
  name: string;
  /** Index of its skin: `character.skin(i)`. */
  skin: number;
  /** How many vertices it has. */
  vertexCount: number;
  /** How many triangles it has. */
  triangleCount: number;
  /** How many morph targets it has. */
  morphCount: number;
  /** Index of its first vertex in arrays that hold all meshes. */
  firstVertex: number;
  /** Index of its first weight in arrays that hold the morph weights of all meshes. */
  firstMorph: number;
  /** Names of its painted layers: `character.layer(mesh, name)`. */
  layers: string[];
}

/** A mesh with its arrays. */
export interface MeshData extends MeshInfo {
  /** 3 per vertex, in mesh space. */
  positions: Float32Array;
  /** 3 per vertex. */
  normals: Float32Array;
  /** 2 per vertex. */
  uvs?: Float32Array;
  /** 3 per triangle. */
  triangles: Uint32Array;
  /** Vertex u has the influences from influenceFirst[u] up to, but not including, influenceFirst[u + 1]. */
  influenceFirst: Uint32Array;
  /** Per influence: index into the joints of its skin. */
  influenceJoint: Uint16Array;
  /** Per influence; those of a vertex sum to 1. */
  influenceWeight: Float32Array;
}

/** A joint of the rig. */
export interface JointInfo {
  name: string;
  /** Index of its parent, or -1. */
  parent: number;
  /** The rest pose as 10 numbers: translation, rotation (x, y, z, w) and scale. */
  rest: Float32Array;
  /** Mean position of the vertices it moves, in the joint's frame. */
  centroid: Float32Array;
  /** Unit vector along its bone in the joint's frame, or 0 if there is no bone. */
  boneDirection: Float32Array;
}

/** Reads a clip from the module. */
export function readClip(heap: Heap, handle: number, morphsOfMesh: (mesh: number) => number): ClipData {
  const { wasm } = heap;
  const numbers = [0, 1, 2, 3, 4, 5, 6].map((which) => wasm.clip_number(handle, which));
  const [start, end, fps, loops, count, travels, motionStart] = numbers;
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
  const name = heap.text(wasm.clip_name(handle));
  return { name, start, end, fps, motionStart, loops: loops !== 0, travels: travels !== 0, channels };
}

/** A part of the character that stands on the ground for a while. */
export interface Contact {
  /** The joint that stands. */
  joint: number;
  /** Seconds of the clip. */
  from: number;
  /** Seconds of the clip. */
  to: number;
  /** Height of the ground. */
  height: number;
}

/** The floor of a clip, and what stands on it. */
export interface Contacts {
  /** Heights of the floor, rising: several where there are stairs. */
  levels: number[];
  contacts: Contact[];
}

/** Reads the contacts that the module has found. `start`: of the clip. */
export function readContacts(heap: Heap, found: number, start: number): Contacts {
  const { wasm } = heap;
  const list = <T>(which: number, read: (i: number) => T) =>
    Array.from({ length: wasm.contacts_count(found, which) }, (_, i) => read(i));
  return {
    levels: list(0, (i) => wasm.contacts_level(found, i)),
    contacts: list(1, (i) => {
      const [joint, from, to, height] = [0, 1, 2, 3].map((which) => wasm.contacts_number(found, i, which));
      return { joint, from: start + from, to: start + to, height };
    }),
  };
}

/** What stands in a clip, and how much joints are held at any time of it. Made by `pipeline.holds(clip)`. */
export class Holds implements Contacts {
  readonly levels: number[];
  readonly contacts: Contact[];
  private pointer: number;

  /** @internal */
  constructor(
    private readonly heap: Heap,
    found: number,
    private readonly start: number,
    private readonly jointCount: number,
  ) {
    if (!found) throw heap.error();
    this.pointer = found;
    ({ levels: this.levels, contacts: this.contacts } = readContacts(heap, found, start));
  }

  /** How much each joint is held, from 0 to 1: what touches the ground, and less so the joints next to it. */
  at(time: number, out?: Float32Array): Float32Array {
    const { heap } = this;
    if (!this.pointer) throw new LimberError('the contacts have been disposed');
    const held = heap.allocate(4 * this.jointCount);
    try {
      heap.wasm.contacts_evaluate(this.pointer, time - this.start, held);
      return heap.readFloats(held, this.jointCount, out);
    } finally {
      heap.free(held);
    }
  }

  /** Frees its memory in the module. */
  dispose(): void {
    if (this.pointer) this.heap.wasm.contacts_destroy(this.pointer);
    this.pointer = 0;
  }
}

const RIGID_KINDS = ['mass', 'prop', 'appendage', 'rider'] as const;
/** What a rigid part is: docs/rigid.md. */
export type RigidKind = (typeof RIGID_KINDS)[number];

/** A part that keeps its shape: a sword, a helmet, an eye. */
export interface RigidPart {
  /** Of its node, or of the mesh where the node has none. */
  name: string;
  /** The joint that holds it. */
  joint: number;
  /** How many vertices belong to it. */
  vertexCount: number;
  kind: RigidKind;
}

/** The parts of a character that keep their shape. */
export interface RigidParts {
  parts: RigidPart[];
  /** The part of each vertex, all meshes in order; -1: none. */
  ofVertex: Int32Array;
}

/** Reads the rigid parts that the module has found and frees them. */
export function readRigidParts(heap: Heap, found: number, vertexCount: number): RigidParts {
  const { wasm } = heap;
  if (!found) throw heap.error();
  try {
    return {
      parts: Array.from({ length: wasm.rigid_count(found) }, (_, i) => ({
        name: heap.text(wasm.rigid_name(found, i)),
        joint: wasm.rigid_number(found, i, 0),
        vertexCount: wasm.rigid_number(found, i, 1),
        kind: RIGID_KINDS[wasm.rigid_number(found, i, 2)],
      })),
      ofVertex: new Int32Array(heap.readWords(wasm.rigid_of_vertex(found), vertexCount).buffer),
    };
  } finally {
    wasm.rigid_destroy(found);
  }
}
