// Which vertices are at the same place.

export interface Places {
  /** The place of each vertex. */
  placeOf: Uint32Array;
  /** The first vertex of each place. */
  vertexOf: Uint32Array;
}

/** Vertices share a place if their coordinates are the same when rounded to `unit`. */
export function weld(points: Float32Array, unit: number): Places {
  const count = points.length / 3;
  const size = 2 ** Math.ceil(Math.log2(Math.max(2 * count, 2)));
  const table = new Int32Array(size).fill(-1); // a place, by the hash of its position
  const placeOf = new Uint32Array(count);
  const vertexOf = new Uint32Array(count);
  let places = 0;
  const rounded = (u: number, k: number) => Math.round(points[3 * u + k] / unit);
  for (let u = 0; u < count; u++) {
    const [x, y, z] = [rounded(u, 0), rounded(u, 1), rounded(u, 2)];
    let at = (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) & (size - 1);
    for (; table[at] >= 0; at = (at + 1) & (size - 1)) {
      const v = vertexOf[table[at]];
      if (rounded(v, 0) === x && rounded(v, 1) === y && rounded(v, 2) === z) break;
    }
    if (table[at] < 0) {
      table[at] = places;
      vertexOf[places++] = u;
    }
    placeOf[u] = table[at];
  }
  return { placeOf, vertexOf: vertexOf.slice(0, places) };
}
