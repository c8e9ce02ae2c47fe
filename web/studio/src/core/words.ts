// Five words that animators use for a style: timing, pose, anticipation, squash, drag. Each stands for a few keys of the
// style. 1 is what the style had when it was chosen, 0 is none of it.
import { KEYS } from 'limber/engine';
import type { Style } from 'limber/engine';
import { getKey, setKey } from './document';

export interface Word {
  name: string;
  summary: string;
  /** What it multiplies. */
  keys: readonly string[];
  /** Upper limits that follow; 0 would be no limit, so they stay as they are at 0. */
  limits: readonly string[];
  /** Its numbers count something. */
  whole?: boolean;
}

/** The same as in blender/limber_blender/words.py; docs/acting.md lists them. */
export const WORDS: readonly Word[] = [
  {
    name: 'timing',
    summary: 'Key poses are held, the way between them is short, leaps hang in the air',
    keys: ['timing.snap', 'timing.hang'],
    limits: [],
  },
  {
    name: 'pose',
    summary: 'Poses go farther; feet stay where they are',
    keys: ['pose.exaggerate'],
    limits: [],
  },
  {
    name: 'anticipation',
    summary: 'Motions start a little the other way and end with an overshoot',
    keys: ['pose.anticipate'],
    limits: [],
  },
  {
    name: 'squash',
    summary: 'The body squashes, stretches and bends, and lands with weight',
    keys: ['body.squash', 'body.bend', 'impact.gain', 'effects.squash.linear', 'effects.squash.angular'],
    limits: ['effects.squash.max'],
  },
  {
    name: 'drag',
    summary: 'Loose parts lag behind, overshoot and settle',
    keys: [
      'effects.overlap.gain',
      'effects.overlap.linear',
      'effects.floppy.linear',
      'effects.floppy.angular',
      'effects.drag.linear',
      'effects.drag.angular',
      'effects.followthrough.linear',
      'effects.followthrough.angular',
    ],
    limits: [
      'effects.overlap.max',
      'effects.overlap.max_linear',
      'effects.floppy.max_bend',
      'effects.drag.max_bend',
      'effects.followthrough.max_bend',
    ],
  },
];

/** What else a preset may be about. These sliders are there for styles that have them. */
export const FURTHER: readonly Word[] = [
  { name: 'hose', summary: 'Arms and legs bend in one even curve', keys: ['effects.hose.gain'], limits: [] },
  {
    name: 'spin',
    summary: 'A spin pulls parts outward',
    keys: ['effects.stretch.linear', 'effects.stretch.angular'],
    limits: [],
  },
  {
    name: 'lift',
    summary: 'A spin lifts skirts and ears',
    keys: ['effects.lift.linear', 'effects.lift.angular'],
    limits: [],
  },
  {
    name: 'smear',
    summary: 'Fast parts are stretched along their path',
    keys: ['smear.elongate.amount', 'smear.stretch.amount'],
    limits: [],
  },
  { name: 'ribbons', summary: 'Thin parts leave the surface they swept', keys: ['smear.ribbon.amount'], limits: [] },
  {
    name: 'copies',
    summary: 'Copies at past and future positions',
    keys: ['smear.multiples.past', 'smear.multiples.future'],
    limits: [],
    whole: true,
  },
  {
    name: 'lines',
    summary: 'Lines that follow the motion',
    keys: ['smear.strokes.count', 'smear.lines.count'],
    limits: [],
    whole: true,
  },
  {
    name: 'pull',
    summary: 'The skeleton is pulled along its motion',
    keys: ['exaggerate.filter.amount', 'exaggerate.strength'],
    limits: [],
  },
];

const MOST = 5; // sliders before all others

/** The words to show first for a style: those it has something of, or the five if it has nothing of any. */
export function mattering(base: Style): readonly Word[] {
  const found = [...WORDS, ...FURTHER].filter((word) => word.keys.some((path) => isSome(getKey(base, path))));
  return found.length ? found.slice(0, MOST) : WORDS;
}

const keyOf = (path: string) => KEYS.find((key) => key.path === path);
const groupOf = (path: string): string => path.slice(0, path.lastIndexOf('.'));
const isSome = (value: unknown): boolean => typeof value === 'string' || (typeof value === 'number' && value !== 0);

/** What 1 stands for: the style as it was chosen, or the preset cartoon if that has nothing of the word. */
function referenceOf(word: Word, base: Style, cartoon: Style): Style {
  return word.keys.some((path) => isSome(getKey(base, path))) ? base : cartoon;
}

const tidy = (value: number): number => Number(value.toPrecision(6));

/** A value times an amount, within the limits of its key. A formula stays one. */
function times(path: string, value: unknown, amount: number): number | string {
  if (typeof value === 'string') return amount === 0 ? 0 : amount === 1 ? value : `${amount} * (${value})`;
  return tidy(Math.min((value as number) * amount, keyOf(path)?.max ?? Infinity));
}

/** How many times the reference a value is. */
function ratio(value: unknown, reference: unknown): number {
  if (typeof value === 'number' && typeof reference === 'number') return value / reference;
  if (value === reference) return 1;
  const [, factor, formula] = /^([\d.]+) \* \((.*)\)$/s.exec(String(value)) ?? [];
  return factor !== undefined && formula === reference ? Number(factor) : typeof value === 'string' ? 1 : 0;
}

/** How much of a word a style has: 1 is as much as `base`. */
export function amountOf(word: Word, style: Style, base: Style, cartoon: Style): number {
  const reference = referenceOf(word, base, cartoon);
  const ratios = word.keys
    .filter((path) => isSome(getKey(reference, path)))
    .map((path) => ratio(getKey(style, path) ?? 0, getKey(reference, path)));
  return tidy(Math.max(...ratios, 0));
}

/** The style with another amount of a word. Effects that it lacks are taken from the reference. */
export function withAmount(word: Word, amount: number, style: Style, base: Style, cartoon: Style): Style {
  const reference = referenceOf(word, base, cartoon);
  const used = word.keys.filter((path) => isSome(getKey(reference, path)));
  const groups = new Set(used.map(groupOf));
  let next = style;
  for (const group of groups)
    if (getKey(next, group) === undefined) next = setKey(next, group, getKey(reference, group));
  for (const path of used) {
    const value = times(path, getKey(reference, path), amount);
    next = setKey(next, path, word.whole && typeof value === 'number' ? Math.round(value) : value);
  }
  for (const path of word.limits.filter((one) => groups.has(groupOf(one)))) {
    const own = getKey(reference, path);
    const limit = own ?? keyOf(path)?.default;
    if (isSome(limit) && (own !== undefined || amount !== 1))
      next = setKey(next, path, times(path, limit, amount || 1));
    else next = setKey(next, path, own);
  }
  return next;
}

/** The style with as much of a word as `base` has, by the same keys. */
export function asChosen(word: Word, style: Style, base: Style): Style {
  const paths = [...word.keys, ...word.limits];
  const groups = new Set(paths.map(groupOf));
  let next = style;
  for (const path of paths)
    if (getKey(next, groupOf(path)) !== undefined) next = setKey(next, path, getKey(base, path));
  for (const group of groups) {
    const now = getKey(next, group);
    const added = getKey(base, group) === undefined && now !== undefined;
    // What a slider switched on goes; of the rest, what is empty.
    if (added && (group.startsWith('effects.') || !Object.keys(now as object).length))
      next = setKey(next, group, undefined);
    else if (now === undefined && getKey(base, group) !== undefined) next = setKey(next, group, getKey(base, group));
  }
  return next;
}
