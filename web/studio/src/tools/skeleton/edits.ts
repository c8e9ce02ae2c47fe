// Skeleton edits in a style: pulled joints, each with keys and a window.
import type { Style } from 'limber/engine';
import { getKey, setKey } from '../../core/document';

export type Offset = [number, number, number];
export type Key = [number, Offset];

/** A constraint with relative keys, as made by this tool. Other constraints in the list are not modified. */
export interface Edit {
  joint: string;
  keys: Key[];
  relative: true;
  window: number;
  weight: number;
}

const PATH = 'exaggerate.constraints';
/** High compared to the stiffness of the skeleton, so that the joint follows the pointer. */
const WEIGHT = 100;
const WINDOW = 0.4;

function isEdit(one: unknown): one is Edit {
  const { keys, relative, joint } = one as Partial<Edit>;
  return relative === true && Array.isArray(keys) && typeof joint === 'string';
}

function listOf(style: Style): unknown[] {
  const list = getKey(style, PATH);
  return Array.isArray(list) ? list : [];
}

/** The edits in a style, in order. */
export function editsOf(style: Style): Edit[] {
  return listOf(style)
    .filter(isEdit)
    .map((one) => ({ ...one, window: one.window ?? 0.5, weight: one.weight ?? 1 }));
}

export const editOf = (style: Style, joint: string): Edit | undefined =>
  editsOf(style).find((one) => one.joint === joint);

/** The key within half a frame of a time. */
export function keyAt(edit: Edit | undefined, time: number, fps: number): number {
  return edit?.keys.findIndex(([at]) => Math.abs(at - time) < 0.5 / fps) ?? -1;
}

/** Returns the style with the edit of a joint replaced; an edit without keys is removed. */
export function withEdit(style: Style, joint: string, change: (edit: Edit) => Edit): Style {
  const list = listOf(style);
  const index = list.findIndex((one) => isEdit(one) && one.joint === joint);
  const before = editOf(style, joint) ?? { joint, keys: [], relative: true, window: WINDOW, weight: WEIGHT };
  const changed = change(before);
  const after = { ...changed, keys: [...changed.keys].sort((a, b) => a[0] - b[0]) };
  const next = index < 0 ? [...list, after] : list.map((one, i) => (i === index ? after : one));
  const kept = next.filter((one) => !isEdit(one) || one.keys.length > 0);
  if (kept.length) return setKey(style, PATH, kept);
  const rest = setKey(style, PATH, undefined);
  return Object.keys((getKey(rest, 'exaggerate') as object | undefined) ?? {}).length
    ? rest
    : setKey(rest, 'exaggerate', undefined);
}

const tidy = (value: number): number => Math.round(value * 1e5) / 1e5;

/** Adds or changes the key at a time. */
export function putKey(edit: Edit, time: number, offset: Offset, fps: number): Edit {
  const index = keyAt(edit, time, fps);
  const key: Key = [index < 0 ? tidy(time) : edit.keys[index][0], offset.map(tidy) as Offset];
  return { ...edit, keys: index < 0 ? [...edit.keys, key] : edit.keys.map((one, i) => (i === index ? key : one)) };
}
