// How a style retimes the clip: which moment of the plain clip is on show at each time, where that lingers or hurries,
// the key poses, and single holds, which are dragged.
import type { Pipeline } from 'limber/engine';
import type { App } from '../app';
import { getKey } from '../core/document';
import { type Hold, Holds, isSamePose, LONGEST, NEW_LENGTH } from './holds';
import type { Session } from '../core/session';
import { h } from './dom';
import { diamond } from './lanes';
import type { Lane, LaneColors, LanePointer, LaneScale } from './lanes';
import { color } from './theme';

const MOMENTS = 361;
const REACH = 7; // CSS pixels
const EDGE = 8;
const BAR = 14;
const DECIDES = 4; // CSS pixels until a drag is one up or one sideways
const SAME_S = 5e-4;
const SNAP = 'timing.snap';
const PER_SNAP = 60; // CSS pixels
const [LEAST, MOST] = [0.05, 3]; // without any, nothing would be left to drag
const LINGERS = 0.7; // of the plain speed
const STEP_S = 1 / 480;

/** A key pose, or another moment with a hold. */
export interface Pose {
  /** Seconds of the plain clip, from its start. */
  at: number;
  /** Whether the clip itself rests there. */
  key: boolean;
  /** What the style says about this pose alone. */
  hold: Hold | undefined;
  /** When it is on show, and from when to when the clip lingers there. */
  shown: number;
  from: number;
  to: number;
}

export interface TimingCurve {
  times: number[];
  /** Seconds of the plain clip. */
  sources: number[];
  poses: Pose[];
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

/** The moment from which a time lies before the next one; of the end, the last but one. */
function momentBefore({ times }: TimingCurve, time: number): number {
  const next = times.findIndex((one) => one > time);
  return Math.max(next < 0 ? times.length - 1 : next, 1) - 1;
}

/** Which moment of the plain clip is on show at a time. */
function sourceAt(curve: TimingCurve, time: number): number {
  const i = momentBefore(curve, time);
  return curve.sources[i] + rateAt(curve, i) * (time - curve.times[i]);
}

/** From `from` in steps of `step` seconds, the end of where the clip lingers. */
function lingersTo(pipeline: Pipeline, clip: number, from: number, step: number, limit: number): number {
  const source = (time: number) => pipeline.sourceTime(clip, time);
  let time = from;
  while ((limit - time - step) * step >= 0 && (source(time + step) - source(time)) / step < LINGERS) time += step;
  return time;
}

export class Timing {
  /** Undefined: there is no clip. */
  curve: TimingCurve | undefined;
  /** Whether the style says anything about the timing of the clip. */
  isChanged = false;
  readonly holds: Holds;
  private keys: { session: Session; clip: number; times: readonly number[] } | undefined;
  private timer = 0;

  constructor(
    private readonly app: App,
    private readonly changed: () => void,
  ) {
    this.holds = new Holds(app);
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
    if (!session || !document || session.file !== document.file) return;
    this.curve = session.clips.length ? this.find(session, document.clip) : undefined;
    this.changed();
  }

  private find(session: Session, index: number): TimingCurve {
    const { start, end } = this.app.player.span.value;
    const { pipeline, clip } = session.pipeline(index);
    const times = Array.from({ length: MOMENTS }, (_, i) => start + ((end - start) * i) / (MOMENTS - 1));
    const sources = times.map((time) => pipeline.sourceTime(clip, time));
    const holds = this.holds.here;
    this.isChanged = holds.length > 0 || sources.some((source, i) => Math.abs(source - times[i]) > SAME_S);
    if (this.isChanged && (this.keys?.session !== session || this.keys.clip !== index)) {
      const found = pipeline.performance(clip); // key poses are those of the plain clip, whatever the style
      this.keys = found && { session, clip: index, times: found.keyTimes };
    }
    const keys = this.isChanged ? (this.keys?.times ?? []) : [];
    const others = holds.map(({ at }) => at).filter((at) => !keys.some((key) => isSamePose(key, at)));
    const startOfClip = session.clipInfo(index).start;
    const pose = (at: number, key: boolean): Pose => {
      const hold = holds.find((one) => isSamePose(one.at, at));
      const shown = shownAt({ times, sources }, startOfClip + (hold?.at ?? at));
      const ends = [-STEP_S, STEP_S].map((step) => lingersTo(pipeline, clip, shown, step, step < 0 ? start : end));
      // Beside a hold the clip may linger for other reasons.
      const part = hold ? Math.min(hold.length / Math.max(ends[1] - ends[0], 1e-9), 1) : 1;
      const [from, to] = ends.map((time) => shown + part * (time - shown));
      return { at: hold?.at ?? at, key, hold, shown, from, to };
    };
    return { times, sources, poses: [...keys.map((at) => pose(at, true)), ...others.map((at) => pose(at, false))] };
  }

  /** Adds a hold at what is on show at a time. */
  add(time: number): void {
    const session = this.app.session.value;
    if (!this.curve || !session) return;
    const { start, end } = session.clipInfo(this.app.store.current.clip);
    const source = Math.min(Math.max(sourceAt(this.curve, time), start), end);
    this.holds.set(source - start, NEW_LENGTH);
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

const yOf = (scale: LaneScale, time: number): number =>
  scale.height - EDGE - ((time - scale.start) / (scale.end - scale.start)) * (scale.height - 2 * EDGE);

function drawCurve(context: CanvasRenderingContext2D, curve: TimingCurve, scale: LaneScale, colors: LaneColors): void {
  context.strokeStyle = colors.faint;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(scale.xOf(scale.start), yOf(scale, scale.start));
  context.lineTo(scale.xOf(scale.end), yOf(scale, scale.end));
  context.stroke();
  context.setLineDash([]);
  context.strokeStyle = colors.accent;
  context.lineWidth = 2;
  context.lineJoin = 'round';
  context.beginPath();
  curve.times.forEach((time, i) => context.lineTo(scale.xOf(time), yOf(scale, curve.sources[i])));
  context.stroke();
}

/** A bar for as long as it is held, with a grip at each end, and the pose itself; hollow: it is not held at all. */
function drawPose(
  context: CanvasRenderingContext2D,
  pose: Pose,
  y: number,
  scale: LaneScale,
  colors: LaneColors,
): void {
  const [left, right] = [scale.xOf(pose.from), scale.xOf(pose.to)];
  const held = color('held');
  if (pose.hold && right > left) {
    context.globalAlpha = 0.45;
    context.fillStyle = held;
    context.beginPath();
    context.roundRect(left, y - BAR / 2, right - left, BAR, 3);
    context.fill();
    context.globalAlpha = 1;
    for (const x of [left, right]) {
      context.beginPath();
      context.roundRect(x - 1.5, y - BAR / 2 - 1, 3, BAR + 2, 1.5);
      context.fill();
    }
  }
  const hollow = pose.hold?.length === 0;
  diamond(context, scale.xOf(pose.shown), y, 5.5);
  context.lineWidth = 1.5;
  context.fillStyle = hollow ? colors.panel : pose.key ? colors.text : held;
  context.strokeStyle = hollow ? colors.text : colors.panel;
  context.fill();
  context.stroke();
}

/** Says what is on show at a time. */
function described(curve: TimingCurve, time: number): string {
  const source = sourceAt(curve, time);
  const late = Math.round(1000 * (time - source));
  const when = late === 0 ? 'on time' : late > 0 ? `${late} ms later` : `${-late} ms earlier`;
  return `Shows ${source.toFixed(2)} s of the plain clip, ${when}, at ${rateAt(curve, momentBefore(curve, time)).toFixed(2)} of its speed`;
}

type Part = 'pose' | 'from' | 'to';

/** What of a pose can be dragged at this position: the nearest of the pose itself and the ends of its hold. */
function find(curve: TimingCurve | undefined, { x, scale }: LanePointer): { pose: Pose; part: Part } | undefined {
  const grips = (curve?.poses ?? []).flatMap((pose) => {
    const ends = pose.hold && pose.to > pose.from ? (['from', 'to'] as const) : [];
    return [
      { pose, part: 'pose' as Part, away: Math.abs(scale.xOf(pose.shown) - x) },
      ...ends.map((part) => ({ pose, part: part as Part, away: Math.abs(scale.xOf(pose[part]) - x) })),
    ];
  });
  const near = grips.filter(({ away }) => away < REACH).sort((a, b) => a.away - b.away);
  return near[0];
}

/** The hold under the pointer, its bar included. */
const holdAt = (curve: TimingCurve | undefined, pointer: LanePointer): Pose | undefined => {
  const { pose } = find(curve, pointer) ?? {};
  if (pose?.hold) return pose;
  return curve?.poses.find(({ hold, from, to }) => hold && pointer.time >= from && pointer.time <= to);
};

function tipOf(curve: TimingCurve, pointer: LanePointer): string {
  const found = find(curve, pointer);
  const held = holdAt(curve, pointer);
  const name = (pose: Pose) => (pose.key ? 'Key pose' : 'Hold');
  if (found && found.part !== 'pose')
    return `Held for ${(found.pose.to - found.pose.from).toFixed(2)} s: drag to hold it longer or shorter. `;
  if (found?.pose.hold)
    return `${name(found.pose)}: drag it right to hold it longer, left for less; double-click to remove the hold. `;
  if (found)
    return 'Key pose: drag it right to hold this one longer, left for less; up to hold all of them longer, down for less. ';
  return held ? 'Drag an end to hold it longer or shorter; double-click to remove the hold. ' : '';
}

export function timingLane(app: App, timing: Timing): Lane {
  let grab: { pose: Pose; part: Part; x: number; y: number; snap: number; axis: 'x' | 'y' | undefined } | undefined;
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
    shade(context, curve, scale, [color('held'), color('hurried')]);
    drawCurve(context, curve, scale, colors);
    for (const pose of curve.poses) drawPose(context, pose, yOf(scale, sourceAt(curve, pose.shown)), scale, colors);
  };
  /** The end that is dragged follows the pointer; the other one mirrors it, unless the clip ends there. */
  const stretch = ({ pose, part, x: from }: NonNullable<typeof grab>, { x, scale }: LanePointer) => {
    const more = (scale.timeAt(x) - scale.timeAt(from)) * (part === 'from' ? -1 : 1);
    const sides = [scale.start, scale.end].some((end) => Math.abs(end - pose.shown) < STEP_S) ? 1 : 2;
    const length = Math.min(Math.max(pose.to - pose.from + sides * more, 0), LONGEST);
    timing.holds.set(pose.at, length, `hold ${pose.at}`);
  };
  const remove = (pointer: LanePointer): boolean => {
    const pose = holdAt(timing.curve, pointer);
    if (pose) timing.holds.remove(pose.at);
    return pose !== undefined;
  };
  return {
    id: 'timing',
    label: 'Timing',
    height: 84,
    header,
    draw,
    down: (pointer) => {
      const snap = Number(getKey(app.store.current.style, SNAP) ?? 0);
      const found = find(timing.curve, pointer);
      const axis = found && found.part !== 'pose' ? 'x' : undefined;
      grab = found && { ...found, x: pointer.x, y: pointer.y, snap, axis };
      return grab !== undefined;
    },
    drag: (pointer) => {
      if (!grab) return;
      const [dx, dy] = [pointer.x - grab.x, grab.y - pointer.y];
      if (Math.max(Math.abs(dx), Math.abs(dy)) >= DECIDES) grab.axis ??= Math.abs(dx) >= Math.abs(dy) ? 'x' : 'y';
      if (grab.axis === 'x') stretch(grab, pointer);
      if (grab.axis !== 'y') return;
      const snap = Math.min(Math.max(grab.snap + dy / PER_SNAP, LEAST), MOST);
      app.setKey(SNAP, Number(snap.toFixed(2)), SNAP);
    },
    up: () => {
      grab = undefined;
      app.store.settle();
    },
    double: (pointer) => {
      if (remove(pointer)) return;
      const pose = find(timing.curve, pointer)?.pose;
      if (pose) timing.holds.set(pose.at, Math.min(pose.to - pose.from + NEW_LENGTH, LONGEST));
      else timing.add(pointer.time);
    },
    erase: remove,
    tip: (pointer) => {
      const { curve } = timing;
      const { time, scale } = pointer;
      if (!curve) return undefined;
      const what = tipOf(curve, pointer) || 'Double-click to hold this moment. ';
      return `${what}${described(curve, Math.min(Math.max(time, scale.start), scale.end))}`;
    },
    cursor: (pointer) => (find(timing.curve, pointer) ? 'ew-resize' : undefined),
  };
}

/** The timing of a style that leaves it alone: room for a first hold. */
export function offerLane(timing: Timing): Lane {
  const HINT = 'Double-click to hold a moment';
  return {
    id: 'timing-offer',
    label: 'Timing',
    height: 30,
    draw: (context, scale, colors) => {
      context.font = '10.5px system-ui, sans-serif';
      context.textBaseline = 'middle';
      context.fillStyle = colors.faint;
      context.fillText(HINT, 18, scale.height / 2 + 0.5);
    },
    double: ({ time }) => timing.add(time),
    tip: () => HINT,
  };
}
