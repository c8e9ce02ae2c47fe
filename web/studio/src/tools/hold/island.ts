// Connected pieces of the surface. Vertices of a mesh at the same place are one, as for the engine.
import type { Character } from 'limber/engine';
import { weld } from '../../core/weld';

const SAME = 1e-5; // of the size

const known = new WeakMap<Character, Uint32Array>();

/** A number for the piece of each vertex. */
function piecesOf(character: Character): Uint32Array {
  const root = Uint32Array.from({ length: character.vertexCount }, (_, u) => u);
  const find = (u: number): number => {
    while (root[u] !== u) u = root[u] = root[root[u]];
    return u;
  };
  const join = (a: number, b: number) => (root[find(a)] = find(b));
  const step = 2 * SAME * character.size;
  character.meshes.forEach(({ firstVertex, vertexCount }, i) => {
    const { positions, triangles } = character.mesh(i);
    const { placeOf, vertexOf } = weld(positions, step);
    for (let u = 0; u < vertexCount; u++) join(firstVertex + u, firstVertex + vertexOf[placeOf[u]]);
    for (let t = 0; t < triangles.length; t += 3) {
      join(firstVertex + triangles[t], firstVertex + triangles[t + 1]);
      join(firstVertex + triangles[t], firstVertex + triangles[t + 2]);
    }
  });
  return root.map((_, u) => find(u));
}

/** The vertices of the piece that a vertex belongs to: 1. */
export function islandOf(character: Character, vertex: number): Uint8Array {
  const pieces = known.get(character) ?? piecesOf(character);
  known.set(character, pieces);
  return Uint8Array.from(pieces, (piece) => (piece === pieces[vertex] ? 1 : 0));
}
