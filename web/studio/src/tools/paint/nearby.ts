// Finds the places near a point without looking at all of them.

export class Nearby {
  private readonly first: Uint32Array;
  private readonly list: Uint32Array;
  private readonly size: number;

  /** `positions` of vertices in world space; `vertexOf`: a vertex of each place; `cell`: about the radius of a brush. */
  constructor(
    positions: Float32Array,
    vertexOf: Uint32Array,
    private readonly cell: number,
  ) {
    this.size = 2 ** Math.ceil(Math.log2(Math.max(vertexOf.length / 8, 16)));
    this.first = new Uint32Array(this.size + 1);
    this.list = new Uint32Array(vertexOf.length);
    const slots = new Uint32Array(vertexOf.length);
    for (let i = 0; i < vertexOf.length; i++) {
      const at = 3 * vertexOf[i];
      slots[i] = this.slot(this.index(positions[at]), this.index(positions[at + 1]), this.index(positions[at + 2]));
      this.first[slots[i] + 1]++;
    }
    for (let s = 0; s < this.size; s++) this.first[s + 1] += this.first[s];
    const next = this.first.slice();
    for (let i = 0; i < slots.length; i++) this.list[next[slots[i]]++] = i;
  }

  private index(x: number): number {
    return Math.floor(x / this.cell);
  }

  private slot(i: number, j: number, k: number): number {
    return (Math.imul(i, 73856093) ^ Math.imul(j, 19349663) ^ Math.imul(k, 83492791)) & (this.size - 1);
  }

  /** Calls `visit` for places that may be within `radius` of a point; returns how many. */
  around(x: number, y: number, z: number, radius: number, visit: (place: number) => void): number {
    const slots = new Set<number>(); // different cells may share a slot
    for (let i = this.index(x - radius); i <= this.index(x + radius); i++)
      for (let j = this.index(y - radius); j <= this.index(y + radius); j++)
        for (let k = this.index(z - radius); k <= this.index(z + radius); k++) slots.add(this.slot(i, j, k));
    let count = 0;
    for (const slot of slots)
      for (let n = this.first[slot]; n < this.first[slot + 1]; n++, count++) visit(this.list[n]);
    return count;
  }
}
