// Surface data for brushes: which vertices share a place, which places are neighbors, and which are mirror partners. It
// is computed in the rest pose, once per character.
import type { Character } from 'limber/engine';
import { weld } from '../../core/weld';

/** Vertices share a place if they are closer than this fraction of the character's size. */
const WELD = 1e-5;
/** Max distance to the mirrored position for mirror partners, relative to the character's size. */
const PARTNER = 0.04;
const CELLS = 48;

/** This runs for all vertices in every step of a stroke; `Float32Array.from` is ten times slower. */
function pick(values: Float32Array, which: Uint32Array): Float32Array {
  const out = new Float32Array(which.length);
  for (let i = 0; i < which.length; i++) out[i] = values[which[i]];
  return out;
}

export class Surface {
  /**
   * The place of each vertex. Vertices that were split for texture coordinates share a place, so they stay together.
   */
  readonly placeOf: Uint32Array;
  readonly placeCount: number;
  /** One vertex of each place. */
  readonly vertexOf: Uint32Array;
  private readonly rest: Float32Array;
  private neighbourLists: { first: Uint32Array; list: Uint32Array } | undefined;
  private partnerList: Int32Array | undefined;

  constructor(private readonly character: Character) {
    this.rest = character.restPositions();
    const unit = Math.max(character.size * WELD, 1e-12);
    ({ placeOf: this.placeOf, vertexOf: this.vertexOf } = weld(this.rest, unit));
    this.placeCount = this.vertexOf.length;
  }

  /** Converts values per vertex to values per place. */
  gather(values: Float32Array): Float32Array {
    return pick(values, this.vertexOf);
  }

  /** Converts values per place to values per vertex. */
  spread(values: Float32Array): Float32Array {
    return pick(values, this.placeOf);
  }

  /** The neighbors of place i are list[first[i]] … list[first[i + 1] - 1]. */
  get neighbours(): { first: Uint32Array; list: Uint32Array } {
    return (this.neighbourLists ??= this.findNeighbours());
  }

  private findNeighbours(): { first: Uint32Array; list: Uint32Array } {
    const { placeOf, placeCount, character } = this;
    const eachEdge = (visit: (a: number, b: number) => void) =>
      character.meshes.forEach(({ firstVertex }, m) => {
        const { triangles } = character.mesh(m);
        for (let t = 0; t < triangles.length; t++) {
          const a = placeOf[firstVertex + triangles[t]];
          const b = placeOf[firstVertex + triangles[t % 3 === 2 ? t - 2 : t + 1]];
          if (a !== b) visit(a, b);
        }
      });
    const start = new Uint32Array(placeCount + 1);
    eachEdge((a, b) => (start[a + 1]++, start[b + 1]++));
    for (let i = 0; i < placeCount; i++) start[i + 1] += start[i];
    const all = new Uint32Array(start[placeCount]);
    const first = new Uint32Array(placeCount + 1);
    const fill = start.slice();
    eachEdge((a, b) => ((all[fill[a]++] = b), (all[fill[b]++] = a)));
    // Most edges belong to two triangles: keep each neighbor once.
    let count = 0;
    for (let i = 0; i < placeCount; i++) {
      first[i] = count;
      for (let n = start[i]; n < start[i + 1]; n++) {
        let known = first[i];
        while (known < count && all[known] !== all[n]) known++;
        if (known === count) all[count++] = all[n];
      }
    }
    first[placeCount] = count;
    return { first, list: all.slice(0, count) };
  }

  /** The left-right mirror partner of each place, or -1. */
  get partners(): Int32Array {
    return (this.partnerList ??= this.findPartners());
  }

  /** The mirror plane is x = 0, or the center of the bounding box if that fits better. */
  private findPartners(): Int32Array {
    const { rest, vertexOf } = this;
    let min = Infinity;
    let max = -Infinity;
    for (const u of vertexOf) {
      min = Math.min(min, rest[3 * u]);
      max = Math.max(max, rest[3 * u]);
    }
    const grid = new Grid(rest, vertexOf, this.character.size / CELLS);
    const reach = PARTNER * this.character.size;
    const tries = [0, (min + max) / 2].map((middle) => {
      const found = Int32Array.from(vertexOf, (u) =>
        grid.nearest(2 * middle - rest[3 * u], rest[3 * u + 1], rest[3 * u + 2], reach),
      );
      let sum = 0;
      found.forEach(
        (place, i) =>
          (sum +=
            place < 0
              ? reach
              : Math.hypot(
                  2 * middle - rest[3 * vertexOf[i]] - rest[3 * vertexOf[place]],
                  rest[3 * vertexOf[i] + 1] - rest[3 * vertexOf[place] + 1],
                  rest[3 * vertexOf[i] + 2] - rest[3 * vertexOf[place] + 2],
                )),
      );
      return { found, sum };
    });
    return tries[0].sum <= tries[1].sum * 1.001 ? tries[0].found : tries[1].found;
  }
}

/** A grid of places, to find the nearest. */
class Grid {
  private readonly cells = new Map<number, number[]>();

  constructor(
    private readonly rest: Float32Array,
    private readonly vertexOf: Uint32Array,
    private readonly cell: number,
  ) {
    vertexOf.forEach((u, place) => {
      const key = this.key(this.index(rest[3 * u]), this.index(rest[3 * u + 1]), this.index(rest[3 * u + 2]));
      const list = this.cells.get(key);
      if (list) list.push(place);
      else this.cells.set(key, [place]);
    });
  }

  private index(x: number): number {
    return Math.floor(x / this.cell);
  }

  private key(i: number, j: number, k: number): number {
    return (i * 2 ** 17 + j) * 2 ** 17 + k;
  }

  nearest(x: number, y: number, z: number, reach: number): number {
    const steps = Math.ceil(reach / this.cell);
    const i = this.index(x);
    const j = this.index(y);
    const k = this.index(z);
    let best = -1;
    let nearest = reach * reach;
    for (let ring = 0; ring <= steps; ring++) {
      if (best >= 0 && ((ring - 1) * this.cell) ** 2 > nearest) break;
      for (let a = -ring; a <= ring; a++)
        for (let b = -ring; b <= ring; b++)
          for (let c = -ring; c <= ring; c++) {
            if (Math.max(Math.abs(a), Math.abs(b), Math.abs(c)) !== ring) continue;
            for (const place of this.cells.get(this.key(i + a, j + b, k + c)) ?? []) {
              const u = 3 * this.vertexOf[place];
              const away = (this.rest[u] - x) ** 2 + (this.rest[u + 1] - y) ** 2 + (this.rest[u + 2] - z) ** 2;
              if (away < nearest) [best, nearest] = [place, away];
            }
          }
    }
    return best;
  }
}
