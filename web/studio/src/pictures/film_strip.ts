// Films of a few small pictures: what a style makes of the liveliest moment of a clip.
import { Vector3 } from 'three';
import type { Pipeline, SmearMesh, Style } from 'limber/engine';
import type { Session } from '../core/session';
import { Figure } from './figure';
import type { Shot, Canvas } from './figure';

export const FRAMES = 14;
export const FRAME_S = 0.1;
const LOOKS = 32; // moments to look at for the liveliest
const MARGIN = 1.12;
/** A larger character would make the page wait; it has names only. */
const MOST_VERTICES = 120_000;

/** What all films of a clip have in common, so that they can be compared. */
export interface Plan {
  figure: Figure;
  clip: number;
  times: number[];
  shots: Shot[];
  /** The frame to show while nothing moves. */
  still: number;
}

export const isSmallEnough = (session: Session): boolean => session.character.vertexCount <= MOST_VERTICES;

function middleOf(positions: Float32Array): Vector3 {
  const sum = new Vector3();
  for (let i = 0; i < positions.length; i += 3) {
    sum.x += positions[i];
    sum.z += positions[i + 2];
  }
  return sum.divideScalar(Math.max(positions.length / 3, 1));
}

/** How far vertices are apart, the way of the whole body left out. */
function change(a: Float32Array, b: Float32Array): number {
  const way = middleOf(b).sub(middleOf(a));
  let sum = 0;
  for (let i = 0; i < a.length; i += 3)
    sum += Math.hypot(b[i] - a[i] - way.x, b[i + 1] - a[i + 1], b[i + 2] - a[i + 2] - way.z);
  return sum;
}

/** The beginning of the liveliest part of a clip. */
function* liveliest(plain: Pipeline, clip: number, start: number, end: number): Generator<void, number> {
  const length = FRAMES * FRAME_S;
  if (end - start <= length) return start;
  const step = (end - start) / LOOKS;
  const changes: number[] = [];
  let last: Float32Array | undefined;
  for (let i = 0; i <= LOOKS; i++) {
    const { positions } = plain.evaluate(clip, start + i * step);
    if (last) changes.push(change(last, positions));
    last = positions;
    yield;
  }
  const span = Math.max(1, Math.round(length / step));
  let best = { from: 0, sum: -1 };
  for (let from = 0; from + span <= changes.length; from++) {
    const sum = changes.slice(from, from + span).reduce((all, one) => all + one, 0);
    if (sum > best.sum * 1.0001) best = { from, sum };
  }
  return Math.min(start + best.from * step, end - length);
}

/** Looks at the plain clip. Every step takes about as long as a frame. */
export function* planOf(session: Session, index: number): Generator<void, Plan> {
  const figure = new Figure(session);
  yield;
  const { motionStart, end } = session.clipInfo(index);
  const { pipeline, clip } = session.pipeline(index);
  const plain = pipeline.character.pipeline({});
  try {
    const from = yield* liveliest(plain, clip, motionStart, end);
    const step = Math.min(FRAME_S, (end - from) / FRAMES);
    const times = Array.from({ length: FRAMES }, (_, i) => from + i * step);
    const shots: Shot[] = [];
    let [half, low, high] = [0, Infinity, -Infinity];
    let fastest = { frame: 0, change: -1 };
    let last: Float32Array | undefined;
    for (const [frame, time] of times.entries()) {
      const { positions } = plain.evaluate(clip, time);
      const center = middleOf(positions);
      const middle = figure.sideways(center);
      const point = new Vector3();
      for (let i = 0; i < positions.length; i += 3) {
        const { x, y } = figure.sideways(point.fromArray(positions, i));
        half = Math.max(half, Math.abs(x - middle.x));
        [low, high] = [Math.min(low, y - middle.y), Math.max(high, y - middle.y)];
      }
      const now = last ? change(last, positions) : 0;
      if (now > fastest.change) fastest = { frame, change: now };
      last = positions;
      shots.push({ center, half: 0 });
      yield;
    }
    const radius = MARGIN * Math.max(half, (high - low) / 2, 1e-6);
    for (const shot of shots) {
      shot.half = radius;
      shot.center.y = (low + high) / 2;
    }
    return { figure, clip: index, times, shots, still: fastest.frame };
  } finally {
    plain.dispose();
  }
}

/** The frames of a style, one per step: first the still one. Nothing is left of it when it ends or is ended. */
export function* framesOf(
  plan: Plan,
  style: Style,
  canvas: Canvas,
  show: (frame: number, image: ImageData) => void,
  wanted: readonly number[],
): Generator<void, void> {
  const { figure, times, shots } = plan;
  const { pipeline: current, clip } = figure.session.pipeline(plan.clip);
  const pipeline = current.character.pipeline(style);
  const positions = new Float32Array(3 * current.character.vertexCount);
  let smearMeshes: SmearMesh[] = [];
  try {
    yield;
    for (const frame of wanted) {
      if (pipeline.smears)
        smearMeshes =
          pipeline.evaluateSmeared(clip, times[frame], 0, { positions, smearMeshes }).smearMeshes ?? smearMeshes;
      else pipeline.evaluate(clip, times[frame], { positions });
      yield;
      figure.draw(canvas, positions, smearMeshes, shots[frame]);
      show(frame, canvas.image);
      yield;
    }
  } finally {
    pipeline.dispose();
  }
}

/** One picture per clip, plain, in the middle of its motion. */
export function* stillsOf(
  session: Session,
  canvas: Canvas,
  show: (clip: number, image: ImageData) => void,
): Generator<void, void> {
  const figure = new Figure(session);
  yield;
  for (let index = 0; index < session.clips.length; index++) {
    const { motionStart, end } = session.clipInfo(index);
    const { pipeline, clip } = session.pipeline(index);
    const plain = pipeline.character.pipeline({});
    try {
      const { positions } = plain.evaluate(clip, (motionStart + end) / 2);
      figure.draw(canvas, positions, [], figure.shotOf(positions));
      show(index, canvas.image);
    } finally {
      plain.dispose();
    }
    yield;
  }
}
