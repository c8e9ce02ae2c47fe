// The panel of the tool: switches, a legend in plain words, and the list of corrections.
import { KEYS } from 'limber/engine';
import { getKey } from '../../core/document';
import { h, once, svg } from '../../ui/dom';
import { ICONS } from '../../ui/icons';
import { keyRow } from '../../ui/key_row';
import type { Row } from '../../ui/key_row';
import { button, segmented, toggle } from '../../ui/widgets';
import { ADDED, css, HELD, LOOSE, PARTS, REMOVED, SKIN } from './colors';
import type { Rgb } from './colors';
import type { Correction } from './contacts';
import type { Hold, Mode } from './hold';
import { LAYER } from './rigid';

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
      const colorOf = (part: number) => PARTS[Math.max(possible[ofVertex.indexOf(part)], 0) % PARTS.length];
      list.replaceChildren(
        ...parts.map((part, i) =>
          h(
            'li',
            {},
            h('span', { class: 'dot', style: `background:${css(colorOf(i))}` }),
            h('span', {}, hold.rigid.nameOf(part)),
            h('small', {}, part.vertexCount.toLocaleString('en')),
          ),
        ),
      );
      note.textContent = !found
        ? 'No part of this character is stiff by itself.'
        : `${parts.length} of ${found} parts keep their shape.${hold.rigid.isPainted ? ` The layer “${LAYER}” says which.` : ''}`;
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
      h('p', { class: 'tool-note' }, 'Click a part to keep it stiff or let it bend.'),
      note,
      list,
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
