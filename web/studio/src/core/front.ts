// Where a character looks, from the names of its left and right joints: with its left side to the left hand and its
// head up, there is one way to look.
import { Vector3 } from 'three';

export interface NamedPlace {
  name: string;
  place: Vector3;
}

const LEFT = /left|(?<![a-z])l(?![a-z])/i;
const RIGHT = /right|(?<![a-z])r(?![a-z])/i;
const UP = new Vector3(0, 1, 0);
/** Pairs that are this much apart along the ground, of all there is between them, count. */
const LEVEL = 0.3;

/** Radians about the vertical from +z, as glTF says characters look; 0 where names do not tell. */
export function frontOf(joints: readonly NamedPlace[]): number {
  const rights = new Map(
    joints.filter(({ name }) => RIGHT.test(name)).map((one) => [one.name.replace(RIGHT, '*'), one]),
  );
  const across = new Vector3();
  let apart = 0;
  for (const { name, place } of joints) {
    const other = LEFT.test(name) && rights.get(name.replace(LEFT, '*'));
    if (!other) continue;
    const way = place.clone().sub(other.place);
    across.add(way);
    apart += way.length();
  }
  across.y = 0;
  if (!(across.length() > LEVEL * apart) || apart === 0) return 0;
  const front = across.cross(UP);
  return Math.atan2(front.x, front.z);
}
