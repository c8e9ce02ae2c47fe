// Sliders for the five words: timing, pose, anticipation, squash, drag.
import type { App } from '../app';
import type { Style } from 'limber/engine';
import { amountOf, asChosen, withAmount, WORDS } from '../core/words';
import type { Word } from '../core/words';
import { h, sentence } from './dom';
import type { Row } from './key_row';
import { numberField } from './number_field';
import { iconButton } from './widgets';

const MAX = 2;

function wordRow(app: App, word: Word): Row {
  const cartoon = app.engine.parseStyle('cartoon');
  const use = (next: Style, dragging: boolean): string | undefined => {
    const same = JSON.stringify(next) === JSON.stringify(app.store.current.style); // as at the end of a drag
    const merge = dragging ? `word-${word.name}` : undefined;
    const fault = same ? undefined : app.changeStyle(`Change ${word.name}`, () => next, merge);
    if (!dragging) app.store.settle();
    return fault;
  };
  const field = numberField({
    label: sentence(word.name),
    from: 0,
    to: MAX,
    min: 0,
    max: MAX,
    change: (value, dragging) => {
      const { style, base } = app.store.current;
      return use(withAmount(word, Number(value), style, base, cartoon), dragging);
    },
  });
  const goBack = () => {
    const { style, base } = app.store.current;
    use(asChosen(word, style, base), false);
  };
  const reset = iconButton('reset', `${sentence(word.name)} as it was chosen`, goBack, { class: 'reset' });
  const element = h(
    'div',
    { class: 'key-row word-row', 'data-word': word.name },
    h('span', { class: 'key-name', 'data-tip': `${word.summary}.\n1: as chosen, 0: none` }, sentence(word.name)),
    field.element,
    reset,
  );
  return {
    element,
    refresh: () => {
      const { style, base } = app.store.current;
      const amount = amountOf(word, style, base, cartoon);
      element.classList.toggle('set', amount !== amountOf(word, base, base, cartoon));
      field.set(amount);
    },
  };
}

export const wordRows = (app: App): Row[] => WORDS.map((word) => wordRow(app, word));
