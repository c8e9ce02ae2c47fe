// The timeline: transport, ruler, playhead and lanes.
import type { App } from '../app';
import { timed } from '../core/perf';
import { clipButton } from './clip_list';
import { fitCanvas, h, once, svg } from './dom';
import { ICONS } from './icons';
import type { Lane, LanePointer, LaneScale } from './lanes';
import { Contacts, contactsLane } from './contacts_lane';
import { curvesLane } from './curves';
import { color, laneColors, theme } from './theme';
import { offerLane, Timing, timingLane } from './timing';
import { iconButton } from './widgets';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const EDGE = 10; // pixels before the first frame and after the last
const TICK_GAP = 64;

/** Number of frames between labels, so that labels do not overlap. */
function tickStep(frames: number, width: number): number {
  const min = (frames * TICK_GAP) / Math.max(width, 1);
  for (const step of [1, 2, 5, 10, 20, 30, 60, 120, 240, 300, 600, 1200, 3000]) if (step >= min) return step;
  return 10 ** Math.ceil(Math.log10(min));
}

interface Row {
  lane: Lane;
  element: HTMLElement;
  canvas: HTMLCanvasElement;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly ruler = h('canvas', { class: 'ruler', tabindex: '0', role: 'slider', 'aria-label': 'Playhead' });
  private readonly playhead = h('div', { class: 'playhead', 'aria-hidden': 'true' });
  private readonly lanes = h('div', { class: 'lanes', tabindex: '0', role: 'group', 'aria-label': 'Lanes' }); // it scrolls
  private rows: Row[] = [];
  private readonly redraw = once(() => timed('lanes', () => this.draw()));
  private toolLanes: readonly Lane[] = [];
  private readonly curves: Lane;
  private readonly timing: Timing;
  private readonly timingLane: Lane;
  private readonly offerLane: Lane;
  private readonly contacts: Contacts;
  private readonly contactsLane: Lane;
  /** The lane under the pointer, and where that is. */
  private hovered: { lane: Lane; pointer: LanePointer } | undefined;

  constructor(private readonly app: App) {
    this.curves = curvesLane(app, () => this.redraw());
    this.timing = new Timing(app, () => this.showLanes());
    this.timingLane = timingLane(app, this.timing);
    this.offerLane = offerLane(this.timing);
    this.contacts = new Contacts(app, () => this.showLanes());
    this.contactsLane = contactsLane(app, this.contacts);
    const track = h(
      'div',
      { class: 'track' },
      h('div', { class: 'lane-label ruler-label' }),
      h('div', { class: 'ruler-holder' }, this.ruler),
    );
    this.element = h(
      'footer',
      { class: 'timeline', 'aria-label': 'Timeline' },
      this.transport(),
      h('div', { class: 'tracks' }, track, this.lanes, this.playhead),
    );
    this.connectScrub(this.ruler);
    this.setToolLanes([]);
    const { player } = app;
    player.time.listen(() => this.placePlayhead());
    player.span.listen(() => this.redraw());
    theme.listen(() => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.element);
    window.addEventListener('keydown', (event) => this.erase(event), { capture: true });
  }

  setToolLanes(lanes: readonly Lane[]): void {
    this.toolLanes = lanes;
    this.showLanes();
  }

  /** Lanes of the active tool are above the permanent ones. The timing has room if the style changes it. */
  private showLanes(): void {
    const ground = this.contacts?.found.length ? [this.contactsLane] : [];
    const lanes = [...this.toolLanes, ...this.timingLanes(), ...ground, this.curves];
    if (lanes.length !== this.rows.length || lanes.some((lane, i) => lane !== this.rows[i].lane)) {
      this.rows = lanes.map((lane) => this.makeRow(lane));
      this.lanes.replaceChildren(...this.rows.map((row) => row.element));
    }
    this.redraw();
  }

  private timingLanes(): Lane[] {
    if (!this.timing.curve) return [];
    return [this.timing.isChanged ? this.timingLane : this.offerLane];
  }

  /** Delete takes what is under the pointer, before a tool takes what it has selected. */
  private erase(event: KeyboardEvent): void {
    if (!this.hovered || (event.key !== 'Delete' && event.key !== 'Backspace')) return;
    if (event.target instanceof HTMLElement && event.target.matches('input, textarea, select')) return;
    const { lane, pointer } = this.hovered;
    if (!lane.erase?.(pointer)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  private makeRow(lane: Lane): Row {
    const canvas = h('canvas', { class: 'lane-canvas' });
    const element = h(
      'div',
      {
        class: `lane ${lane.height === 'fill' ? 'fill' : ''}`,
        style: lane.height === 'fill' ? undefined : `height:${lane.height}px`,
      },
      h('div', { class: 'lane-label' }, h('span', { class: 'lane-name' }, lane.label), lane.header),
      h('div', { class: 'lane-holder' }, canvas),
    );
    this.connectScrub(canvas, lane);
    return { lane, element, canvas };
  }

  /** Redraws all lanes. Call it when the contents of a lane have changed. */
  invalidate(): void {
    this.redraw();
  }

  // --- scale ---

  private scale(canvas: HTMLCanvasElement): LaneScale {
    const { start, end, fps } = this.app.player.span.value;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const inner = Math.max(width - 2 * EDGE, 1);
    return {
      width,
      height,
      start,
      end,
      fps,
      xOf: (time) => EDGE + ((time - start) / Math.max(end - start, 1e-9)) * inner,
      timeAt: (x) => start + ((x - EDGE) / inner) * (end - start),
    };
  }

  private connectScrub(canvas: HTMLCanvasElement, lane?: Lane): void {
    const { player } = this.app;
    const at = (event: MouseEvent): LanePointer => {
      const box = canvas.getBoundingClientRect();
      const scale = this.scale(canvas);
      const x = event.clientX - box.left;
      return { event, x, y: event.clientY - box.top, time: scale.timeAt(x), scale };
    };
    let kept: 'lane' | 'scrub' | undefined;
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      if (lane?.down?.(at(event))) kept = 'lane';
      else {
        kept = 'scrub';
        player.playing.value = false;
        player.seek(at(event).time);
      }
    });
    canvas.addEventListener('pointermove', (event) => {
      if (kept === 'lane') lane?.drag?.(at(event));
      else if (kept === 'scrub') player.seek(at(event).time);
      else if (lane) this.hover(canvas, lane, at(event));
    });
    canvas.addEventListener('pointerleave', () => {
      if (this.hovered?.lane === lane) this.hovered = undefined;
    });
    canvas.addEventListener('dblclick', (event) => lane?.double?.(at(event)));
    const end = (event: PointerEvent) => {
      if (kept === 'lane') lane?.up?.(at(event));
      kept = undefined;
      this.redraw();
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    if (lane) return;
    canvas.addEventListener('keydown', (event) => {
      const frames = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (frames) player.step(frames * (event.shiftKey ? 10 : 1));
      else if (event.key === 'Home') player.seek(player.span.value.start);
      else if (event.key === 'End') player.seek(player.span.value.end);
      else return;
      event.preventDefault();
    });
  }

  private hover(canvas: HTMLCanvasElement, lane: Lane, pointer: LanePointer): void {
    this.hovered = { lane, pointer };
    if (lane.tip) canvas.title = lane.tip(pointer) ?? '';
    if (lane.cursor) canvas.style.cursor = lane.cursor(pointer) ?? '';
  }

  // --- drawing ---

  private draw(): void {
    this.drawRuler();
    const colors = laneColors();
    for (const { lane, canvas } of this.rows) {
      const { ratio } = fitCanvas(canvas);
      const context = canvas.getContext('2d')!;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
      lane.draw(context, this.scale(canvas), colors);
    }
    this.placePlayhead();
  }

  private drawRuler(): void {
    const { ratio, height } = fitCanvas(this.ruler);
    const context = this.ruler.getContext('2d')!;
    const scale = this.scale(this.ruler);
    const { start, fps, xOf } = scale;
    const frames = this.app.player.frameCount;
    const step = tickStep(frames, scale.width);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, scale.width, height);
    context.font = '10.5px system-ui, sans-serif';
    context.textBaseline = 'top';
    context.textAlign = 'center';
    const minor = step >= 10 ? step / 5 : step >= 5 ? 1 : step >= 2 ? step / 2 : 1;
    for (let frame = 0; frame <= frames; frame += minor) {
      const x = Math.round(xOf(start + frame / fps)) + 0.5;
      const major = frame % step === 0;
      context.strokeStyle = color(major ? 'text-faint' : 'line');
      context.beginPath();
      context.moveTo(x, height);
      context.lineTo(x, height - (major ? 8 : 4));
      context.stroke();
      if (!major) continue;
      context.fillStyle = color('text-faint');
      context.fillText(String(frame), x, 3);
    }
  }

  private placePlayhead(): void {
    const { player } = this.app;
    const scale = this.scale(this.ruler);
    const holder = this.ruler.offsetLeft + (this.ruler.parentElement?.offsetLeft ?? 0);
    this.playhead.style.transform = `translateX(${holder + scale.xOf(player.time.value)}px)`;
    this.ruler.setAttribute('aria-valuenow', String(player.frame));
    this.ruler.setAttribute('aria-valuemax', String(player.frameCount));
    this.ruler.setAttribute('aria-valuetext', `frame ${player.frame} of ${player.frameCount}`);
    this.counter.textContent = `${player.frame} / ${player.frameCount}`;
    this.seconds.textContent = `${(player.time.value - player.span.value.start).toFixed(2)} s`;
  }

  // --- transport ---

  private readonly counter = h('span', { class: 'counter', 'data-tip': 'Frame' });
  private readonly seconds = h('span', { class: 'seconds', 'data-tip': 'Seconds' });

  private transport(): HTMLElement {
    const { app } = this;
    const { player } = app;
    const play = iconButton('play', 'Play or pause', () => player.toggle(), { class: 'play', key: 'Space' });
    player.playing.watch((on) => {
      play.replaceChildren(svg(ICONS[on ? 'pause' : 'play']));
      play.setAttribute('aria-pressed', String(on));
    });
    const loop = iconButton('loop', 'Loop', () => (player.looping.value = !player.looping.value), { key: 'L' });
    player.looping.watch((on) => loop.setAttribute('aria-pressed', String(on)));
    const speed = h(
      'select',
      {
        class: 'select small',
        'aria-label': 'Speed',
        'data-tip': 'Speed',
        onchange: () => (player.speed.value = Number(speed.value)),
      },
      SPEEDS.map((one) => h('option', { value: one }, `${one}×`)),
    );
    player.speed.watch((now) => (speed.value = String(now)));
    const rate = h('span', { class: 'rate' });
    player.span.watch(({ fps }) => {
      rate.textContent = `${Math.round(fps)} fps`;
      rate.dataset.tip = `${Number(fps.toFixed(2))} frames per second`;
    });
    return h(
      'div',
      { class: 'transport' },
      h('div', { class: 'transport-group' }, clipButton(app)),
      h(
        'div',
        { class: 'transport-group middle' },
        iconButton('start', 'Go to start', () => player.seek(player.span.value.start), { key: 'Home' }),
        iconButton('back', 'Previous frame', () => player.step(-1), { key: '←' }),
        play,
        iconButton('next', 'Next frame', () => player.step(1), { key: '→' }),
        loop,
      ),
      h('div', { class: 'transport-group end' }, this.counter, this.seconds, rate, speed),
    );
  }
}
