// The live scene of the first page: a character twice, plain and styled, on both sides of the divider. A file that is
// dropped takes the place of the dog.
import { sharedEngine } from 'limber/three';
import type { Engine, PresetName, Style } from 'limber/engine';
import { Group, MathUtils, Vector3 } from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { Actor } from '../../gallery/src/actor';
import { colorsOf } from '../../gallery/src/colors';
import { FACE } from '../../gallery/src/exhibits';
import type { Exhibit } from '../../gallery/src/exhibits';
import { Projector } from '../../gallery/src/projector';
import { load } from '../../studio/src/core/load';
import type { Loaded } from '../../studio/src/core/load';
import { frontOf } from '../../studio/src/core/front';
import { sourceOf } from '../../studio/src/import/source';
import { fitCanvas, h } from '../../studio/src/ui/dom';
import type { Signal } from '../../studio/src/core/signal';
import { theme } from '../../studio/src/ui/theme';
import type { Wipe } from './wipe';

declare global {
  interface Window {
    /** For tests, films and the browser's console. */
    show?: Show;
  }
}

const FAR = 1.12; // room for presets that stretch more than the first
const DOG: Exhibit = { ...FACE, far: FAR, follow: true };
const AWAY = 45; // degrees that the camera stands beside the front of a character

const get = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** An error as one line. */
const lineOf = (error: unknown) => {
  const { message, detail } = error as { message?: string; detail?: string };
  return [message ?? String(error), detail].filter(Boolean).join('. ');
};

export class Show {
  /** A small picture that nobody sees, until the scene begins. */
  private canvas = h('canvas', { width: 16, height: 16 });
  private readonly state = get('state');
  private readonly projector = new Projector();
  private actor: Actor | undefined;
  private time = 0;
  private invalid = true;
  /** A style that was asked for since the last frame. */
  private wanted: { preset: string; amount: number } = { preset: 'cartoon', amount: 1 };
  private worn = this.wanted;
  private loaded: Loaded | undefined;

  private constructor(
    private readonly engine: Engine,
    private readonly playing: Signal<boolean>,
    private readonly wipe: Wipe,
  ) {
    get('clip').addEventListener('change', () => void this.change(get<HTMLSelectElement>('clip').value));
    theme.listen(() => this.invalidate());
    addEventListener('resize', () => this.invalidate());
  }

  /** Loads everything and draws a first picture, so that later ones come at once. */
  static async open(playing: Signal<boolean>, wipe: Wipe): Promise<Show> {
    const show = new Show(await sharedEngine(), playing, wipe);
    await show.perform(Actor.open(DOG));
    show.draw(0);
    window.show = show;
    return show;
  }

  /** Shows the scene on the page. */
  begin(): void {
    const canvas = get<HTMLCanvasElement>('picture');
    if (this.canvas === canvas) return;
    this.canvas = canvas;
    this.state.hidden = true;
    this.name('A dog that limber brings along, live.');
    this.invalidate();
    this.run();
  }

  /** The next frame is drawn even if nothing plays. */
  invalidate(): void {
    this.invalid = true;
  }

  /** Seconds of the clip. */
  get length(): number {
    return this.actor ? this.actor.end - this.actor.start : 0;
  }

  /** Stands still at a time of the clip, and draws it. */
  seek(time: number): void {
    this.playing.value = false;
    this.time = this.actor!.start + time;
    this.invalid = true;
    this.draw(0);
  }

  /** Vertices of the styled character as they are now. */
  positions(): Float32Array {
    return this.actor!.positions(this.time);
  }

  wear(preset: string, amount: number): void {
    this.wanted = { preset, amount };
    this.invalidate();
  }

  /** Opens a file of the visitor's. */
  async take(file: File, all: readonly File[]): Promise<void> {
    this.say(`Opening ${file.name} …`);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const beside = new Map(all.map((one) => [one.name, one]));
      const loaded = await load(this.engine, await sourceOf(file.name, bytes, undefined, beside));
      if (!loaded.clips.length) throw new Error(`${file.name} has no clips: nothing moves in it`);
      this.loaded = loaded;
      const names = loaded.clips.map(({ name }) => name);
      get('clip').replaceChildren(...names.map((name, i) => h('option', { value: name }, name || `clip ${i + 1}`)));
      get('clip-label').hidden = names.length < 2;
      await this.change(names[0]);
      this.name(`${file.name}, live.`);
    } catch (error) {
      this.say(lineOf(error), true);
    }
  }

  /** Shows a clip of the visitor's character. */
  private async change(clip: string): Promise<void> {
    const { object } = this.loaded!;
    const places: { name: string; place: Vector3 }[] = [];
    object.updateMatrixWorld(true);
    object.traverse((one) => places.push({ name: one.name, place: one.getWorldPosition(new Vector3()) }));
    const yaw = MathUtils.radToDeg(frontOf(places)) + AWAY;
    const exhibit: Exhibit = { ...DOG, character: '', clip, still: 0, yaw, style: this.style };
    this.worn = this.wanted;
    const copy = clone(object); // the file stays in its rest pose
    new Group().add(copy);
    await this.perform(Actor.of({ ...this.loaded!, object: copy }, exhibit));
    this.state.hidden = true;
  }

  private async perform(coming: Promise<Actor>): Promise<void> {
    const actor = await coming;
    this.actor?.dispose();
    this.actor = actor;
    this.time = this.playing.value ? actor.start : actor.exhibit.still;
    this.invalidate();
  }

  /** Says who is seen. */
  private name(text: string): void {
    get('who').textContent = text;
  }

  private say(text: string, isFault = false): void {
    this.state.textContent = text;
    this.state.classList.toggle('fault', isFault);
    this.state.hidden = false;
  }

  /** Puts on the style that was asked for, at most once per frame. */
  private dress(actor: Actor): void {
    if (this.worn === this.wanted) return;
    this.worn = this.wanted;
    actor.wear(this.style);
  }

  private get style(): Style {
    const { preset, amount } = this.wanted;
    return { ...this.engine.parseStyle(preset as PresetName), strength: amount };
  }

  private draw(seconds: number): void {
    const { actor, canvas } = this;
    if (!actor || (!this.playing.value && !this.invalid)) return;
    this.invalid = false;
    const length = actor.end - actor.start;
    if (this.playing.value) this.time = actor.start + ((this.time - actor.start + seconds) % Math.max(length, 1e-3));
    try {
      this.dress(actor);
      if (canvas.isConnected) fitCanvas(canvas);
      this.projector.draw({ actor, canvas, time: this.time, wipe: this.wipe.at, ...colorsOf(DOG) });
    } catch (error) {
      this.say(lineOf(error), true);
      this.actor = undefined;
    }
  }

  private run(): void {
    let last = performance.now();
    const turn = (now: number) => {
      const seconds = Math.min(Math.max((now - last) / 1000, 0), 0.1);
      last = now;
      if (this.playing.value) this.wipe.glide(seconds);
      this.draw(seconds);
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }
}
