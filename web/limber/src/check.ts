// What callers pass, checked before it reaches the module: whatever is wrong is a LimberError of one line.
import { LimberError } from './wasm.js';

/** The largest count that the module can hold. */
export const MOST = 0x7fffffff;

/** How a value looks in a message: short, whatever it is. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const name = Object.prototype.toString.call(value).slice(8, -1);
  const { length } = value as { length?: unknown };
  if (typeof length === 'number') return `${name} of ${length}`;
  return name === 'Object' ? ((value as object).constructor?.name ?? 'Object') : name;
}

const fail = (what: string, wanted: string, value: unknown): never => {
  throw new LimberError(`${what} must be ${wanted}, not ${shown(value)}`);
};

/** A whole number from `least` to `most`. */
export function count(what: string, value: unknown, least = 0, most = MOST): number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    fail(what, `a whole number from ${least} to ${most === MOST ? '2147483647' : most}`, value);
  return value as number;
}

/** Any number, also NaN and infinity: times and rates that make no sense have a meaning in the engine. */
export function number(what: string, value: unknown): number {
  if (typeof value !== 'number') fail(what, 'a number', value);
  return value as number;
}

/** A finite number, not below `least`. */
export function finite(what: string, value: unknown, least = -Infinity): number {
  if (!Number.isFinite(value) || (value as number) < least)
    fail(what, least === -Infinity ? 'a finite number' : `a finite number of at least ${least}`, value);
  return value as number;
}

export function text(what: string, value: unknown): string {
  if (typeof value !== 'string') fail(what, 'text', value);
  return value as string;
}

export function word<T extends string>(what: string, value: unknown, words: readonly T[]): T {
  if (!words.includes(value as T)) fail(what, `one of ${words.join(', ')}`, value);
  return value as T;
}

/** An object that is not an array: options, a description. */
export function object<T extends object>(what: string, value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    fail(what, 'an object', value);
  return value;
}

export function list<T>(what: string, value: readonly T[]): readonly T[] {
  if (!Array.isArray(value)) fail(what, 'an array', value);
  return value;
}

const tagOf = (value: unknown): string | undefined => (value as { [Symbol.toStringTag]?: string })[Symbol.toStringTag];

/** Anything like an array of numbers, with `length` of them if that is given. */
export function numbers(what: string, value: ArrayLike<number>, length?: number): ArrayLike<number> {
  if (typeof value !== 'object' || value === null || !Number.isInteger(value.length) || tagOf(value)?.startsWith('Big'))
    fail(what, 'an array of numbers', value);
  if (length !== undefined && value.length !== length)
    throw new LimberError(`${what} has ${value.length} numbers instead of ${length}`, 'data');
  return value;
}

/** The same, and all of them are numbers, also NaN and infinity. */
export function times(what: string, value: ArrayLike<number>): ArrayLike<number> {
  numbers(what, value);
  for (let i = 0; i < value.length; i++) number(`${what}: number ${i}`, value[i]);
  return value;
}

/** The same, and all of them are finite. */
export function finiteNumbers(what: string, value: ArrayLike<number>, length?: number): ArrayLike<number> {
  numbers(what, value, length);
  for (let i = 0; i < value.length; i++)
    if (!Number.isFinite(value[i]))
      throw new LimberError(`${what}: number ${i} is ${shown(value[i])}, which is not finite`, 'data');
  return value;
}

/** The same, and all of them are whole numbers from `least` to `most`. */
export function indices(what: string, value: ArrayLike<number>, most: number, least = 0): ArrayLike<number> {
  numbers(what, value);
  for (let i = 0; i < value.length; i++)
    if (!Number.isInteger(value[i]) || value[i] < least || value[i] > most)
      throw new LimberError(`${what}: number ${i} is ${shown(value[i])}, not a whole number up to ${most}`, 'data');
  return value;
}

/** A typed array of this kind with room for `room` numbers, also of another window. */
export function typed<T extends Float32Array | Int16Array | Uint8Array>(
  what: string,
  kind: 'Float32Array' | 'Int16Array' | 'Uint8Array',
  value: T,
  room = 0,
): T {
  if (!ArrayBuffer.isView(value) || tagOf(value) !== kind) fail(what, `a ${kind}`, value);
  if (value.length < room) throw new LimberError(`${what} has room for ${value.length} numbers, but needs ${room}`);
  return value;
}

/** Arrays for results: those that are there are Float32Arrays with enough room. */
export function room(out: object, sizes: Readonly<Record<string, number>>): void {
  object('the object for results', out);
  for (const [name, size] of Object.entries(sizes)) {
    const array = (out as Record<string, Float32Array | undefined>)[name];
    if (array !== undefined) typed(`\`${name}\``, 'Float32Array', array, size);
  }
}
