// The parts of a style that can be switched on and off, and their initial values.
import { PRESETS } from 'limber/engine';
import type { Engine, Style } from 'limber/engine';
import { getKey, setKey } from './document';
import type { Document } from './document';

export interface Part {
  /** Path in the style. */
  path: string;
  title: string;
  summary: string;
  /** A CSS variable; used for headings and curves. */
  color: string;
}

export const EFFECTS: readonly Part[] = [
  {
    path: 'effects.overlap',
    title: 'Overlap',
    summary: 'Parts lag behind, overshoot and settle',
    color: 'var(--overlap)',
  },
  { path: 'effects.floppy', title: 'Floppy', summary: 'Parts trail behind their joint', color: 'var(--floppy)' },
  {
    path: 'effects.squash',
    title: 'Squash and stretch',
    summary: 'Parts get longer along the motion and thinner across it',
    color: 'var(--squash)',
  },
  { path: 'effects.drag', title: 'Drag', summary: 'Parts lag behind when a motion starts', color: 'var(--drag)' },
  {
    path: 'effects.followthrough',
    title: 'Follow-through',
    summary: 'Parts keep moving when a motion stops',
    color: 'var(--followthrough)',
  },
  { path: 'effects.stretch', title: 'Spin stretch', summary: 'A spin pulls parts outward', color: 'var(--stretch)' },
  {
    path: 'effects.hose',
    title: 'Rubber hose',
    summary: 'Arms and legs bend in one even curve, without knees and elbows',
    color: 'var(--hose)',
  },
  { path: 'effects.lift', title: 'Lift', summary: 'A spin lifts skirts and ears', color: 'var(--lift)' },
];

export const SMEARS: readonly Part[] = [
  {
    path: 'smear.elongate',
    title: 'Elongation',
    summary: 'Fast parts are stretched along their path',
    color: 'var(--smear)',
  },
  {
    path: 'smear.multiples',
    title: 'In-between copies',
    summary: 'Copies at past and future positions',
    color: 'var(--smear)',
  },
  { path: 'smear.lines', title: 'Motion lines', summary: 'Lines that follow the motion', color: 'var(--smear)' },
  {
    path: 'smear.stretch',
    title: 'Stretch as drawn',
    summary: 'Thick parts reach back to the last drawing',
    color: 'var(--smear)',
  },
  { path: 'smear.ribbon', title: 'Ribbons', summary: 'Thin parts leave the surface they swept', color: 'var(--smear)' },
  { path: 'smear.strokes', title: 'Strokes', summary: 'A few ink lines behind ribbons', color: 'var(--smear)' },
];

export const EXAGGERATE: Part = {
  path: 'exaggerate',
  title: 'Exaggerate the clip',
  summary: 'Anticipation, overshoot, and pulled joints',
  color: 'var(--exaggerate)',
};

const BEGINNINGS: Record<string, unknown> = {
  'smear.elongate': { amount: 'offset * smoothstep(0.01, 0.06, speed)', past: 2, future: 0.7, max: 3 },
  'smear.multiples': { past: 2, future: 1 },
  'smear.lines': { count: 60 },
  exaggerate: { filter: { amount: 0.5, sigma: 0.12 } },
};

/** The values of a part when it is first switched on, taken from the first preset that has it. */
function beginning(engine: Engine, path: string, layers: readonly string[]): unknown {
  const known =
    BEGINNINGS[path] ??
    PRESETS.map(({ name }) => getKey(engine.parseStyle(name), path)).find((one) => one !== undefined) ??
    {};
  if (typeof known !== 'object' || known === null || !('layer' in known)) return known;
  const { layer, ...rest } = known as { layer: string };
  return layers.includes(layer) ? known : rest;
}

export const isOn = (style: Style, path: string): boolean => getKey(style, path) !== undefined;

/** Switches a part on or off. The values of a part that is off are kept on the shelf. */
export function switchPart(
  document: Document,
  path: string,
  on: boolean,
  engine: Engine,
  layers: readonly string[],
): Document {
  const { style, shelf } = document;
  if (on) return { ...document, style: setKey(style, path, shelf[path] ?? beginning(engine, path, layers)) };
  return { ...document, style: setKey(style, path, undefined), shelf: { ...shelf, [path]: getKey(style, path) } };
}
