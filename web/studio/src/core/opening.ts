// Which style a character wears when it is opened.
import { LimberError } from 'limber/engine';
import type { Engine, Style, StyleSource } from 'limber/engine';
import type { Loaded } from './load';
import { withoutOwn } from './presets';
import { Session } from './session';

/** What is known before the file is read. */
export interface Wish {
  /** The style that was asked for. */
  style?: StyleSource;
  /** The style that is worn now. */
  current?: Style;
  /** No other style will do. */
  only?: boolean;
}

/**
 * The character with the style that was asked for, else that of the file, else the current style if it fits, else what
 * of it is not about the last character, else cartoon. Effects that are already baked into the file are not applied
 * again.
 */
export async function openFitting(engine: Engine, loaded: Loaded, { style, current, only }: Wish): Promise<Session> {
  const styles: (StyleSource | undefined)[] = only
    ? [style ?? {}]
    : [style, loaded.style?.baked ? {} : loaded.style, current, current && withoutOwn(current), 'cartoon'];
  for (const [i, one] of styles.entries()) {
    if (one === undefined) continue;
    try {
      return await Session.open(engine, loaded, engine.parseStyle(one));
    } catch (error) {
      if (i === styles.length - 1 || !(error instanceof LimberError)) throw error;
    }
  }
  throw new Error('no style fits this character');
}
