// What a user works on. Documents are immutable: a change creates a new document that shares the unchanged parts. This
// makes undo cheap.
import type { ClipData, Style } from 'limber/engine';

export type FileKind = 'glb' | 'gltf' | 'bvh';

/** The file as it was dropped; never modified. */
export interface SourceFile {
  readonly name: string;
  readonly kind: FileKind;
  readonly bytes: Uint8Array;
  /** The name of the built-in character, if it is one. */
  readonly builtIn?: string;
}

/** A clip that was recorded in the studio. Takes come after the clips of the file. */
export interface Take {
  readonly name: string;
  readonly clip: ClipData;
}

export interface Document {
  readonly file: SourceFile;
  /** Index into the clips of the file, followed by the takes. */
  readonly clip: number;
  /** Effects, joints, smears and skeleton edits: the same as for `limber apply --style`. */
  readonly style: Style;
  /** The style as it was chosen, from a preset or a file: where the sliders of the five words are at 1. */
  readonly base: Style;
  /**
   * Parts that are switched off, with their values for when they are switched on again: `effects.floppy`, `smear`,
   * `exaggerate`.
   */
  readonly shelf: Readonly<Record<string, unknown>>;
  /**
   * Layers painted in the studio: one value per vertex, all meshes in order. Unmodified layers of the file are not
   * included.
   */
  readonly layers: Readonly<Record<string, Float32Array>>;
  readonly takes: readonly Take[];
}

export function newDocument(file: SourceFile, style: Style, clip = 0): Document {
  return { file, clip, style, base: style, shelf: {}, layers: {}, takes: [] };
}

// --- keys of a style by path ---

type Tree = { [key: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The names in a path. Joint names and their keys may contain dots, so paths made by `jointPath` are separated by
 * \u0000 instead.
 */
export function keyNames(path: string): string[] {
  return path.includes('\u0000') ? path.split('\u0000') : path.split('.');
}

/** The path of a joint's key: jointPath('Head', 'floppy.angular'). */
export function jointPath(joint: string, key: string): string {
  return ['joints', joint, key].join('\u0000');
}

/** The value of a key, or undefined if the style does not have it. */
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

/** Returns the style with a key set; undefined removes the key. */
export function setKey(style: Style, path: string, value: unknown): Style {
  return change(style as Tree, keyNames(path), value) as Style;
}
