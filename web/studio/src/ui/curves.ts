// Curves over the clip for the selected joint: speed, acceleration, and the strength of the selected effect. They are
// measured at the center of the part that the joint moves, so that rotations count as well.
import { LimberError } from 'limber/engine';
import type { Pipeline, Style } from 'limber/engine';
import type { App } from '../app';
import { EFFECTS, isOn } from '../core/effects';
import { extremities, interesting } from '../core/interest';
import { blowsIn, motionOf, smoothed } from '../core/speeds';
import type { Session } from '../core/session';
import { h } from './dom';
import type { Lane, LaneColors, LanePointer, LaneScale } from './lanes';
import { color } from './theme';

const MOMENTS = { least: 180, most: 900, perSecond: 60 };
const EFFECT_MOMENTS = 90;
const BUSY_MOMENTS = 24;
const SLICE_MS = 8; // at a time
const STAR = 5; // CSS pixels
const REACH = 6;

interface Line {
  times: Float32Array;
  values: Float32Array;
}

/** The paths of the centers of what the joints move: 3 numbers per time. Every step is a short one. */
function* pathsOf(
  pipeline: Pipeline,
  clip: number,
  times: Float32Array,
  joints: number[],
): Generator<void, Float32Array[]> {
  const { character } = pipeline;
  const worlds = new Float32Array(16 * character.jointCount);
  const paths = joints.map(() => new Float32Array(3 * times.length));
  for (const [i, time] of times.entries()) {
    yield;
    pipeline.evaluateJoints(clip, time);
    pipeline.worldMatrices(worlds);
    joints.forEach((joint, k) => {
      const m = worlds.subarray(16 * joint, 16 * joint + 16);
      const [x, y, z] = character.joints[joint].centroid;
      for (let axis = 0; axis < 3; axis++)
        paths[k][3 * i + axis] = m[axis] * x + m[4 + axis] * y + m[8 + axis] * z + m[12 + axis];
    });
  }
  return paths;
}

function momentsOf(start: number, end: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => start + ((end - start) * i) / (count - 1));
}

class Curves {
  speed: Line | undefined;
  acceleration: Line | undefined;
  effect: Line | undefined;
  /** Where a hand, a foot or a tip comes to rest at once. */
  blows: readonly { time: number; joint: number }[] = [];
  joint = -1;
  path = '';
  private endStrength = () => {};
  private timer = 0;

  constructor(
    private readonly app: App,
    private readonly redraw: () => void,
  ) {
    const soon = () => {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.goOn(this.compute()), 120);
    };
    app.joint.listen(soon);
    app.part.listen(soon);
    app.session.listen(() => {
      this.endStrength();
      soon();
    });
    app.store.document.listen(soon);
  }

  /** The selected effect if it is on, else the first effect that is on. */
  private effectPath(style: Style): string {
    const chosen = EFFECTS.find((part) => part.path === this.app.part.value && isOn(style, part.path));
    return (chosen ?? EFFECTS.find((part) => isOn(style, part.path)))?.path ?? '';
  }

  /** Lets the page do other things between the steps. A newer computation ends this one. */
  private goOn(steps: Generator<void, void>): void {
    const end = performance.now() + SLICE_MS;
    try {
      while (!steps.next().done)
        if (performance.now() > end) {
          this.timer = window.setTimeout(() => this.goOn(steps));
          return;
        }
    } catch (error) {
      if (!(error instanceof LimberError)) throw error; // the character has another pipeline by now: told again
    }
  }

  private *compute(): Generator<void, void> {
    const { app } = this;
    const session = app.session.value;
    const document = app.store.document.value;
    this.endStrength();
    if (!session || !document || session.file !== document.file || app.behind.value) return;
    const { start, end } = app.player.span.value;
    const { pipeline, clip } = session.pipeline(document.clip);
    this.joint = app.joint.value >= 0 ? app.joint.value : yield* this.busiest(session, document.clip);
    const { least, most, perSecond } = MOMENTS;
    const count = Math.min(Math.max(Math.round((end - start) * perSecond) + 1, least), most);
    const times = momentsOf(start, end, count);
    const step = (end - start) / (count - 1);
    const ends = extremities(session.character);
    const paths = yield* pathsOf(pipeline, clip, times, [this.joint, ...ends]);
    const motions: ReturnType<typeof motionOf>[] = [];
    for (const path of paths) {
      motions.push(motionOf(smoothed(path, step), step, session.size));
      yield;
    }
    const [motion, ...others] = motions;
    this.speed = { times, values: motion.speed };
    this.acceleration = { times, values: motion.acceleration };
    // A cycle comes to rest nowhere.
    const hits = session.clipInfo(document.clip).loops ? [] : others.map(({ speed }) => blowsIn(speed, step));
    this.blows = hits.flatMap((all, i) => all.map((at) => ({ time: times[at], joint: ends[i] })));
    this.path = this.effectPath(document.style);
    this.effect = undefined;
    if (this.path) this.measure(document.clip, document.style);
    this.redraw();
  }

  /** How far the effect alone moves the vertices of the joint over the clip. The twin computes it. */
  private measure(clip: number, style: Style): void {
    const name = this.path.split('.')[1] as keyof NonNullable<Style['effects']>;
    const { start, end } = this.app.player.span.value;
    const alone: Style = { ...style, smear: undefined, effects: { [name]: style.effects?.[name] } };
    const times = momentsOf(start, end, EFFECT_MOMENTS);
    this.endStrength = this.app.ask({ kind: 'strength', clip, style: alone, joint: this.joint, times }, (answer) => {
      if (!('values' in answer)) return;
      this.effect = { times, values: answer.values };
      this.redraw();
    });
  }

  /** If no joint is selected: of those that carry a part of the body, the one that travels farthest. */
  private *busiest(session: Session, index: number): Generator<void, number> {
    const { start, end } = this.app.player.span.value;
    const { pipeline, clip } = session.pipeline(index);
    const joints = interesting(session.character);
    const moments = momentsOf(start, end, BUSY_MOMENTS);
    const far = (yield* pathsOf(pipeline, clip, moments, joints)).map((path) =>
      motionOf(path, 1, 1).speed.reduce((sum, speed) => sum + speed, 0),
    );
    return joints[far.indexOf(Math.max(...far))];
  }
}

const largest = (line: Line): number => line.values.reduce((max, value) => Math.max(max, value), 1e-9);

function trace(context: CanvasRenderingContext2D, line: Line, scale: LaneScale): void {
  const max = largest(line);
  const room = scale.height - 14;
  context.beginPath();
  line.times.forEach((time, i) => {
    const x = scale.xOf(time);
    const y = scale.height - 4 - (line.values[i] / max) * room;
    if (i) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
}

/** The mark of a blow. */
function star(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  for (let i = 0; i < 16; i++) {
    const radius = i % 2 ? STAR / 2 : STAR;
    context.lineTo(x + radius * Math.sin((i * Math.PI) / 8), y - radius * Math.cos((i * Math.PI) / 8));
  }
  context.closePath();
  context.fillStyle = color('danger');
  context.fill();
}

export function curvesLane(app: App, redraw: () => void): Lane {
  const name = h('span', { class: 'curve-joint' });
  const effect = h('span', { class: 'curve-legend' });
  const curves = new Curves(app, redraw);
  const header = h(
    'div',
    { class: 'curve-head' },
    name,
    h('span', { class: 'curve-legend', style: '--swatch:var(--speed)' }, 'Speed'),
    h('span', { class: 'curve-legend', style: '--swatch:var(--acceleration)' }, 'Accel.'),
    effect,
  );
  const draw = (context: CanvasRenderingContext2D, scale: LaneScale, colors: LaneColors) => {
    const part = EFFECTS.find((one) => one.path === curves.path);
    const session = app.session.value;
    name.textContent = session && curves.joint >= 0 ? (session.joints[curves.joint]?.label ?? '') : '';
    name.title = app.joint.value < 0 ? 'The part that travels farthest; click the character to select another' : '';
    effect.hidden = !part;
    effect.textContent = part?.title ?? '';
    effect.style.setProperty('--swatch', part?.color ?? 'none');
    context.strokeStyle = colors.line;
    context.beginPath();
    context.moveTo(0, scale.height - 3.5);
    context.lineTo(scale.width, scale.height - 3.5);
    context.stroke();
    if (curves.effect && part && largest(curves.effect) > 1e-8) {
      trace(context, curves.effect, scale);
      context.lineTo(scale.xOf(scale.end), scale.height - 4);
      context.lineTo(scale.xOf(scale.start), scale.height - 4);
      context.closePath();
      context.globalAlpha = 0.28;
      context.fillStyle = color(part.color.slice(6, -1));
      context.fill();
      context.globalAlpha = 1;
    }
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    for (const [line, tint] of [
      [curves.acceleration, 'acceleration'],
      [curves.speed, 'speed'],
    ] as const) {
      if (!line) continue;
      trace(context, line, scale);
      context.strokeStyle = color(tint);
      context.stroke();
    }
    for (const { time } of curves.blows) star(context, scale.xOf(time), STAR + 2);
  };
  const labelOf = (joint: number) => app.session.value?.joints[joint]?.label ?? '';
  const tip = ({ x, time, scale }: LanePointer): string | undefined => {
    const { speed } = curves;
    const hit = curves.blows.filter((blow) => Math.abs(scale.xOf(blow.time) - x) < REACH);
    if (hit.length) return `Blow: ${[...new Set(hit.map(({ joint }) => labelOf(joint)))].join(', ')}`;
    const at = speed?.times.findIndex((one) => one >= time) ?? -1;
    return at < 0 ? undefined : `${labelOf(curves.joint)}: ${speed!.values[at].toFixed(2)} sizes per second`;
  };
  return { id: 'curves', label: 'Motion', height: 'fill', header, draw, tip };
}
