// The panel of the tool: switches, a legend in plain words, and the list of corrections.
import { KEYS } from 'limber/engine';
import { getKey } from '../../core/document';
import { h, once, sentence, svg } from '../../ui/dom';
import { ICONS } from '../../ui/icons';
import { keyRow } from '../../ui/key_row';
import type { Row } from '../../ui/key_row';
import { button, segmented, select, toggle } from '../../ui/widgets';
import { ADDED, css, HELD, LOOSE, PARTS, REMOVED, SKIN } from './colors';
import type { Rgb } from './colors';
import type { Correction } from './contacts';
import type { Hold, Mode } from './hold';
import { KINDS, LAYER } from './rigid';
import type { Kind } from './rigid';

const swatch = (color: string, text: string, kind = ''): HTMLElement =>
  h('li', {}, h('span', { class: `swatch ${kind}`, style: `--swatch:${color}`, 'aria-hidden': 'true' }), text);

const legend = (...rows: HTMLElement[]): HTMLElement => h('ul', { class: 'legend', 'aria-label': 'Colors' }, rows);

const many = (colors: readonly Rgb[]): string =>
  `linear-gradient(90deg, ${colors.map((one, i) => `${css(one)} ${(100 * i) / colors.length}% ${(100 * (i + 1)) / colors.length}%`).join(', ')})`;

export class HoldPanel {
  readonly element: HTMLElement;
  private readonly rows: Row[] = [];
  private readonly refreshers: (() => void)[] = [];
  private readonly stops: (() => void)[] = [];

  constructor(private readonly hold: Hold) {
    const bodies: Record<Mode, HTMLElement> = {
      contacts: this.contactsBody(),
      rigid: this.rigidBody(),
      colliders: this.collidersBody(),
    };
    this.element = h(
      'div',
      { class: 'tool-body hold-tool' },
      segmented('What to show', hold.mode, [
        { value: 'contacts', text: 'Contacts', tip: 'What stands on the ground' },
        { value: 'rigid', text: 'Parts', tip: 'Parts that keep their shape: swords, helmets, eyes' },
        { value: 'colliders', text: 'Colliders', tip: 'Bodies that skin stays out of' },
      ]),
      Object.values(bodies),
    );
    const refresh = once(() => this.refresh());
    this.stops.push(
      hold.picked.listen((part) => {
        const row = this.element.querySelectorAll<HTMLSelectElement>('.parts select')[part];
        row?.scrollIntoView({ block: 'nearest' });
        row?.focus();
      }),
      hold.mode.watch((mode) => {
        for (const [name, body] of Object.entries(bodies)) body.hidden = name !== mode;
        refresh();
      }),
      hold.app.store.document.listen(refresh),
    );
    this.refresh();
  }

  private row(path: string): HTMLElement {
    const made = keyRow(
      this.hold.app,
      KEYS.find((key) => key.path === path)!,
      path,
    );
    this.rows.push(made);
    return made.element;
  }

  /** A switch for a key that has a word or number for on and for off. */
  private flip(text: string, tip: string, path: string, on: unknown, off: unknown, isOn: () => boolean): HTMLElement {
    const { app } = this.hold;
    const input = toggle(text, false, (now) => {
      app.setKey(path, now ? on : off);
      app.store.settle();
    });
    this.refreshers.push(() => (input.checked = isOn()));
    return h('label', { class: 'tool-row', 'data-tip': tip }, h('span', {}, text), input);
  }

  private contactsBody(): HTMLElement {
    const { hold } = this;
    const list = h('ul', { class: 'plain-list corrections', 'aria-label': 'Corrections' });
    const note = h('p', { class: 'tool-note faint' });
    this.refreshers.push(() => {
      list.replaceChildren(...hold.contacts.corrections.map((one, i) => this.correction(one, i)));
      const { levels } = hold.contacts;
      note.textContent = levels.length
        ? `Floor at ${levels.map((one) => String(Number(one.toPrecision(3)))).join(', ')}.`
        : 'No floor is found: nothing stands in this clip.';
    });
    return h(
      'div',
      {},
      this.flip(
        'Feet stay put',
        'What stands on the ground is not moved by effects',
        'contact',
        1,
        undefined,
        () => hold.contacts.isOn,
      ),
      legend(
        swatch(css(HELD), 'Held: stands on the ground'),
        swatch(css(SKIN), 'Free: effects move it'),
        swatch(css(ADDED), 'You said: it stands', 'ring'),
        swatch(css(REMOVED), 'You said: it does not', 'ring'),
      ),
      h('p', { class: 'tool-note' }, 'Click a foot or a hand to correct it:'),
      segmented('A click corrects', hold.scope, [
        { value: 'moment', text: 'This step', tip: 'This contact only' },
        { value: 'clip', text: 'Clip', tip: 'The whole clip' },
        { value: 'all', text: 'All clips' },
      ]),
      list,
      this.row('contact'),
      this.row('floor'),
      note,
    );
  }

  private correction(one: Correction, index: number): HTMLElement {
    const { hold } = this;
    const joint = hold.session.labelOf(one.joint);
    const seconds = one.to === undefined ? '' : ` ${(one.from ?? 0).toFixed(2)}–${one.to.toFixed(2)} s`;
    const what = one.shift !== undefined ? 'is moved in time' : one.amount === 0 ? 'does not stand' : 'stands';
    const text = `${joint} ${what}`;
    const remove = h(
      'button',
      {
        type: 'button',
        class: 'icon-button small',
        'aria-label': `Take back: ${text}`,
        'data-tip': 'Take this back',
        onclick: () =>
          hold.contacts.put(
            `Take back: ${text}`,
            hold.contacts.corrections.filter((_, i) => i !== index),
          ),
      },
      svg(ICONS.close),
    );
    return h(
      'li',
      { title: one.joint },
      h('span', {}, text),
      h('small', {}, `${one.clip ?? 'all clips'}${seconds}`),
      remove,
    );
  }

  private rigidBody(): HTMLElement {
    const { hold } = this;
    const list = h('ul', { class: 'plain-list parts', 'aria-label': 'Rigid parts' });
    const note = h('p', { class: 'tool-note faint' });
    this.refreshers.push(() => {
      if (hold.mode.value !== 'rigid') return;
      const { parts, ofVertex } = hold.rigid.actual;
      const { ofVertex: possible, parts: all } = hold.rigid.possible;
      const found = all.length;
      const stiff = new Set(possible.filter((part, u) => part >= 0 && ofVertex[u] >= 0)).size;
      const colorOf = (part: number) => PARTS[Math.max(possible[ofVertex.indexOf(part)], 0) % PARTS.length];
      const focused = [...list.querySelectorAll('select')].indexOf(document.activeElement as HTMLSelectElement);
      list.replaceChildren(...parts.map((_, i) => this.part(i, css(colorOf(i)))));
      list.querySelectorAll('select')[focused]?.focus({ preventScroll: true });
      note.textContent = !found
        ? 'No part of this character is stiff by itself.'
        : `${hold.rigid.isPainted ? parts.length : stiff} of ${found} parts keep their shape.${hold.rigid.isPainted ? ` The layer “${LAYER}” says which.` : ''}`;
    });
    return h(
      'div',
      {},
      this.flip(
        'Props keep their shape',
        'Swords, helmets, horns and eyes do not bend',
        'rigid',
        'auto',
        undefined,
        () => hold.rigid.isOn,
      ),
      legend(
        swatch(many(PARTS), 'Stiff: keeps its shape'),
        swatch(css(LOOSE), 'Could be stiff, but bends'),
        swatch(css(SKIN), 'Skin: bends'),
      ),
      h(
        'p',
        { class: 'tool-note' },
        'Click a part to keep it stiff or let it bend; Shift + click finds it in the list.',
      ),
      note,
      list,
    );
  }

  /** A part in the list, and what it is: a mass, a prop, an appendage, or what was found. */
  private part(index: number, tint: string): HTMLElement {
    const { hold } = this;
    const part = hold.rigid.actual.parts[index];
    const { found, said, aim } = hold.rigid.kindOf(index);
    const name = hold.rigid.nameOf(part);
    const kind = select(
      `What ${name} is`,
      [
        { value: '', text: said ? `Found: ${found}` : sentence(found) },
        ...KINDS.filter((one) => one !== found || said === one).map((one) => ({ value: one, text: sentence(one) })),
      ],
      said ?? '',
      (value) => aim && hold.setKind(aim, value ? (value as Kind) : undefined),
    );
    kind.classList.add('small');
    kind.classList.toggle('set', said !== undefined);
    kind.disabled = aim?.pattern === undefined;
    const others = aim && aim.count > 1 ? `, with ${aim.count - 1} more of this name` : '';
    return h(
      'li',
      {
        title: `${name}${others}: ${part.vertexCount.toLocaleString('en')} vertices`,
        onpointerenter: () => hold.point(aim?.vertices),
        onpointerleave: () => hold.point(undefined),
      },
      h('span', { class: 'dot', style: `background:${tint}` }),
      h('span', {}, name),
      kind,
    );
  }

  private collidersBody(): HTMLElement {
    const { app } = this.hold;
    const note = h('p', { class: 'tool-note faint' });
    this.refreshers.push(() => {
      const own = getKey(app.store.current.style, 'colliders');
      note.textContent = Array.isArray(own)
        ? `${own.length} colliders of the style.`
        : 'The wires are the bodies that limber finds around the bones.';
    });
    return h(
      'div',
      {},
      this.flip(
        'Skin stays out',
        'Effects do not push arms, ears and cloth into the body',
        'colliders',
        'auto',
        undefined,
        () => (getKey(app.store.current.style, 'colliders') ?? 'none') !== 'none',
      ),
      legend(swatch('#3a86c8', 'Bodies that skin stays out of', 'ring')),
      note,
      button('List them', () => {
        const list = document.querySelector<HTMLDetailsElement>('.outliner .colliders');
        if (list) list.open = true;
        list?.scrollIntoView({ block: 'nearest' });
      }),
    );
  }

  refresh(): void {
    if (!this.hold.app.store.document.value) return;
    for (const row of this.rows) row.refresh();
    for (const one of this.refreshers) one();
  }

  stop(): void {
    this.stops.forEach((stop) => stop());
  }
}
