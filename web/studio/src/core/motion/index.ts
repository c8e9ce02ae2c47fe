// A motion that is dropped onto the open character becomes takes, beside the clips that are there.
import type { Object3D } from 'three';
import type { ClipData } from 'limber/engine';
import type { Take } from '../document';
import { FileError } from '../file_error';
import type { Session } from '../session';
import type { FileJob, Motion, MotionAnswer, MotionClip, MotionOptions } from './job';

export type { MotionOptions } from './job';

const PATHS = ['translation', 'rotation', 'scale'] as const;

/** The node of the file that an object belongs to. A BVH file has joints instead, which its bones are named after. */
export function nodeOf({ loaded, file }: Session, object: Object3D): number | undefined {
  if (file.kind === 'bvh') {
    const joint = /^joint_(\d+)$/.exec(object.name)?.[1];
    return joint === undefined ? undefined : Number(joint);
  }
  for (let at: Object3D | null = object; at; at = at.parent) {
    const index = loaded.places?.get(at)?.nodes;
    if (index !== undefined) return index;
  }
  return undefined;
}

const fileJob = (name: string, bytes: Uint8Array): FileJob => ({
  bytes,
  clipName: /\.bvh$/i.test(name) ? name.replace(/\.bvh$/i, '') : undefined,
});

async function retarget(character: FileJob, motion: FileJob, options: MotionOptions): Promise<Motion> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise((resolve, reject) => {
      worker.onerror = ({ message }) => reject(new Error(message || 'The module for motions cannot be loaded'));
      worker.onmessage = ({ data }: MessageEvent<MotionAnswer>) =>
        'motion' in data ? resolve(data.motion) : reject(new Error(data.error));
      worker.postMessage({ character, motion, options });
    });
  } finally {
    worker.terminate();
  }
}

function freeName(wanted: string, taken: readonly string[]): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? wanted : `${wanted} ${i}`;
    if (!taken.includes(name)) return name;
  }
}

/** The clip with the session's joints in place of the file's nodes. */
function clipOf({ name, fps, channels }: MotionClip, jointOf: ReadonlyMap<number, number>): ClipData {
  const times = channels[0]?.times ?? new Float32Array(1);
  return {
    name,
    start: 0,
    end: times[times.length - 1],
    fps,
    motionStart: 0,
    loops: false,
    travels: false,
    channels: channels.flatMap(({ node, path, times: keys, values }) => {
      const target = jointOf.get(node);
      if (target === undefined) return [];
      return [{ path: PATHS[path], interpolation: 'linear' as const, target, times: keys, values }];
    }),
  };
}

export interface NewMotion {
  takes: Take[];
  /** What was matched, in a line. */
  match: string;
}

/** The clips of a motion's file as takes of the character. Throws a FileError when the two do not fit. */
export async function takesOfMotion(
  session: Session,
  name: string,
  bytes: Uint8Array,
  names: readonly string[],
  options: MotionOptions = {},
): Promise<NewMotion> {
  const job = fileJob(name, bytes);
  let motion: Motion;
  try {
    motion = await retarget(fileJob(session.file.name, session.file.bytes), job, options);
  } catch (error) {
    throw new FileError(`The motion of ${name} does not fit ${session.file.name}`, (error as Error).message);
  }
  const jointOf = new Map<number, number>();
  session.joints.forEach(({ node }, joint) => {
    const index = joint > 0 ? nodeOf(session, node) : undefined;
    if (index !== undefined && !jointOf.has(index)) jointOf.set(index, joint);
  });
  const taken = [...names];
  const takes = motion.clips.map((one) => {
    const free = freeName(one.name, taken);
    taken.push(free);
    return { name: free, clip: clipOf({ ...one, name: free }, jointOf) };
  });
  const how = motion.sure > 0.8 ? 'by name' : 'by shape';
  return { takes, match: `${motion.matched} of ${motion.joints} joints follow it, matched ${how}.` };
}
