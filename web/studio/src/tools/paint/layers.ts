// Which effects use which layers.
import { KEYS } from 'limber/engine';
import type { Style } from 'limber/engine';
import { EFFECTS } from '../../core/effects';
import type { Part } from '../../core/effects';
import { getKey } from '../../core/document';

const LAYER_KEYS = KEYS.map((key) => key.path).filter((path) => path.endsWith('.layer') && !path.includes('*'));

/** Effects that can use a layer. */
export const LAYERED: readonly Part[] = EFFECTS;

export const layerOf = (style: Style, part: Part): string | undefined => {
  const name = getKey(style, `${part.path}.layer`);
  return typeof name === 'string' && name ? name.toLowerCase() : undefined;
};

/** The layers named in a style, in the order of its keys. */
export function layersAsked(style: Style): string[] {
  const paths = new Set([...EFFECTS.map((part) => `${part.path}.layer`), ...LAYER_KEYS]);
  const names = [...paths]
    .map((path) => getKey(style, path))
    .filter((name): name is string => typeof name === 'string' && name !== '');
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/** Why a layer name is invalid, or undefined. */
export function nameFault(name: string): string | undefined {
  if (!name) return 'A layer needs a name';
  return /^[a-z0-9_]{1,60}$/.test(name) ? undefined : 'Letters, digits and underscores only';
}
