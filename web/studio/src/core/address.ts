// What the address of the studio asks for: ?character=dog&clip=jump&style=cartoon, where the style may be JSON, too.
import type { Style, StyleSource } from 'limber/engine';

/** What `limber studio` was started with (session.json). */
export interface Served {
  name?: string;
  file?: string;
  styleName?: string;
  style?: Style;
}

export interface Asked {
  character: string;
  clip?: string;
  style?: StyleSource;
}

/** Takes the request out of the address, so that a reload shows what has become of it. */
export function takeAsked(): Asked | undefined {
  const words = new URLSearchParams(window.location.search);
  const character = words.get('character');
  if (!character || !/^[a-z]+$/.test(character)) return undefined;
  window.history.replaceState(null, '', window.location.pathname + window.location.hash);
  return {
    character,
    clip: words.get('clip') ?? undefined,
    style: (words.get('style') ?? undefined) as StyleSource | undefined,
  };
}
