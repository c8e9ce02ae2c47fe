// An exhibit on the page: its canvas with the wipe, its words, its code.
import { Signal } from '../../studio/src/core/signal';
import { fitCanvas, h, svg } from '../../studio/src/ui/dom';
import { Actor } from './actor';
import type { Colors } from './colors';
import type { Exhibit } from './exhibits';
import { POSTERS, STUDIO } from './places';
import type { Projector } from './projector';

const SWEEP_S = 9; // how long the wipe takes to go to and fro when nobody touches it
const SWEEP = 0.3; // how far from the middle
const EASE_S = 0.12; // how fast the wipe catches up with the pointer

const PLAY = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3.2v9.6l8-4.8z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4.5 3h2.6v10H4.5zM8.9 3h2.6v10H8.9z"/></svg>';
const ARROWS = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M8 6l-4 4 4 4M12 6l4 4-4 4"/></svg>';

/** The code that gives a character this style. */
export function codeOf({ style }: Exhibit): string {
  const text =
    typeof style === 'string'
      ? `'${style}'`
      : JSON.stringify(style, null, 2)
          .replace(/"([a-z_]+)":/g, '$1:')
          .replaceAll('"', "'");
  return `const toon = await limber(gltf.scene, ${text});\ntoon.update(dt); // in every frame`;
}

/** The studio with this exhibit. */
function studioOf({ character, clip, style }: Exhibit): string {
  const text = typeof style === 'string' ? style : JSON.stringify(style);
  return `${STUDIO}?${new URLSearchParams({ character, clip, style: text })}`;
}

export class Tile {
  readonly element: HTMLElement;
  readonly playing: Signal<boolean>;
  actor: Actor | undefined;
  visible = false;
  private readonly canvas = h('canvas');
  /** What is seen until the first frame is drawn. */
  private readonly poster: HTMLImageElement;
  private readonly divider = h('span', { class: 'divider' }, h('span', { class: 'knob' }, svg(ARROWS)));
  private readonly frame: HTMLElement;
  private time = 0;
  private wipe = 0.5;
  /** Where the pointer or a key wants the wipe; undefined: it sweeps by itself. */
  private wanted: number | undefined;
  private sweep = 0;
  private invalid = true;
  private opening: Promise<void> | undefined;

  constructor(
    readonly exhibit: Exhibit,
    playing: boolean,
    private readonly colors: (exhibit: Exhibit) => Colors,
    heading: 'h1' | 'h3' = 'h3',
  ) {
    this.playing = new Signal(playing);
    const name = heading === 'h3' ? exhibit.id : 'face';
    const loading = heading === 'h3' ? 'lazy' : 'eager';
    this.poster = h('img', { class: 'poster', src: `${POSTERS}${name}.webp`, alt: '', loading });
    this.frame = this.makeFrame();
    this.element = h(
      'article',
      { class: 'tile', id: heading === 'h3' ? exhibit.id : 'face', style: `--hue: ${exhibit.hue}` },
      this.frame,
    );
    if (heading === 'h3') this.element.append(this.makeWords());
    this.playing.listen(() => (this.invalid = true));
    this.time = exhibit.still;
    this.wipe = exhibit.wipe ?? 0.5;
    // Neighbors do not sweep in step.
    this.sweep = (exhibit.hue / 360) * SWEEP_S;
  }

  private makeFrame(): HTMLElement {
    const { title, character, clip } = this.exhibit;
    const slider = h(
      'div',
      {
        class: 'wipe',
        role: 'slider',
        tabindex: '0',
        'aria-label': `${title}: divider between plain and styled (${character}, ${clip})`,
        'aria-valuemin': '0',
        'aria-valuemax': '100',
        'aria-valuenow': '50',
        'aria-valuetext': '50 % plain',
      },
      this.poster,
      this.canvas,
      h('span', { class: 'tag plain' }, 'plain'),
      h('span', { class: 'tag styled' }, title.toLowerCase()),
      this.divider,
    );
    slider.addEventListener('pointermove', (event) => this.follow(event, slider));
    slider.addEventListener('pointerdown', (event) => this.follow(event, slider));
    // A finger leaves the divider where it was lifted.
    slider.addEventListener('pointerleave', ({ pointerType }) => {
      if (pointerType !== 'touch') this.wanted = undefined;
    });
    slider.addEventListener('keydown', (event) => this.key(event));
    slider.addEventListener('blur', () => (this.wanted = undefined));
    return h('div', { class: 'frame' }, slider, this.makePlay());
  }

  private makePlay(): HTMLElement {
    const button = h('button', { class: 'play', type: 'button' });
    button.addEventListener('click', () => (this.playing.value = !this.playing.value));
    this.playing.watch((playing) => {
      button.setAttribute('aria-label', `${playing ? 'Pause' : 'Play'} ${this.exhibit.title}`);
      button.replaceChildren(svg(playing ? PAUSE : PLAY));
    });
    return button;
  }

  private makeWords(): HTMLElement {
    const { exhibit } = this;
    const code = h('pre', { tabindex: '0', 'aria-label': `Code for ${exhibit.title}` }, h('code', {}, codeOf(exhibit)));
    const studio = h(
      'a',
      { href: studioOf(exhibit), class: 'quiet' },
      'Open in studio',
      h('span', { class: 'unseen' }, `: ${exhibit.title}`),
    );
    return h(
      'div',
      { class: 'words' },
      h('h3', {}, h('a', { href: `#${exhibit.id}` }, exhibit.title)),
      h('p', {}, exhibit.words),
      h('details', {}, h('summary', {}, 'Code', h('span', { class: 'unseen' }, ` for ${exhibit.title}`)), code),
      studio,
    );
  }

  // --- the wipe ---

  private follow(event: PointerEvent, slider: HTMLElement): void {
    const box = slider.getBoundingClientRect();
    this.moveTo((event.clientX - box.left) / box.width);
  }

  private key(event: KeyboardEvent): void {
    const step = event.shiftKey ? 0.2 : 0.05;
    const from = this.wanted ?? this.wipe;
    const places: Record<string, number> = {
      ArrowLeft: from - step,
      ArrowDown: from - step,
      ArrowRight: from + step,
      ArrowUp: from + step,
      Home: 0,
      End: 1,
    };
    if (event.key === ' ') this.playing.value = !this.playing.value;
    else if (event.key in places) this.moveTo(places[event.key]);
    else return;
    event.preventDefault();
  }

  private moveTo(part: number): void {
    this.wanted = Math.min(Math.max(part, 0), 1);
    this.invalid = true;
  }

  /** Moves the wipe on; returns whether it moved. */
  private glide(seconds: number): boolean {
    const before = this.wipe;
    if (this.wanted !== undefined) {
      const left = this.playing.value ? Math.exp(-seconds / EASE_S) : 0;
      this.wipe = this.wanted + (this.wipe - this.wanted) * left;
      if (Math.abs(this.wipe - this.wanted) < 0.002) this.wipe = this.wanted;
    } else if (this.playing.value) {
      this.sweep += seconds;
      const goal = 0.5 + SWEEP * Math.sin((2 * Math.PI * this.sweep) / SWEEP_S);
      this.wipe += (goal - this.wipe) * (1 - Math.exp(-seconds / (5 * EASE_S)));
    }
    const part = Math.round(100 * this.wipe);
    this.divider.style.left = `${100 * this.wipe}%`;
    this.frame.style.setProperty('--wipe', String(this.wipe));
    const slider = this.frame.firstElementChild!;
    slider.setAttribute('aria-valuenow', String(part));
    slider.setAttribute('aria-valuetext', `${part} % plain`);
    return this.wipe !== before;
  }

  // --- frames ---

  /** Loads the character when the tile is first seen. */
  open(): Promise<void> {
    this.opening ??= Actor.open(this.exhibit).then(
      (actor) => {
        this.actor = actor;
        this.invalidate();
        this.element.dataset.state = 'ready';
      },
      (error: unknown) => {
        this.element.dataset.state = 'failed';
        this.frame.append(h('p', { class: 'fault', role: 'alert' }, String((error as Error)?.message ?? error)));
      },
    );
    return this.opening;
  }

  invalidate(): void {
    this.invalid = true;
  }

  private advance(seconds: number): void {
    const { start, end, exhibit } = this.actor!;
    const length = end - start + (exhibit.rest ?? 0);
    this.time += seconds * (exhibit.speed ?? 1);
    if (this.time > start + length) this.time = start + ((this.time - start) % length);
  }

  /** Draws if anything changed. */
  draw(projector: Projector, seconds: number): void {
    if (!this.actor || !this.visible) return;
    const moved = this.glide(seconds);
    if (this.playing.value) this.advance(seconds);
    else if (!moved && !this.invalid) return;
    this.invalid = false;
    fitCanvas(this.canvas);
    const time = Math.min(Math.max(this.time, this.actor.start), this.actor.end);
    projector.draw({ actor: this.actor, canvas: this.canvas, time, wipe: this.wipe, ...this.colors(this.exhibit) });
    this.poster.remove();
    this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1); // for tests
  }
}
