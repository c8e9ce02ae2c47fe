// Speed and acceleration along sampled paths as curves that can be read, and the blows in them.

/** Keyed clips go in straight lines from key to key; over this time they are as smooth as they look [s]. */
const SMOOTH_S = 1 / 24;
const BLOW_SPEED = 2; // sizes of the character per second
const BLOW_STOPS = 0.35; // of its top speed is left
const BLOW_S = 0.14; // within this time after the top
const RESTS_S = 0.1; // and stays slow for this time: an arm that swings back does not
const BACK = 0.6; // of its top speed is no longer slow
const APART_S = 0.25; // two blows of a joint are at least this far apart

/** A path (3 numbers per time, `step` seconds apart) under a bell curve. Beyond its ends it goes on as it came. */
export function smoothed(path: Float32Array, step: number): Float32Array {
  const count = path.length / 3;
  const reach = Math.min(Math.ceil((3 * SMOOTH_S) / step), count - 1);
  const weights = Array.from({ length: reach + 1 }, (_, i) => Math.exp(-0.5 * ((i * step) / SMOOTH_S) ** 2));
  const at = (i: number, axis: number): number => {
    if (i < 0) return 2 * path[axis] - path[-3 * i + axis];
    if (i >= count) return 2 * path[3 * (count - 1) + axis] - path[3 * (2 * (count - 1) - i) + axis];
    return path[3 * i + axis];
  };
  const all = weights.reduce((sum, weight, i) => sum + (i ? 2 : 1) * weight, 0);
  return Float32Array.from(path, (_, k) => {
    const [i, axis] = [Math.floor(k / 3), k % 3];
    let sum = weights[0] * at(i, axis);
    for (let n = 1; n <= reach; n++) sum += weights[n] * (at(i - n, axis) + at(i + n, axis));
    return sum / all;
  });
}

/** Speed and acceleration along a path, relative to the character's size. */
export function motionOf(
  path: Float32Array,
  step: number,
  size: number,
): { speed: Float32Array; acceleration: Float32Array } {
  const count = path.length / 3;
  const at = (i: number, axis: number) => path[3 * Math.min(Math.max(i, 0), count - 1) + axis];
  const length = (part: (axis: number) => number) => Math.hypot(part(0), part(1), part(2)) / size;
  const inside = (i: number) => Math.min(Math.max(i, 1), count - 2); // the first and last sample have only one neighbor
  return {
    speed: Float32Array.from({ length: count }, (_, i) =>
      length((axis) => (at(inside(i) + 1, axis) - at(inside(i) - 1, axis)) / (2 * step)),
    ),
    acceleration: Float32Array.from({ length: count }, (_, i) =>
      length((axis) => (at(inside(i) + 1, axis) - 2 * at(inside(i), axis) + at(inside(i) - 1, axis)) / (step * step)),
    ),
  };
}

/** The samples where something fast comes to rest at once: a punch, a kick, a clap. */
export function blowsIn(speed: Float32Array, step: number): number[] {
  const found: number[] = [];
  const within = Math.max(1, Math.round(BLOW_S / step));
  for (let i = 1; i + 1 < speed.length; i++) {
    const top = speed[i] >= BLOW_SPEED && speed[i] >= speed[i - 1] && speed[i] > speed[i + 1];
    if (!top) continue;
    let low = i;
    while (low + 1 < speed.length && low < i + within && speed[low + 1] <= speed[low]) low++;
    const last = found.at(-1);
    const after = speed.subarray(low, low + Math.round(RESTS_S / step) + 1);
    const rests = speed[low] <= BLOW_STOPS * speed[i] && after.every((one) => one <= BACK * speed[i]);
    if (rests && (last === undefined || (low - last) * step >= APART_S)) found.push(low);
  }
  return found;
}
