// The joint settings of a style: which pattern applies, and how to change it for a joint or a branch.
import type { Style } from 'limber/engine';
import { EFFECTS } from '../../core/effects';
import type { Part } from '../../core/effects';
import type { JointNode } from '../../core/session';

export type Gain = number | string;
type Entry = Readonly<Record<string, unknown>>;
type Entries = Readonly<Record<string, Entry>>;

/** The parts of an effect. */
export const partsOf = (effect: string): readonly string[] =>
  effect === 'stretch' || effect === 'lift' ? ['angular'] : ['linear', 'angular'];

export const effectName = (part: Part): string => part.path.split('.')[1];

const NAMES = EFFECTS.map(effectName);
const isGain = (key: string): boolean => key === '*' || NAMES.includes(key.split('.')[0]);

const entriesOf = (style: Style): Entries => (style.joints ?? {}) as Entries;
const withEntries = (style: Style, joints: Entries): Style => {
  if (Object.keys(joints).length) return { ...style, joints: joints as Style['joints'] };
  const { joints: _none, ...rest } = style;
  return rest as Style;
};

/** Whether a name matches a pattern; a star matches any characters. */
export function matches(name: string, pattern: string): boolean {
  if (!pattern.includes('*')) return name === pattern;
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  ).test(name);
}

export interface Found {
  value: Gain;
  /** The pattern that sets the gain; undefined if none does. */
  from?: string;
}

/**
 * The gain of a part of an effect for a joint. Later patterns win. Within a pattern, a part wins over its effect, and
 * an effect over "*".
 */
export function gainOf(style: Style, joint: string, effect: string, part: string): Found {
  let found: Found = { value: 1 };
  for (const [pattern, entry] of Object.entries(entriesOf(style))) {
    if (!matches(joint, pattern)) continue;
    const value = entry[`${effect}.${part}`] ?? entry[effect] ?? entry['*'];
    if (value !== undefined) found = { value: value as Gain, from: pattern };
  }
  return found;
}

/** Whether all effects of a joint are off. */
export const isOff = (style: Style, joint: string): boolean =>
  NAMES.every((effect) => partsOf(effect).every((part) => gainOf(style, joint, effect, part).value === 0));

/** Whether the style sets any gain of the joint. */
export const isChanged = (style: Style, joint: string): boolean =>
  NAMES.some((effect) => partsOf(effect).some((part) => gainOf(style, joint, effect, part).value !== 1));

/** The settings under the joint's own name. */
export const ownEntry = (style: Style, joint: string): Entry => entriesOf(style)[joint] ?? {};

/** Returns the style with a key of a joint set, placed so that no pattern overrides it; undefined removes the key. */
export function setOwn(style: Style, joint: string, key: string, value: unknown): Style {
  const { [joint]: before = {}, ...others } = entriesOf(style);
  const { [key]: _old, ...rest } = before;
  const entry: Entry = value === undefined ? rest : { ...rest, [key]: value };
  const kept = Object.keys(entry).length ? entry : undefined;
  const names = Object.keys(entriesOf(style));
  const at = names.indexOf(joint);
  const overruled = names.slice(at + 1).some((pattern) => matches(joint, pattern));
  if (at < 0 || overruled || !kept) return withEntries(style, kept ? { ...others, [joint]: kept } : others);
  return withEntries(style, { ...entriesOf(style), [joint]: kept });
}

// --- branches ---

/** A joint and all its descendants. */
export function branchOf(joints: readonly JointNode[], joint: number): JointNode[] {
  const inside = new Set([joint]);
  for (const { index, parent } of joints) if (inside.has(parent)) inside.add(index);
  return joints.filter(({ index }) => inside.has(index));
}

/** A pattern such as "Tail*" that matches exactly the branch. */
export function patternOf(joints: readonly JointNode[], branch: readonly JointNode[]): string | undefined {
  const names = branch.map((one) => one.name);
  let common = names[0] ?? '';
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  if (names.length < 2 || common.length < 2) return undefined;
  const pattern = `${common}*`;
  return joints.filter(({ name }) => matches(name, pattern)).length === branch.length ? pattern : undefined;
}

const withoutGains = (entry: Entry): Entry => Object.fromEntries(Object.entries(entry).filter(([key]) => !isGain(key)));

/** Switches the effects of these joints off: with one pattern if possible, else by name. */
export function branchOff(style: Style, joints: readonly JointNode[], branch: readonly JointNode[]): Style {
  const pattern = patternOf(joints, branch);
  const { [pattern ?? '']: same = {}, ...others } = entriesOf(style);
  if (pattern) return withEntries(style, { ...others, [pattern]: { ...withoutGains(same), '*': 0 } });
  const all = { ...entriesOf(style) };
  for (const { name } of branch) {
    const entry = withoutGains(all[name] ?? {});
    delete all[name];
    all[name] = { ...entry, '*': 0 };
  }
  return withEntries(style, all);
}

/** Removes the zeros of a branch. If a wider pattern still sets 0, the joint gets its own 1. */
export function branchOn(style: Style, joints: readonly JointNode[], branch: readonly JointNode[]): Style {
  const inside = new Set(branch.map((one) => one.name));
  const kept = Object.entries(entriesOf(style))
    .map(([pattern, entry]): [string, Entry] => {
      const ours = entry['*'] === 0 && joints.every(({ name }) => !matches(name, pattern) || inside.has(name));
      if (!ours) return [pattern, entry];
      const { '*': _zero, ...rest } = entry;
      return [pattern, rest];
    })
    .filter(([, entry]) => Object.keys(entry).length);
  let next = withEntries(style, Object.fromEntries(kept));
  for (const { name } of branch) if (isOff(next, name)) next = setOwn(next, name, '*', 1);
  return next;
}

/** Removes everything under the joint's own name. */
export function forget(style: Style, joint: string): Style {
  const { [joint]: _gone, ...others } = entriesOf(style);
  return withEntries(style, others);
}
