// Records a performance as a clip.
import { Quaternion } from 'three';
import type { ChannelData, ClipData } from 'limber/engine';
import type { Session } from '../../core/session';

const FLOATS = 10;
const FPS = 30;
const PATHS = [
  ['translation', 0, 3],
  ['rotation', 3, 4],
  ['scale', 7, 3],
] as const;
const SAME = 1e-5;

interface Sample {
  time: number;
  pose: Float32Array;
}

/** The recorded poses, at the times of the drawn frames. */
export class Recording {
  private readonly samples: Sample[] = [];

  add(time: number, pose: Float32Array): void {
    this.samples.push({ time, pose });
  }

  get seconds(): number {
    return this.samples.length ? this.samples[this.samples.length - 1].time : 0;
  }

  /** Interpolates between two samples: linear for translation and scale, slerp for rotation. */
  private at(time: number, from: { index: number }, out: Float32Array): void {
    const { samples } = this;
    while (from.index < samples.length - 2 && samples[from.index + 1].time <= time) from.index++;
    const a = samples[from.index];
    const b = samples[Math.min(from.index + 1, samples.length - 1)];
    const part = b.time > a.time ? Math.min(Math.max((time - a.time) / (b.time - a.time), 0), 1) : 0;
    for (let i = 0; i < out.length; i++) out[i] = a.pose[i] + part * (b.pose[i] - a.pose[i]);
    for (let at = 3; at < out.length; at += FLOATS)
      Quaternion.slerpFlat(out as never, at, a.pose as never, at, b.pose as never, at, part);
  }

  /**
   * Resamples at even times and keeps only channels that differ from the rest pose. Returns undefined if there are
   * none.
   */
  clip(name: string, session: Session): ClipData | undefined {
    const count = Math.floor(this.seconds * FPS + 1e-6) + 1;
    const joints = session.joints.length;
    if (count < 2) return undefined;
    const times = Float32Array.from({ length: count }, (_, i) => i / FPS);
    const from = { index: 0 };
    const poses = [...times].map((time) => {
      const pose = new Float32Array(FLOATS * joints);
      this.at(time, from, pose);
      return pose;
    });
    const channels: ChannelData[] = [];
    for (let j = 1; j < joints; j++)
      for (const [path, first, width] of PATHS) {
        const { rest } = session.character.joints[j];
        const values = new Float32Array(width * count);
        poses.forEach((pose, i) =>
          values.set(pose.subarray(FLOATS * j + first, FLOATS * j + first + width), width * i),
        );
        if (values.some((value, i) => Math.abs(value - rest[first + (i % width)]) > SAME))
          channels.push({ path, interpolation: 'linear', target: j, times, values });
      }
    const end = times[count - 1];
    return channels.length
      ? { name, start: 0, end, fps: FPS, motionStart: 0, loops: false, travels: false, channels }
      : undefined;
  }
}

/** The next free name, such as "puppet 3". */
export function freshName(names: readonly string[]): string {
  for (let i = 1; ; i++) if (!names.includes(`puppet ${i}`)) return `puppet ${i}`;
}
