// The outermost points of a motion: what a camera has to see.
import { Box3, Vector3 } from 'three';

/** Directions spread evenly over the sphere, and the axes. */
const DIRECTIONS = [
  ...[0, 1, 2].flatMap((axis) => [1, -1].map((sign) => new Vector3().setComponent(axis, sign))),
  ...Array.from({ length: 42 }, (_, i) => {
    const y = 1 - (2 * (i + 0.5)) / 42;
    const turn = i * Math.PI * (3 - Math.sqrt(5));
    return new Vector3(Math.cos(turn) * Math.sqrt(1 - y * y), y, Math.sin(turn) * Math.sqrt(1 - y * y));
  }),
];
const MOST_POINTS = 8000; // of a moment; of more, only every few are looked at

export class Reach {
  readonly points: Vector3[] = [];
  readonly box = new Box3();

  /** Adds the outermost points of a moment, moved by `shift`. */
  add(positions: Float32Array, shift = new Vector3()): void {
    const step = 3 * Math.max(1, Math.ceil(positions.length / 3 / MOST_POINTS));
    for (const direction of DIRECTIONS) {
      const { x, y, z } = direction;
      let most = -Infinity;
      let at = -1;
      for (let i = 0; i < positions.length; i += step) {
        const along = x * positions[i] + y * positions[i + 1] + z * positions[i + 2];
        if (along > most) {
          most = along;
          at = i;
        }
      }
      if (at >= 0) this.points.push(new Vector3().fromArray(positions, at).add(shift));
    }
    const moment = new Box3().setFromArray(positions);
    if (!moment.isEmpty()) this.box.union(moment.translate(shift));
  }

  moved(by: Vector3): Reach {
    const reach = new Reach();
    reach.points.push(...this.points.map((point) => point.clone().add(by)));
    reach.box.copy(this.box).translate(by);
    return reach;
  }
}
