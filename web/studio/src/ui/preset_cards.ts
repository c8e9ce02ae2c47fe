// Presets as pictures of the user's own character: a still one each, which moves while the pointer or the focus is on it.
import { PRESETS } from 'limber/engine';
import type { App } from '../app';
import { withOwn } from '../core/presets';
import { Canvas } from '../pictures/figure';
import { FRAME_S, FRAMES, framesOf, isSmallEnough, planOf } from '../pictures/film_strip';
import type { Plan } from '../pictures/film_strip';
import { inSlices } from '../pictures/slices';
import { h, once, sentence } from './dom';

const SIZE = 128; // pixels of a picture, drawn at half the size

interface Card {
  name: (typeof PRESETS)[number]['name'];
  element: HTMLElement;
  canvas: HTMLCanvasElement;
  /** Frames of the current clip, as far as there are any. */
  frames: (ImageData | undefined)[];
}

type Presets = readonly (typeof PRESETS)[number][];

/** Draws the pictures of all cards, one after the other, and moves one of them. */
class Pictures {
  private readonly cards: Card[] = [];
  private plan: Plan | undefined;
  private stop = () => {};
  private moving: Card | undefined;
  private timer = 0;
  private readonly drawing = new Canvas(SIZE);

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
    this.plan = undefined;
    for (const card of this.cards) {
      card.frames = [];
      card.canvas.getContext('2d')!.clearRect(0, 0, SIZE, SIZE);
      card.canvas.hidden = session !== undefined && !isSmallEnough(session);
    }
    this.go();
  }

  go(): void {
    this.stop();
    if (!document.hidden) this.stop = inSlices(this.work());
  }

  /** First the card that moves, then those that are seen. */
  private *work(): Generator<void, void> {
    const session = this.app.session.value;
    if (!session || !isSmallEnough(session)) return;
    this.plan ??= yield* planOf(session, this.app.store.current.clip);
    const { still } = this.plan;
    const all = Array.from({ length: FRAMES }, (_, i) => (still + i) % FRAMES);
    if (this.moving) yield* this.draw(this.moving, all);
    for (const card of this.cards) if (card.element.checkVisibility()) yield* this.draw(card, [still]);
  }

  private *draw(card: Card, frames: readonly number[]): Generator<void, void> {
    const wanted = frames.filter((frame) => !card.frames[frame]);
    const plan = this.plan!;
    if (!wanted.length) return;
    const show = (frame: number, { data }: ImageData) => {
      card.frames[frame] = new ImageData(data.slice(), SIZE);
      if (this.moving === card && card.frames.filter(Boolean).length > 1) return;
      this.show(card, frame);
    };
    try {
      yield* framesOf(plan, this.app.engine.parseStyle(card.name), this.drawing, show, wanted);
    } catch {
      for (const frame of wanted) card.frames[frame] = undefined; // it does not fit this character: a name only
    }
  }

  private show(card: Card, frame: number): void {
    const image = card.frames[frame];
    if (!image) return;
    card.canvas.getContext('2d')!.putImageData(image, 0, 0);
  }

  private move(card: Card | undefined): void {
    window.clearInterval(this.timer);
    if (this.moving && this.plan) this.show(this.moving, this.plan.still);
    this.moving = card;
    if (!card || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    this.go();
    let frame = this.plan?.still ?? 0;
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
