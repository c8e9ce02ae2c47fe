// What a user works on. Everything here is read-only: a change makes a new document that shares what stayed the same,
// which is why undo is as cheap as keeping the old one.
import type { ClipData, Style } from 'limber/engine';

export type FileKind = 'glb' | 'gltf' | 'bvh';

/** The file as it was dropped; never changed. */
export interface SourceFile {
  readonly name: string;
  readonly kind: FileKind;
  readonly bytes: Uint8Array;
  /** The built-in character it is, if it is one. */
  readonly builtIn?: string;
}

/** A clip that was recorded here: it is added to those of the file. */
export interface Take {
  readonly name: string;
  readonly clip: ClipData;
}

export interface Document {
  readonly file: SourceFile;
  /** Of the clips of the file, then of the takes. */
  readonly clip: number;
  /** Effects, joints, smears, skeleton edits: all that `limber apply --style` takes. */
  readonly style: Style;
  /** Effects that were switched off, as they were, to be switched on again: `effects.floppy`, `smear`, `exaggerate`. */
  readonly shelf: Readonly<Record<string, unknown>>;
  /** Painted here: one value per vertex, all meshes after each other. Layers of the file that were not touched are not here. */
  readonly layers: Readonly<Record<string, Float32Array>>;
  readonly takes: readonly Take[];
}

export function newDocument(file: SourceFile, style: Style, clip = 0): Document {
  return { file, clip, style, shelf: {}, layers: {}, takes: [] };
}

// --- keys of a style by path ---

type Tree = { [key: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The names in a path. Joints may have dots in their names and their keys have some, too, so `joints.` is followed by
 * what `jointPath` made: the parts are separated by \u0000.
 */
export function keyNames(path: string): string[] {
  return path.includes('\u0000') ? path.split('\u0000') : path.split('.');
}

/** The path of a key of a joint: jointPath('Head', 'floppy.angular'). */
export function jointPath(joint: string, key: string): string {
  return ['joints', joint, key].join('\u0000');
}

/** The value of a key, or undefined where the style does not have it. */
export function getKey(style: Style, path: string): unknown {
  let at: unknown = style;
  for (const name of keyNames(path)) {
    if (!isTree(at)) return undefined;
    at = at[name];
  }
  return at;
}

function without(tree: Tree, name: string): Tree {
  const { [name]: _gone, ...rest } = tree;
  return rest;
}

function change(tree: Tree, [name, ...below]: string[], value: unknown): Tree {
  if (!below.length) return value === undefined ? without(tree, name) : { ...tree, [name]: value };
  const inside = change(isTree(tree[name]) ? tree[name] : {}, below, value);
  return value === undefined && !Object.keys(inside).length && below.length > 1
    ? without(tree, name)
    : { ...tree, [name]: inside };
}

/** The style with a key changed; undefined takes it out. */
export function setKey(style: Style, path: string, value: unknown): Style {
  return change(style as Tree, keyNames(path), value) as Style;
}
