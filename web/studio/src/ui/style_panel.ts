// The style: presets, and a section for every part, generated from the engine's table of keys.
import { KEYS } from 'limber/engine';
import type { StyleKey } from 'limber/engine';
import type { App } from '../app';
import { getKey } from '../core/document';
import { EFFECTS, EXAGGERATE, isOn, SMEARS, switchPart } from '../core/effects';
import type { Part } from '../core/effects';
import { Signal } from '../core/signal';
import { h, once, sentence } from './dom';
import { jsonPanel } from './json_panel';
import { SUBDIVIDE, SUBDIVIDE_NOTE, keyRow } from './key_row';
import type { Row } from './key_row';
import { OF_PAPERS, presetCards, SHOWN } from './preset_cards';
import { readPreference, writePreference } from './preferences';
import { disclosure, section, segmented, toggle } from './widgets';
import { wordGroup } from './words';

const FILTER = 'effects.*.filter.';
const SIGNALS = ['velocity', 'angular_velocity', 'acceleration', 'angular_acceleration'];

/** Which keys apply to which type of filter: a low-pass has no frequency, a spring no gamma. */
function filterVisible(app: App, base: string, name: string): () => boolean {
  if (name === 'type') return () => true;
  return () => {
    const type = getKey(app.store.current.style, `${base}.type`) ?? 'none';
    return name === 'gamma' ? type === 'lowpass' : type === 'spring';
  };
}

class Panel {
  readonly rows: Row[] = [];
  private readonly refreshers: (() => void)[] = [];

  constructor(readonly app: App) {}

  row(key: StyleKey, path = key.path, visible?: () => boolean): HTMLElement {
    const made = keyRow(this.app, key, path, visible);
    this.rows.push(made);
    return made.element;
  }

  /** All of the style at once, then what matters of it. */
  words(): HTMLElement {
    const amount = keyRow(
      this.app,
      KEYS.find((key) => key.path === 'strength')!,
      'strength',
    );
    amount.element.querySelector('.key-name')!.textContent = 'Amount';
    const made = wordGroup(this.app, amount);
    this.rows.push(made);
    return made.element;
  }

  refresh(): void {
    if (!this.app.store.document.value) return;
    for (const row of this.rows) row.refresh();
    for (const refresh of this.refreshers) refresh();
  }

  private filterRows(base: string, prefix: string): HTMLElement[] {
    return KEYS.filter((key) => key.path.startsWith(prefix) && !key.path.slice(prefix.length).includes('.')).map(
      (key) => {
        const name = key.path.slice(prefix.length);
        return this.row(key, `${base}.${name}`, filterVisible(this.app, base, name));
      },
    );
  }

  /** How the motion is smoothed before an effect uses it: one filter for all signals, or one for each. */
  private filter(path: string): HTMLElement[] {
    const base = `${path}.filter`;
    const each = SIGNALS.map((signal) =>
      h(
        'div',
        { class: 'subgroup' },
        h('h4', {}, sentence(signal.replace('_', ' '))),
        this.filterRows(`${base}.${signal}`, `${FILTER}${signal}.`),
      ),
    );
    return [
      h('h4', { class: 'subtitle' }, 'Filter'),
      ...this.filterRows(base, FILTER),
      section('Filter per signal', each, { open: false, class: 'nested' }),
    ];
  }

  /** A section with a switch. Its rows are visible while it is on. */
  part(part: Part, body: HTMLElement[]): HTMLElement {
    const { app } = this;
    const flip = toggle(part.title, false, (on) => {
      app.store.change(`${on ? 'Switch on' : 'Switch off'} ${part.title.toLowerCase()}`, (document) =>
        switchPart(document, part.path, on, app.engine, app.session.value?.layerNames ?? []),
      );
      if (on) element.open = true;
      app.part.value = part.path;
    });
    const element = section(part.title, body, { open: false, head: [flip], color: part.color, class: 'part' });
    element.dataset.part = part.path;
    element.querySelector('.section-title')!.setAttribute('data-tip', part.summary);
    element.addEventListener('pointerdown', () => (app.part.value = part.path));
    element.addEventListener('focusin', () => (app.part.value = part.path));
    let was: boolean | undefined;
    this.refreshers.push(() => {
      const on = isOn(app.store.current.style, part.path);
      flip.checked = on;
      element.classList.toggle('off', !on);
      if (was === undefined && on) element.open = part.path === EFFECTS[0].path;
      if (was && !on) element.open = false;
      was = on;
    });
    return element;
  }

  effect(part: Part): HTMLElement {
    const prefix = `${part.path}.`;
    const name = part.path.split('.')[1];
    const own = KEYS.filter((key) => key.path.startsWith(prefix)).map((key) => this.row(key));
    const hasFilter = KEYS.some((key) => key.path.startsWith(FILTER) && key.effects.includes(name));
    return this.part(part, hasFilter ? [...own, ...this.filter(part.path)] : own);
  }

  group(part: Part, prefix = `${part.path}.`): HTMLElement {
    return this.part(
      part,
      KEYS.filter((key) => key.path.startsWith(prefix) && !key.path.includes('[')).map((key) => this.row(key)),
    );
  }

  keys(test: (key: StyleKey) => boolean): HTMLElement[] {
    return KEYS.filter(test).map((key) => this.row(key));
  }
}

/** What changes the clip itself, and the body as a whole. */
const ACTING = [
  { title: 'Timing', path: 'timing.' },
  { title: 'Pose', path: 'pose.' },
  { title: 'Body', path: 'body.' },
];

/** What happens after the effects. The tool Hold shows contacts, rigid parts and colliders, and corrects them. */
const GROUND = [
  { title: 'Contacts and floor', paths: ['contact', 'floor', 'contacts'] },
  { title: 'Landings', paths: ['impact.gain', 'impact.min_speed'] },
  { title: 'Rigid parts', paths: ['rigid'] },
  { title: 'Colliders', paths: ['colliders'] },
  { title: 'Wind and gravity', paths: ['wind', 'gravity'] },
];
const ELSEWHERE = ['limber', '$schema', 'baked', 'strength', ...GROUND.flatMap(({ paths }) => paths)];

/** A warning of the engine in an animator's words. */
function readableWarning(text: string): string {
  const [, path, layer] = /^([\w.]+)\.layer: no mesh has the layer '(.+)'/.exec(text) ?? [];
  if (!path) return text;
  const part = [...EFFECTS, ...SMEARS].find((one) => one.path === path)?.title ?? sentence(path.split('.').pop()!);
  return `${part} acts on the whole character: the layer “${layer}” is not painted yet.`;
}

function presets(app: App): HTMLElement[] {
  const cards = presetCards(app);
  const papers = section('From the papers', [cards.group(OF_PAPERS, 'Presets from the papers')], {
    open: false,
    class: 'papers',
    onopen: cards.drawVisible,
  });
  return [cards.group(SHOWN, 'Presets'), papers];
}

/** A section for every part of a style. */
function settings(panel: Panel): HTMLElement[] {
  return [
    h('h3', { class: 'heading' }, 'Acting'),
    ACTING.map(({ title, path }) =>
      section(
        title,
        panel.keys((key) => key.path.startsWith(path)),
        { open: false },
      ),
    ),
    h('h3', { class: 'heading' }, 'Effects'),
    EFFECTS.map((part) => panel.effect(part)),
    h('h3', { class: 'heading' }, 'Smears'),
    SMEARS.map((part) => panel.group(part)),
    section(
      'Offsets and timing',
      panel.keys((key) => key.path === 'smear.step' || /^smear\.(motion|offsets|burst)\./.test(key.path)),
      { open: false },
    ),
    h('h3', { class: 'heading' }, 'Skeleton'),
    panel.group(EXAGGERATE),
    h('h3', { class: 'heading' }, 'Ground and world'),
    GROUND.map(({ title, paths }) =>
      section(
        title,
        panel.keys((key) => paths.includes(key.path)),
        { open: false },
      ),
    ),
    h('h3', { class: 'heading' }, 'General'),
    section(
      'Character',
      panel.keys((key) => !key.path.includes('.') && !ELSEWHERE.includes(key.path)),
      { open: false },
    ),
  ].flat();
}

export function stylePanel(app: App): HTMLElement {
  const panel = new Panel(app);
  const warning = h('p', { class: 'style-fault', role: 'alert', hidden: true });
  const note = h('p', { class: 'style-note', hidden: true });
  const everything = h('div', { class: 'everything' }, settings(panel));
  const all = new Signal(readPreference('all-settings', false));
  all.watch((shown) => {
    everything.hidden = !shown;
    writePreference('all-settings', shown);
  });
  const body = h(
    'div',
    { class: 'scroll' },
    h('h3', { class: 'heading' }, 'Presets'),
    presets(app),
    panel.words(),
    warning,
    note,
    disclosure(all, { closed: 'All settings', open: 'Hide all settings' }),
    everything,
  );
  const showNotes = () => {
    const notes = (app.session.value?.toon.warnings ?? []).map(readableWarning);
    const { value } = app.store.document;
    if (value && isOn(value.style, 'smear.elongate') && Number(getKey(value.style, SUBDIVIDE) ?? 0) > 0)
      notes.push(SUBDIVIDE_NOTE);
    note.hidden = !notes.length;
    note.textContent = [...new Set(notes)].join('\n');
  };
  const tab = new Signal<'panels' | 'json'>('panels');
  const json = jsonPanel(app);
  tab.watch((now) => {
    body.hidden = now !== 'panels';
    json.hidden = now !== 'json';
  });
  const refresh = once(() => {
    panel.refresh();
    showNotes();
  });
  app.store.document.listen((_, before) => {
    if (!before) panel.refresh(); // nothing is drawn before it is right
    refresh();
  });
  app.session.listen(refresh);
  app.styleFault.watch((fault) => {
    warning.hidden = !fault;
    warning.textContent = fault ?? '';
  });
  return h(
    'div',
    { class: 'style-panel' },
    h(
      'div',
      { class: 'panel-tabs' },
      h('h2', {}, 'Style'),
      segmented('Show the style as', tab, [
        { value: 'panels', text: 'Panels' },
        { value: 'json', text: 'JSON', tip: 'The style file as text' },
      ]),
    ),
    body,
    json,
  );
}
