// One stroke of a brush, from pressing the button to releasing it.
//
// Each place remembers the max that any dab has given it. A stroke of strength 0.5 therefore changes a value by at most
// 0.5, no matter how slowly the pointer moves or how often it crosses the same place.
import type { Vector3 } from 'three';
import type { Nearby } from './nearby';
import type { Surface } from './surface';

export type Mode = 'add' | 'subtract' | 'smooth' | 'zero' | 'one';
export type Falloff = 'smooth' | 'linear' | 'sharp' | 'flat';

export interface Brush {
  mode: Mode;
  /** In world space. */
  radius: number;
  /** From 0 to 1. */
  strength: number;
  falloff: Falloff;
  mirror: boolean;
  /** Also paints what is behind the surface, such as both sides of an ear. */
  through: boolean;
}

const FALLOFF: Record<Falloff, (t: number) => number> = {
  smooth: (t) => (1 - t * t) ** 2,
  linear: (t) => 1 - t,
  sharp: (t) => (1 - t) ** 2,
  flat: () => 1,
};

export const falloffAt = (kind: Falloff, t: number): number => (t >= 1 ? 0 : FALLOFF[kind](t));

const limited = (value: number): number => Math.min(Math.max(value, -1), 1);

/** Moves values towards the mean of their neighbors, by `weight`. */
function soften(surface: Surface, values: Float32Array, weight: Float32Array, touched: readonly number[]): void {
  const { first, list } = surface.neighbours;
  const next = touched.map((i) => {
    let sum = 0;
    for (let n = first[i]; n < first[i + 1]; n++) sum += values[list[n]];
    const count = first[i + 1] - first[i];
    return count ? values[i] + weight[i] * (sum / count - values[i]) : values[i];
  });
  touched.forEach((i, k) => (values[i] = next[k]));
}

export class Stroke {
  /** One per place. */
  readonly values: Float32Array;
  private readonly before: Float32Array;
  private readonly had: Float32Array;
  private readonly weight: Float32Array;
  /** Places with a weight, from the last dab. */
  private touched: number[] = [];
  /** How many places the last dab has looked at. */
  visited = 0;

  /** `nearby`: of positions that do not change during the stroke; undefined: a dab looks at all places. */
  constructor(
    private readonly surface: Surface,
    values: Float32Array,
    readonly brush: Brush,
    private readonly nearby?: Nearby,
  ) {
    this.before = surface.gather(values);
    this.values = this.before.slice();
    this.had = new Float32Array(surface.placeCount);
    this.weight = new Float32Array(surface.placeCount);
  }

  /** Vertex positions in world space, and normals per place for brushes that do not paint through. */
  dab(center: Vector3, normal: Vector3, positions: Float32Array, normals: Float32Array | undefined): void {
    const touched = this.weigh(center, normal, positions, normals);
    if (this.brush.mode === 'smooth') return this.smooth(touched);
    for (const i of touched) {
      if (this.weight[i] <= this.had[i]) continue;
      this.had[i] = this.weight[i];
      this.values[i] = this.result(this.before[i], this.had[i] * this.brush.strength);
    }
  }

  private result(before: number, amount: number): number {
    switch (this.brush.mode) {
      case 'add':
        return limited(before + amount);
      case 'subtract':
        return limited(before - amount);
      case 'one':
        return before + amount * (1 - before);
      default:
        return before * (1 - amount);
    }
  }

  private smooth(touched: readonly number[]): void {
    for (const i of touched) this.weight[i] *= this.brush.strength;
    soften(this.surface, this.values, this.weight, touched);
  }

  /** Computes the brush weight of each place; returns the places that have any. */
  private weigh(
    center: Vector3,
    normal: Vector3,
    positions: Float32Array,
    normals: Float32Array | undefined,
  ): number[] {
    const { surface, weight, brush, nearby } = this;
    const { vertexOf } = surface;
    const touched: number[] = [];
    const { x, y, z } = center;
    const reach = brush.radius * brush.radius;
    for (const i of this.touched) weight[i] = 0;
    const visit = (i: number) => {
      const at = 3 * vertexOf[i];
      const away = (positions[at] - x) ** 2 + (positions[at + 1] - y) ** 2 + (positions[at + 2] - z) ** 2;
      if (away >= reach) return;
      const facing = normals
        ? Math.min(
            Math.max(
              2 * (normals[3 * i] * normal.x + normals[3 * i + 1] * normal.y + normals[3 * i + 2] * normal.z) + 0.5,
              0,
            ),
            1,
          )
        : 1;
      weight[i] = facing * falloffAt(brush.falloff, Math.sqrt(away) / brush.radius);
      if (weight[i] > 0) touched.push(i);
    };
    if (nearby) this.visited = nearby.around(x, y, z, brush.radius, visit);
    else for (let i = (this.visited = vertexOf.length); i-- > 0;) visit(i);
    if (brush.mirror) this.reflect(touched);
    this.touched = touched;
    return touched;
  }

  /** Each place also gets the weight of its mirror partner. */
  private reflect(touched: number[]): void {
    const { partners } = this.surface;
    const { weight } = this;
    const own = new Map(touched.map((i) => [i, weight[i]]));
    const give = (i: number, amount: number) => {
      if (amount <= weight[i]) return;
      if (weight[i] === 0) touched.push(i);
      weight[i] = amount;
    };
    if (this.nearby) for (const [i, amount] of own) partners[i] >= 0 && give(partners[i], amount);
    else partners.forEach((partner, i) => give(i, own.get(partner) ?? 0));
  }
}

/** Current normals of the places, computed from the triangles. */
export function placeNormals(surface: Surface, triangles: Uint32Array, positions: Float32Array): Float32Array {
  const out = new Float32Array(3 * surface.placeCount);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (const corner of [a, b, c]) {
      const at = 3 * surface.placeOf[corner / 3];
      out[at] += nx;
      out[at + 1] += ny;
      out[at + 2] += nz;
    }
  }
  for (let at = 0; at < out.length; at += 3) {
    const length = Math.hypot(out[at], out[at + 1], out[at + 2]);
    if (length > 0) for (let k = 0; k < 3; k++) out[at + k] /= length;
  }
  return out;
}
