// The order of joints in which paws of rigs with inverse kinematics come after the leg that they move with.
import type { AnimationClip, BufferGeometry } from 'three';
import type { ClipDescription } from '../description.js';
import type { Engine } from '../engine.js';
import { describeClip } from './clip.js';
import { describe, FLOATS_OF_JOINT } from './rig.js';
import type { Rig } from './rig.js';

/** How much a place may change and count as still, in the units of the file. */
const STILL = 1e-4;

function travels(values: ArrayLike<number>): boolean {
  for (let i = 3; i < values.length; i++) if (Math.abs(values[i] - values[i % 3]) > STILL) return true;
  return false;
}

/** Whether a joint that carries less than half of the others moves in the frame of its parent. Most rigs have none. */
function hasLoose({ parents }: Rig, clips: readonly ClipDescription[]): boolean {
  const carried = parents.map(() => 1);
  for (let j = parents.length - 1; j > 0; j--) carried[parents[j]] += carried[j];
  return clips.some(({ channels }) =>
    channels.some(
      ({ path, target, values }) =>
        path === 'translation' && target > 0 && 2 * carried[target] < parents.length && travels(values),
    ),
  );
}

function reordered(rig: Rig, order: Uint32Array): Rig {
  const place = new Uint32Array(order.length);
  order.forEach((old, joint) => (place[old] = joint));
  const rest = new Float32Array(rig.rest.length);
  order.forEach((old, joint) =>
    rest.set(rig.rest.subarray(FLOATS_OF_JOINT * old, FLOATS_OF_JOINT * (old + 1)), FLOATS_OF_JOINT * joint),
  );
  return {
    ...rig,
    nodes: Array.from(order, (old) => rig.nodes[old]),
    parents: Array.from(order, (old) => (rig.parents[old] < 0 ? -1 : place[rig.parents[old]])),
    skins: rig.skins.map((skin) => ({ ...skin, joints: Array.from(skin.joints, (joint) => place[joint]) })),
    rest,
  };
}

const same = ({ length }: Rig['nodes']): Uint32Array => Uint32Array.from({ length }, (_, joint) => joint);

function findOrder(engine: Engine, rig: Rig, clips: readonly AnimationClip[]): Uint32Array {
  const described = clips.map((clip) => describeClip(clip, rig, []));
  if (!hasLoose(rig, described)) return same(rig.nodes);
  const character = engine.character(describe(rig, described), { reorder: true });
  character.dispose();
  return character.order;
}

/** The orders of characters, which their clones share. */
const known = new WeakMap<BufferGeometry, { names: string; order: Uint32Array }>();

/** The rig with its joints in order: as another engine or a clone has found it, else as the clips say. */
export function inOrder(engine: Engine, rig: Rig, clips: readonly AnimationClip[]): Rig {
  const { geometry } = rig.parts[0].mesh;
  const names = rig.nodes
    .slice(1)
    .map(({ name }) => name)
    .join('\n');
  const before = known.get(geometry);
  const order =
    engine.readyOrder(rig.nodes.length) ??
    (before?.names === names ? before.order : undefined) ??
    findOrder(engine, rig, clips);
  known.set(geometry, { names, order });
  const own = order.every((old, joint) => old === joint) ? rig : reordered(rig, order);
  return { ...own, order };
}
