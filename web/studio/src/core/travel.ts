// The path of a character in a clip, for a camera that follows it. The position depends only on the clip and the time,
// not on earlier frames or the frame rate.
import { Vector3 } from 'three';
import type { Character } from 'limber/engine';

/**
 * The path is smoothed over this many seconds in both directions, so that steps and landings do not shake the camera.
 */
const SMOOTH_S = 0.2;
/** Samples per second of the clip, and their max number. */
const RATE = 60;
const MAX_PLACES = 4000;
/** A path is closed if its ends are nearer than this fraction of the character's size. */
const CLOSED = 0.01;

/** The common ancestor of all joints that move vertices: the hips of most rigs. */
export function rootJoint(character: Character): number {
  const moving = new Set<number>();
  character.meshes.forEach(({ skin }, i) => {
    const { influenceJoint, influenceWeight } = character.mesh(i);
    const { joints } = character.skin(skin);
    influenceJoint.forEach((joint, k) => influenceWeight[k] > 0 && moving.add(joints[joint]));
  });
  let shared: number[] | undefined;
  for (const joint of moving) {
    const way: number[] = [];
    for (let at = joint; at >= 0; at = character.joints[at].parent) way.unshift(at);
    shared = shared?.filter((one, i) => way[i] === one) ?? way;
  }
  return shared?.at(-1) ?? 0;
}

export class Travel {
  private readonly places: Vector3[];

  constructor(
    private readonly start: number,
    private readonly end: number,
    size: number,
    placeAt: (time: number) => Vector3,
  ) {
    const count = Math.min(Math.max(Math.ceil((end - start) * RATE), 1), MAX_PLACES);
    const step = (end - start) / count;
    const raw = Array.from({ length: count + 1 }, (_, i) => placeAt(start + i * step));
    this.places = smoothed(raw, step, raw[0].distanceTo(raw[count]) < CLOSED * size);
  }

  /** The position in world space. */
  at(time: number): Vector3 {
    const { places, start, end } = this;
    const last = places.length - 1;
    const x = Math.min(Math.max((time - start) / Math.max(end - start, 1e-9), 0), 1) * last;
    const i = Math.min(Math.floor(x), last - 1);
    return places[i].clone().lerp(places[i + 1], x - i);
  }
}

/** Gaussian smoothing. An open path is extended by point reflection at its ends, a closed one wraps around. */
function smoothed(raw: readonly Vector3[], step: number, closed: boolean): Vector3[] {
  const last = raw.length - 1;
  const reach = Math.min(Math.ceil((3 * SMOOTH_S) / Math.max(step, 1e-9)), last);
  const turned = new Vector3();
  const beyond = (i: number): Vector3 => {
    if (i >= 0 && i <= last) return raw[i];
    if (closed) return raw[((i % last) + last) % last];
    return i < 0
      ? turned.copy(raw[0]).multiplyScalar(2).sub(raw[-i])
      : turned
          .copy(raw[last])
          .multiplyScalar(2)
          .sub(raw[2 * last - i]);
  };
  const weights = Array.from({ length: 2 * reach + 1 }, (_, k) =>
    Math.exp(-0.5 * (((k - reach) * step) / SMOOTH_S) ** 2),
  );
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return raw.map((_, i) =>
    weights.reduce((sum, weight, k) => sum.addScaledVector(beyond(i + k - reach), weight / whole), new Vector3()),
  );
}
