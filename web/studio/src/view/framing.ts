// Where a camera has to stand to see a motion.
import { Vector3 } from 'three';

/** Which part of the view is free, as tangents of angles from its middle. */
export interface Free {
  side: number;
  above: number;
  below: number;
}

/** Where the camera has to stand to see all points, as near as it can be: what it looks at, and its distance. */
export function placeToSee(
  points: readonly Vector3[],
  direction: Vector3,
  free: Free,
): { target: Vector3; distance: number } {
  const right = new Vector3(0, 1, 0).cross(direction).normalize();
  const up = new Vector3().crossVectors(direction, right);
  // How far the four sides of the view must be moved outwards, for a camera at the origin.
  let [east, west, north, south] = [-Infinity, -Infinity, -Infinity, -Infinity];
  let near = -Infinity;
  for (const point of points) {
    const [x, y, z] = [point.dot(right), point.dot(up), point.dot(direction)];
    east = Math.max(east, x + free.side * z);
    west = Math.max(west, -x + free.side * z);
    north = Math.max(north, y + free.above * z);
    south = Math.max(south, -y + free.below * z);
    near = Math.max(near, z);
  }
  const tall = free.above + free.below;
  const away = Math.max((east + west) / (2 * free.side), (north + south) / tall);
  const x = (east - west) / 2;
  const y = north - free.above * away + (tall * away - north - south) / 2;
  const middle = points.reduce((sum, point) => sum + point.dot(direction), 0) / points.length;
  const target = new Vector3().addScaledVector(right, x).addScaledVector(up, y).addScaledVector(direction, middle);
  return { target, distance: Math.max(away - middle, 1e-4) };
}
