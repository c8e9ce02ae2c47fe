// The sliders that matter: the amount of the whole style, then the words that the chosen style has something of. The
// others are one click away.
import type { App } from '../app';
import type { Style } from 'limber/engine';
import { getKey } from '../core/document';
import { amountOf, asChosen, FURTHER, mattering, withAmount, WORDS } from '../core/words';
import type { Word } from '../core/words';
import { Signal } from '../core/signal';
import { h, sentence } from './dom';
import type { Row } from './key_row';
import { numberField } from './number_field';
import { disclosure, iconButton } from './widgets';

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

/** The group of sliders below the presets; `amount` is the row of the whole style. */
export function wordGroup(app: App, amount: Row): Row {
  const all = [...WORDS, ...FURTHER];
  const rows = all.map((word) => wordRow(app, word));
  const more = new Signal(false);
  const button = disclosure(more, { closed: 'More sliders', open: 'Fewer sliders' });
  const place = () => {
    const { base } = app.store.current;
    const first = mattering(base);
    const known = [...first, ...WORDS, ...FURTHER.filter((word) => word.keys.some((path) => getKey(base, path)))];
    rows.forEach(({ element }, i) => (element.hidden = !(more.value ? known : first).includes(all[i])));
    button.hidden = known.every((word) => first.includes(word));
  };
  more.listen(place);
  const element = h(
    'div',
    { class: 'words', role: 'group', 'aria-label': 'Amounts' },
    amount.element,
    rows.map((row) => row.element),
    button,
  );
  return {
    element,
    refresh: () => {
      amount.refresh();
      for (const row of rows) row.refresh();
      place();
    },
  };
}
