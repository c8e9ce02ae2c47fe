// The smears tool: motion offsets, the three kinds of smears, and onion skin.
import { KEYS } from 'limber/engine';
import type { App } from '../../app';
import { isOn, SMEARS, switchPart } from '../../core/effects';
import type { Part } from '../../core/effects';
import { h, once } from '../../ui/dom';
import { keyRow } from '../../ui/key_row';
import type { Row } from '../../ui/key_row';
import { numberField } from '../../ui/number_field';
import { readPreference, writePreference } from '../../ui/preferences';
import { section, toggle } from '../../ui/widgets';
import { OFFSET_COLORS, OffsetView } from './offsets';
import { Onion } from './onion';
import type { OnionSettings } from './onion';
import type { Tool } from '../tool';

const ICON =
  '<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="13.5" cy="10" r="3.5" fill="currentColor" fill-opacity=".35"/><path d="M2.5 7h6M4.5 10h3.5M2.5 13h6"/></svg>';

/** The most important keys; the style panel has all of them. */
const SHOWN: Record<string, string[]> = {
  'smear.elongate': ['amount', 'past', 'future'],
  'smear.multiples': ['past', 'future', 'overlap', 'spacing', 'opacity'],
  'smear.lines': ['count', 'length', 'radius', 'opacity'],
  'smear.stretch': ['amount', 'body'],
  'smear.ribbon': ['amount', 'age', 'streaks'],
  'smear.strokes': ['count'],
};

class SmearPanel {
  readonly rows: Row[] = [];
  readonly flips: { part: Part; input: HTMLInputElement; element: HTMLDetailsElement }[] = [];
  readonly element: HTMLElement;

  constructor(
    private readonly app: App,
    readonly settings: { offsets: boolean; onion: OnionSettings },
  ) {
    this.element = h(
      'div',
      { class: 'tool-body smear-tool' },
      this.offsetPart(),
      SMEARS.map((part) => this.kindPart(part)),
      this.onionPart(),
    );
    this.refresh();
  }

  private changed(): void {
    writePreference('smears', this.settings);
    this.app.viewer.invalidate();
  }

  private offsetPart(): HTMLElement {
    const flip = toggle('Show offsets', this.settings.offsets, (on) => {
      this.settings.offsets = on;
      this.changed();
    });
    const { trails, none, leads } = OFFSET_COLORS;
    return h(
      'div',
      { class: 'smear-offsets' },
      h('label', { class: 'tool-row' }, h('span', {}, 'Show offsets'), flip),
      h(
        'div',
        { class: 'offset-legend', 'aria-hidden': 'true' },
        h('span', {}, 'Trailing'),
        h('span', { class: 'offset-bar', style: `background:linear-gradient(90deg, ${trails}, ${none}, ${leads})` }),
        h('span', {}, 'Leading'),
      ),
    );
  }

  private kindPart(part: Part): HTMLElement {
    const { app } = this;
    const input = toggle(part.title, false, (on) => {
      app.store.change(`${on ? 'Switch on' : 'Switch off'} ${part.title.toLowerCase()}`, (document) =>
        switchPart(document, part.path, on, app.engine, app.session.value?.layerNames ?? []),
      );
      element.open = on;
      app.part.value = part.path;
    });
    const keys = SHOWN[part.path]
      .map((name) => KEYS.find((key) => key.path === `${part.path}.${name}`))
      .filter((key) => key !== undefined);
    const rows = keys.map((key) => keyRow(app, key, key.path));
    this.rows.push(...rows);
    const element = section(
      part.title,
      rows.map((row) => row.element),
      { open: isOn(app.store.current.style, part.path), head: [input], color: part.color, class: 'part' },
    );
    this.flips.push({ part, input, element });
    return element;
  }

  private onionPart(): HTMLElement {
    const { onion } = this.settings;
    const number = (
      label: string,
      key: 'before' | 'after' | 'spacing' | 'strength',
      from: number,
      to: number,
      whole = true,
    ) => {
      const field = numberField({
        label,
        from,
        to,
        min: from,
        max: to,
        whole,
        change: (value) => {
          onion[key] = Number(value);
          this.changed();
          return undefined;
        },
      });
      field.set(onion[key]);
      return h('div', { class: 'tool-row' }, h('span', {}, label), field.element);
    };
    const flip = toggle('Onion skin', onion.on, (on) => {
      onion.on = on;
      element.open = on;
      this.changed();
    });
    const element = section(
      'Onion skin',
      [
        number('Before', 'before', 0, 8),
        number('After', 'after', 0, 8),
        number('Spacing', 'spacing', 1, 10),
        number('Strength', 'strength', 0.1, 1, false),
      ],
      { open: onion.on, head: [flip] },
    );
    return element;
  }

  toggleSetting(which: 'offsets' | 'onion'): void {
    const input = this.element.querySelector<HTMLInputElement>(
      `[aria-label="${which === 'offsets' ? 'Show offsets' : 'Onion skin'}"]`,
    )!;
    input.click();
  }

  refresh(): void {
    const { style } = this.app.store.current;
    for (const row of this.rows) row.refresh();
    for (const { part, input, element } of this.flips) {
      input.checked = isOn(style, part.path);
      element.classList.toggle('off', !input.checked);
    }
  }
}

export const smearsTool: Tool<App> = {
  id: 'smears',
  name: 'Smears',
  summary: 'Elongation, in-between copies and motion lines; onion skin',
  icon: ICON,
  key: 'm',
  start: (app: App) => {
    const session = app.session.value!;
    const offsets = new OffsetView(session);
    const onion = new Onion(session);
    const defaults = { offsets: true, onion: { on: false, before: 2, after: 2, spacing: 2, strength: 0.8 } };
    const panel = new SmearPanel(app, { ...defaults, ...readPreference('smears', {}) });
    const refresh = once(() => app.store.document.value && panel.refresh());
    const stop = app.store.document.listen(refresh);
    app.viewer.helpers.add(onion.group);
    return {
      panel: panel.element,
      keys: [
        { key: 'o', label: 'Show or hide the onion skin', run: () => panel.toggleSetting('onion') },
        { key: 'Shift+o', label: 'Show or hide the offsets', run: () => panel.toggleSetting('offsets') },
      ],
      show: () => {
        const { clip } = app.store.current;
        const time = app.player.time.value;
        onion.show(clip, time, panel.settings.onion);
        if (panel.settings.offsets) offsets.show(clip, time);
        else offsets.hide();
        return false;
      },
      stop: () => {
        stop();
        onion.dispose();
        offsets.dispose();
        app.viewer.invalidate();
      },
    };
  },
};
