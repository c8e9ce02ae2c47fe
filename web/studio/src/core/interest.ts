// Which joints people look at: those that carry a good part of the skin, with everything below them, and travel far
// from the middle of the body. A finger does not.
import type { Character } from 'limber/engine';

const SHARE = 0.03; // of the skin
const MOST_VERTICES = 20_000; // of a mesh to look at

const known = new WeakMap<Character, number[]>();

/** The part of the skin that each joint carries, with those below it. */
export function sharesOf(character: Character): number[] {
  const before = known.get(character);
  if (before) return before;
  const own = character.joints.map(() => 0);
  let all = 0;
  character.meshes.forEach(({ skin, vertexCount }, m) => {
    const mesh = character.mesh(m);
    const { joints } = character.skin(skin);
    const stride = Math.max(1, Math.floor(vertexCount / MOST_VERTICES));
    for (let u = 0; u < vertexCount; u += stride)
      for (let i = mesh.influenceFirst[u]; i < mesh.influenceFirst[u + 1]; i++) {
        own[joints[mesh.influenceJoint[i]]] += stride * mesh.influenceWeight[i];
        all += stride * mesh.influenceWeight[i];
      }
  });
  // Parents come first.
  for (let j = own.length - 1; j >= 0; j--)
    if (character.joints[j].parent >= 0) own[character.joints[j].parent] += own[j];
  const shares = own.map((sum) => sum / Math.max(all, 1e-9));
  known.set(character, shares);
  return shares;
}

/** Joints that are worth a curve; all of them where none carries enough. */
export function interesting(character: Character): number[] {
  const shares = sharesOf(character);
  const found = character.joints.flatMap((_, j) => (shares[j] >= SHARE ? [j] : []));
  return found.length ? found : character.joints.map((_, j) => j);
}

/** Those of them that end a limb: nothing interesting is below. */
export function extremities(character: Character): number[] {
  const all = interesting(character);
  const above = new Set(all.map((joint) => character.joints[joint].parent));
  return all.filter((joint) => !above.has(joint));
}
