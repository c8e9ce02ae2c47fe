// Presets as pictures of the user's own character: a still one each, which moves while the pointer or the focus is on it.
import { PRESETS } from 'limber/engine';
import type { App } from '../app';
import { withOwn } from '../core/presets';
import { FRAME_S, FRAMES, isSmallEnough } from '../pictures/film_strip';
import type { Answer } from '../twin/job';
import { h, once, sentence } from './dom';

const SIZE = 128; // pixels of a picture, drawn at half the size
const ALL = Array.from({ length: FRAMES }, (_, i) => i);

interface Card {
  name: (typeof PRESETS)[number]['name'];
  element: HTMLElement;
  canvas: HTMLCanvasElement;
  /** Frames of the current clip, as far as there are any. */
  frames: (ImageData | undefined)[];
}

type Presets = readonly (typeof PRESETS)[number][];

/** Has the twin draw the pictures of all cards, one after the other, and moves one of them. */
class Pictures {
  private readonly cards: Card[] = [];
  /** The frame to show while nothing moves; -1: not known yet. */
  private still = -1;
  private stop = () => {};
  private moving: Card | undefined;
  private timer = 0;

  constructor(private readonly app: App) {
    const begin = once(() => this.begin());
    app.session.listen(begin);
    app.store.document.listen((now, before) => now?.clip !== before?.clip && begin());
    document.addEventListener('visibilitychange', () => this.go());
  }

  add(card: Card): void {
    this.cards.push(card);
    const move = () => this.move(card);
    const rest = () => this.moving === card && this.move(undefined);
    for (const type of ['pointerenter', 'focus']) card.element.addEventListener(type, move);
    for (const type of ['pointerleave', 'blur']) card.element.addEventListener(type, rest);
  }

  /** Another character or clip: everything is drawn again. */
  private begin(): void {
    const session = this.app.session.value;
    this.still = -1;
    for (const card of this.cards) {
      card.frames = [];
      card.canvas.getContext('2d')!.clearRect(0, 0, SIZE, SIZE);
      card.canvas.hidden = session !== undefined && !isSmallEnough(session);
    }
    this.go();
  }

  /** Asks for what is missing: first all frames of the card that moves, then a still one of those that are seen. */
  go(): void {
    const session = this.app.session.value;
    this.stop();
    if (document.hidden || !session || !isSmallEnough(session)) return;
    const seen = this.cards.filter(({ element }) => element.checkVisibility());
    const wanted = [
      ...(this.moving ? [this.missing(this.moving, ALL)] : []),
      ...seen.filter((card) => card !== this.moving).map((card) => this.missing(card, [this.still])),
    ].filter(({ frames }) => frames.length);
    const clip = this.app.store.current.clip;
    if (wanted.length) this.stop = this.app.ask({ kind: 'strips', clip, size: SIZE, wanted }, (one) => this.hear(one));
  }

  /** The frames of a card that are not drawn yet. -1: the still one, which nobody knows yet. */
  private missing({ name, frames }: Card, wanted: readonly number[]): { preset: string; frames: number[] } {
    const from = Math.max(this.still, 0);
    const ordered = wanted.length > 1 ? wanted.map((frame) => (from + frame) % FRAMES) : [...wanted];
    return { preset: name, frames: ordered.filter((frame) => !frames[frame]) };
  }

  private hear(answer: Answer): void {
    if ('still' in answer) this.still = answer.still;
    if (!('preset' in answer)) return;
    const { preset, frame, pixels } = answer;
    const card = this.cards.find(({ name }) => name === preset);
    if (!card) return;
    card.frames[frame] = new ImageData(pixels, SIZE);
    if (this.moving === card && card.frames.filter(Boolean).length > 1) return;
    this.show(card, frame);
  }

  private show(card: Card, frame: number): void {
    const image = card.frames[frame];
    if (!image) return;
    card.canvas.getContext('2d')!.putImageData(image, 0, 0);
  }

  private move(card: Card | undefined): void {
    window.clearInterval(this.timer);
    if (this.moving) this.show(this.moving, this.still);
    this.moving = card;
    if (!card || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    this.go();
    let frame = Math.max(this.still, 0);
    this.timer = window.setInterval(() => {
      const next = (frame + 1) % FRAMES;
      if (!card.frames[next]) return; // not drawn yet
      frame = next;
      this.show(card, frame);
    }, 1000 * FRAME_S);
  }
}

/** Whether two styles say the same, in any order. */
function sameStyle(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => sameStyle((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

/** Presets of single papers remake their figures: a group of their own. */
const PAPER = /^(vs|as|sk|sm)-/;
export const SHOWN = PRESETS.filter(({ name }) => !PAPER.test(name));
export const OF_PAPERS = PRESETS.filter(({ name }) => PAPER.test(name));

/** Makes groups of cards; they share what is known of the clip. */
export function presetCards(app: App): { group(list: Presets, label: string): HTMLElement; drawVisible(): void } {
  const pictures = new Pictures(app);
  const group = (list: Presets, label: string): HTMLElement => {
    const cards = list.map(({ name, summary }) => {
      const canvas = h('canvas', { width: SIZE, height: SIZE, 'aria-hidden': 'true' });
      const choose = () =>
        void app.chooseStyle(`Preset ${name}`, withOwn(app.engine.parseStyle(name), app.store.current.style));
      const tip = sentence(summary);
      const element = h(
        'button',
        { type: 'button', class: 'preset', 'data-preset': name, 'data-tip': tip, onclick: choose },
        canvas,
        h('span', {}, name),
      );
      pictures.add({ name, element, canvas, frames: [] });
      return element;
    });
    const styles = list.map(({ name }) => app.engine.parseStyle(name));
    app.store.document.watch((document) => {
      const now = document?.style ?? {};
      cards.forEach((card, i) => card.setAttribute('aria-pressed', String(sameStyle(withOwn(styles[i], now), now))));
    });
    return h('div', { class: 'presets', role: 'group', 'aria-label': label }, cards);
  };
  return { group, drawVisible: () => pictures.go() };
}
