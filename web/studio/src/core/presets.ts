// Presets: they replace the style, but not what was made for this character by hand.
import type { Style } from 'limber/engine';
import { getKey, setKey } from './document';

/** Lists of edits and corrections that name joints or clips of the character. */
const OWN = ['joints', 'contacts', 'timing.holds', 'exaggerate.constraints', 'colliders', 'rigid'];

const isOwn = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The preset with the skeleton edits, corrections and settings of joints in `before`. */
export function withOwn(preset: Style, before: Style): Style {
  return OWN.reduce((style, path) => {
    const value = getKey(before, path);
    return isOwn(value) ? setKey(style, path, value) : style;
  }, preset);
}

/** The style without what was made for one character by hand. */
export function withoutOwn(style: Style): Style {
  return OWN.reduce((rest, path) => (isOwn(getKey(rest, path)) ? setKey(rest, path, undefined) : rest), style);
}
