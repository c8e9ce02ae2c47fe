// Styles: an object, a preset or JSON text on the JavaScript side, a checked style in the module.
import * as check from './check.js';
import type { PresetName, Style, StyleChanges } from './style.generated.js';
import { LimberError } from './wasm.js';
import type { Heap } from './wasm.js';

/** JSON text of a style. Text that was read from somewhere is a string: say `text as StyleText`. */
export type StyleText = `${string}{${string}`;

/**
 * A style as an object, the name of a preset, or JSON text (comments and trailing commas are allowed). To change a
 * preset, start from `engine.parseStyle('jelly')`; `{ preset: 'jelly' }` is not a style.
 */
export type StyleSource = Style | PresetName | StyleText;

/** As JSON. What JSON cannot say (circles, BigInt, functions) is an error. */
function jsonOf(what: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined; // said below
  }
  if (text === undefined) throw new LimberError(`${what} cannot be written as JSON: ${check.shown(value)}`);
  return text;
}

/** The JSON text of a style source. */
export function styleText(heap: Heap, source: StyleSource): string {
  if (typeof source !== 'string') return jsonOf('a style', check.object('a style', source));
  if (/^\s*(\{|\/\/|\/\*)/.test(source)) return source;
  const { wasm } = heap;
  for (let i = 0; i < wasm.preset_count(); i++)
    if (heap.text(wasm.preset_text(i, 0)) === source) return heap.text(wasm.preset_text(i, 2));
  const names = Array.from({ length: wasm.preset_count() }, (_, i) => heap.text(wasm.preset_text(i, 0)));
  throw new LimberError(`there is no preset '${source}'; there are ${names.join(', ')}`);
}

/** Calls `work` with a temporary style in the module that holds `source`. */
export function withStyle<T>(heap: Heap, source: StyleSource, work: (handle: number) => T): T {
  const { wasm } = heap;
  const handle = heap.handle(wasm.style_create());
  let text: { pointer: number; length: number } | undefined;
  try {
    text = heap.allocateText(styleText(heap, source));
    heap.check(wasm.style_read(handle, text.pointer, text.length));
    return work(handle);
  } finally {
    if (text) heap.free(text.pointer);
    wasm.style_destroy(handle);
  }
}

/** Sets one key, like `--set path=value`. */
function setKey(heap: Heap, handle: number, path: string, value: unknown): void {
  const text = jsonOf(`the value of ${path}`, value);
  const where = heap.allocateText(path);
  const what = heap.allocateText(text);
  try {
    heap.check(heap.wasm.style_set(handle, where.pointer, what.pointer));
  } finally {
    heap.free(where.pointer);
    heap.free(what.pointer);
  }
}

/** Sets keys by path. */
export function setKeys(heap: Heap, handle: number, changes: StyleChanges): void {
  for (const [path, value] of Object.entries(check.object('the changes', changes))) setKey(heap, handle, path, value);
}

export function readStyle(heap: Heap, handle: number): Style {
  const pointer = heap.wasm.style_text(handle);
  if (!pointer) throw new LimberError('not enough memory', 'memory');
  return JSON.parse(heap.text(pointer)) as Style;
}
