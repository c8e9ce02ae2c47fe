// Puts the clips of a motion's file onto a character, off the page's thread.
import { errorOf, Memory, startModule, textAt } from '../gltf_module';
import type { Calls } from '../gltf_module';
import type { FileJob, Motion, MotionAnswer, MotionClip, MotionJob, MotionOptions } from './job';

const WIDTHS = [3, 4, 3]; // of translation, rotation and scale

const answer = (message: MotionAnswer): void => (self as unknown as Worker).postMessage(message);

const floats = (calls: Calls, at: number, count: number): Float32Array =>
  new Float32Array(calls.memory.buffer, at >>> 0, count).slice();

/** As motion_create reads them. */
const bitsOf = ({ cycle, rootMotion }: MotionOptions): number => (cycle ? 1 : 0) | (rootMotion ? 2 : 0);

function clipAt(calls: Calls, motion: number, index: number): MotionClip {
  if (calls.motion_clip(motion, index)) throw errorOf(calls);
  const channels = Array.from({ length: calls.motion_channel_count(motion) }, (_, i) => {
    const path = calls.motion_channel_path(motion, i);
    const keys = calls.motion_channel_keys(motion, i);
    return {
      node: calls.motion_channel_node(motion, i),
      path,
      times: floats(calls, calls.motion_channel_times(motion, i), keys),
      values: floats(calls, calls.motion_channel_values(motion, i), keys * WIDTHS[path]),
    };
  });
  return {
    name: textAt(calls, calls.motion_clip_name(motion, index)),
    fps: calls.motion_clip_fps(motion, index),
    channels,
  };
}

function retarget(calls: Calls, { character, motion, options }: MotionJob): Motion {
  const heap = new Memory(calls, (bytes) => calls.memory_allocate(bytes));
  const put = ({ bytes, clipName }: FileJob): [number, number, number] => [
    heap.put(bytes),
    bytes.length,
    clipName === undefined ? 0 : heap.text(clipName),
  ];
  const made = calls.motion_create(...put(character), ...put(motion), bitsOf(options));
  if (!made) throw errorOf(calls);
  return {
    clips: Array.from({ length: calls.motion_clip_count(made) }, (_, i) => clipAt(calls, made, i)),
    matched: calls.motion_match_count(made),
    joints: calls.motion_joint_count(made),
    sure: calls.motion_sure(made),
  };
}

self.onmessage = async ({ data }: MessageEvent<MotionJob>) => {
  try {
    const calls = await startModule(() => undefined);
    answer({ motion: retarget(calls, data) });
  } catch (error) {
    answer({ error: (error as Error).message });
  }
};
