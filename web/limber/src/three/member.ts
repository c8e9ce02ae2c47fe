// One character of a crowd.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { AnimationClip } from 'three';
import { LimberError } from '../wasm.js';

/** The part of a `ToonCrowd` that a member uses. @internal */
export interface MemberOwner {
  readonly clips: readonly AnimationClip[];
  readonly clock: number;
  clipIndex(clip: AnimationClip | string | number): number;
  /** First key of a clip, in seconds. */
  clipStart(index: number): number;
  timeOf(member: ToonMember): number;
}

const UP = new Vector3(0, 1, 0);
const at = new Vector3();
const size = new Vector3();
const rotation = new Quaternion();

function expectFinite(what: string, value: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new LimberError(`${what} must be a finite number, not ${value}`);
  return value;
}

/** A character of a `ToonCrowd`: `crowd.members[i]`. Changes show with the next `crowd.update()`. */
export class ToonMember {
  /** Where it is, in the space of the crowd. It takes the place of the transform of the object that the crowd copies. */
  readonly matrix = new Matrix4();
  /** Members that are not visible cost nothing. */
  visible = true;
  private index = -1;
  private pace = 1;
  private rate = 1;
  /** @internal Its time from the clip's start when the clock is 0. */
  start = 0;
  /** @internal Whether its numbers in the module are its own: see `ToonCrowd.update`. */
  settled = false;

  /** @internal */
  constructor(private readonly crowd: MemberOwner) {}

  /** @internal */
  get clipIndex(): number {
    return this.index;
  }

  /** Its clip; null: the rest pose. Assign an AnimationClip of the crowd, its name or its index; it starts at 0. */
  get clip(): AnimationClip | null {
    return this.crowd.clips[this.index] ?? null;
  }

  set clip(clip: AnimationClip | string | number | null) {
    this.index = clip === null ? -1 : this.crowd.clipIndex(clip);
    this.time = 0;
  }

  /** Its time in the clip, in seconds. Clips that loop start again; others stop at their ends. */
  get time(): number {
    return this.crowd.timeOf(this);
  }

  set time(time: number) {
    const from = expectFinite('the time of a member', time) - this.crowd.clipStart(this.index);
    this.start = from - this.pace * this.crowd.clock;
    this.settled = false;
  }

  /** How fast its time goes. 1: as animated; negative: backwards. */
  get speed(): number {
    return this.pace;
  }

  set speed(speed: number) {
    this.start += (this.pace - expectFinite('the speed of a member', speed)) * this.crowd.clock;
    this.pace = speed;
  }

  /** It is computed in every n-th frame only, such as 4 far away; its motion stays right. */
  get every(): number {
    return this.rate;
  }

  set every(every: number) {
    if (!Number.isInteger(every) || every < 1 || every > 1000)
      throw new LimberError(`\`every\` must be a whole number from 1 to 1000, not ${every}`);
    this.rate = every;
  }

  /** Sets `matrix` from a position, a rotation about the vertical axis in radians, and a scale. */
  place(x: number, y: number, z: number, turn = 0, scale = 1): this {
    this.matrix.compose(at.set(x, y, z), rotation.setFromAxisAngle(UP, turn), size.set(scale, scale, scale));
    return this;
  }
}
