// Meshes that come onto a bone after limber() has looked: they are not deformed, and that is said.
import type { Mesh, Object3D } from 'three';
import { nameOf } from './rig.js';
import type { Rig } from './rig.js';

type Added = { target: Object3D; child: Object3D };

/** Watches the joints of a character; three.js before 0.162 does not tell. Returns what ends it. */
export function watchLateMeshes(rig: Rig, warnings: string[]): () => void {
  const known = new Set<Object3D>(rig.parts.map((part) => part.mesh));
  const added = ({ target, child }: Added): void => {
    child.traverse((one) => {
      if (!(one as Mesh).isMesh || known.has(one)) return;
      known.add(one);
      warnings.push(
        `${nameOf(one)} came to ${nameOf(target)} after limber() and is not deformed; dispose of the Toon and call limber() again`,
      );
    });
  };
  const joints = rig.nodes.slice(1) as {
    [K in 'addEventListener' | 'removeEventListener']: (...args: unknown[]) => void;
  }[];
  for (const joint of joints) joint.addEventListener('childadded', added);
  return () => {
    for (const joint of joints) joint.removeEventListener('childadded', added);
  };
}
