// How a style retimes the clip: which moment of the plain clip is on show at each time, where that lingers or hurries,
// and the key poses.
import type { App } from '../app';
import { getKey } from '../core/document';
import type { Session } from '../core/session';
import { h } from './dom';
import type { Lane, LaneColors, LanePointer, LaneScale } from './lanes';
import { color } from './theme';

const MOMENTS = 361;
const REACH = 7; // CSS pixels
const EDGE = 8;
const SAME_S = 5e-4;
const SNAP = 'timing.snap';
const PER_SNAP = 60; // CSS pixels
const [LEAST, MOST] = [0.05, 3]; // without any, nothing would be left to drag

export interface TimingCurve {
  times: number[];
  /** Seconds of the plain clip. */
  sources: number[];
  /** When key poses are on show. */
  keys: number[];
}

/** When a moment of the plain clip is on show. */
function shownAt({ times, sources }: Pick<TimingCurve, 'times' | 'sources'>, source: number): number {
  const i = sources.findIndex((one) => one >= source - 1e-9);
  if (i <= 0) return times[i < 0 ? times.length - 1 : 0];
  const part = (source - sources[i - 1]) / Math.max(sources[i] - sources[i - 1], 1e-9);
  return times[i - 1] + Math.min(part, 1) * (times[i] - times[i - 1]);
}

/** How fast the plain clip runs from moment i to the next. */
const rateAt = ({ times, sources }: TimingCurve, i: number): number =>
  (sources[i + 1] - sources[i]) / (times[i + 1] - times[i]);

export class Timing {
  /** Undefined: the style leaves the timing of the clip as it is. */
  curve: TimingCurve | undefined;
  private keys: { session: Session; clip: number; times: readonly number[] } | undefined;
  private timer = 0;

  constructor(
    private readonly app: App,
    private readonly changed: () => void,
  ) {
    const soon = () => {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.compute(), 60);
    };
    app.session.listen(soon);
    app.store.document.listen(soon);
    app.player.span.listen(soon);
  }

  private compute(): void {
    const session = this.app.session.value;
    const document = this.app.store.document.value;
    if (!session || !document || session.file !== document.file || !session.clips.length) return;
    const { start, end } = this.app.player.span.value;
    const { pipeline, clip } = session.pipeline(document.clip);
    const times = Array.from({ length: MOMENTS }, (_, i) => start + ((end - start) * i) / (MOMENTS - 1));
    const sources = times.map((time) => pipeline.sourceTime(clip, time));
    const retimed = sources.some((source, i) => Math.abs(source - times[i]) > SAME_S);
    if (retimed && (this.keys?.session !== session || this.keys.clip !== document.clip)) {
      const found = pipeline.performance(clip); // key poses are those of the plain clip, whatever the style
      this.keys = found && { session, clip: document.clip, times: found.keyTimes };
    }
    this.curve = retimed
      ? { times, sources, keys: (this.keys?.times ?? []).map((key) => shownAt({ times, sources }, key)) }
      : undefined;
    this.changed();
  }
}

/** Shades the times that pass slower or faster than in the plain clip. */
function shade(context: CanvasRenderingContext2D, curve: TimingCurve, scale: LaneScale, tints: [string, string]): void {
  if (curve.times.some((_, i) => rateAt(curve, i) === 0)) return; // drawn on twos: a staircase says it all
  for (let i = 0; i + 1 < curve.times.length; i++) {
    const rate = rateAt(curve, i);
    context.globalAlpha = Math.min(0.5 * Math.abs(Math.log(rate)), 0.4);
    context.fillStyle = rate < 1 ? tints[0] : tints[1];
    const left = Math.round(scale.xOf(curve.times[i])); // whole pixels, so that no seams show
    context.fillRect(left, 0, Math.round(scale.xOf(curve.times[i + 1])) - left, scale.height);
  }
  context.globalAlpha = 1;
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

/** Says what is on show at a time. */
function described(curve: TimingCurve, time: number): string {
  const i = Math.max(
    curve.times.findIndex((one) => one > time),
    1,
  );
  const source = curve.sources[i - 1] + rateAt(curve, i - 1) * (time - curve.times[i - 1]);
  const late = Math.round(1000 * (time - source));
  const when = late === 0 ? 'on time' : late > 0 ? `${late} ms later` : `${-late} ms earlier`;
  return `Shows ${source.toFixed(2)} s of the plain clip, ${when}, at ${rateAt(curve, i - 1).toFixed(2)} of its speed`;
}

export function timingLane(app: App, timing: Timing): Lane {
  let grab: { y: number; snap: number } | undefined;
  const keyAt = ({ x, scale }: LanePointer) => timing.curve?.keys.find((one) => Math.abs(scale.xOf(one) - x) < REACH);
  const header = h(
    'div',
    { class: 'curve-head beside' },
    h('span', { class: 'curve-legend', style: '--swatch:var(--held)' }, 'Lingers'),
    h('span', { class: 'curve-legend', style: '--swatch:var(--hurried)' }, 'Hurries'),
    h('span', { class: 'curve-legend diamond', style: '--swatch:var(--text)' }, 'Key pose'),
  );
  const draw = (context: CanvasRenderingContext2D, scale: LaneScale, colors: LaneColors) => {
    const { curve } = timing;
    if (!curve) return;
    const yOf = (time: number) =>
      scale.height - EDGE - ((time - scale.start) / (scale.end - scale.start)) * (scale.height - 2 * EDGE);
    shade(context, curve, scale, [color('held'), color('hurried')]);
    context.strokeStyle = colors.faint;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(scale.xOf(scale.start), yOf(scale.start));
    context.lineTo(scale.xOf(scale.end), yOf(scale.end));
    context.stroke();
    context.setLineDash([]);
    context.strokeStyle = colors.accent;
    context.lineWidth = 2;
    context.lineJoin = 'round';
    context.beginPath();
    curve.times.forEach((time, i) => context.lineTo(scale.xOf(time), yOf(curve.sources[i])));
    context.stroke();
    context.fillStyle = colors.text;
    context.strokeStyle = colors.panel;
    context.lineWidth = 1.5;
    for (const key of curve.keys) {
      const i = Math.max(
        curve.times.findIndex((one) => one >= key),
        0,
      );
      diamond(context, scale.xOf(key), yOf(curve.sources[i]), 5.5);
      context.fill();
      context.stroke();
    }
  };
  return {
    id: 'timing',
    label: 'Timing',
    height: 84,
    header,
    draw,
    down: (pointer) => {
      const snap = Number(getKey(app.store.current.style, SNAP) ?? 0);
      grab = keyAt(pointer) === undefined ? undefined : { y: pointer.y, snap };
      return grab !== undefined;
    },
    drag: ({ y }) => {
      if (!grab) return;
      const snap = Math.min(Math.max(grab.snap + (grab.y - y) / PER_SNAP, LEAST), MOST);
      app.setKey(SNAP, Number(snap.toFixed(2)), SNAP);
    },
    up: () => {
      grab = undefined;
      app.store.settle();
    },
    tip: (pointer) => {
      const { curve } = timing;
      const { time, scale } = pointer;
      if (!curve) return undefined;
      const key = keyAt(pointer);
      const what = key === undefined ? '' : 'Key pose: drag it up to hold key poses longer, down for less. ';
      return `${what}${described(curve, Math.min(Math.max(time, scale.start), scale.end))}`;
    },
  };
}
