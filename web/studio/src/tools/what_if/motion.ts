// The velocities of a what-if. They have their own small history, because they are not part of the document.
import { Vector3 } from 'three';
import type { WhatIfMotion } from 'limber/engine';
import { Signal } from '../../core/signal';

export interface Motion {
  readonly joint: number;
  /** In the world of the clip, units per second. */
  readonly linear: Vector3;
  /** Radians per second. */
  readonly angular: Vector3;
  /** If copied from the clip; otherwise derived from `phase`. */
  readonly linearAcceleration?: Vector3;
  readonly angularAcceleration?: Vector3;
}

/** Which phase of a motion to show: drag needs a start, follow-through a stop. */
export type Phase = 'steady' | 'starting' | 'stopping';

/** An arrow shows the distance covered in this many seconds; a motion starts or stops within the same time. */
export const SPAN_S = 0.25;

const MAX_STEPS = 100;

export const isStill = (motion: Motion): boolean =>
  motion.linear.lengthSq() + motion.angular.lengthSq() === 0 &&
  !motion.linearAcceleration &&
  !motion.angularAcceleration;

export class Motions {
  /** By joint. The map is replaced, never modified. */
  readonly all = new Signal<ReadonlyMap<number, Motion>>(new Map());
  private past: ReadonlyMap<number, Motion>[] = [];
  private grip: ReadonlyMap<number, Motion> | undefined;

  get(joint: number): Motion {
    return this.all.value.get(joint) ?? { joint, linear: new Vector3(), angular: new Vector3() };
  }

  /** Merges all changes until `settle` into one step. */
  begin(): void {
    this.grip = this.all.value;
  }

  settle(): void {
    if (this.grip && this.grip !== this.all.value) this.remember(this.grip);
    this.grip = undefined;
  }

  private remember(before: ReadonlyMap<number, Motion>): void {
    this.past.push(before);
    if (this.past.length > MAX_STEPS) this.past.shift();
  }

  replace(next: ReadonlyMap<number, Motion>): void {
    if (!this.grip) this.remember(this.all.value);
    this.all.value = next;
  }

  /** Sets the motion of a joint; a joint at rest is removed. */
  put(motion: Motion): void {
    const next = new Map(this.all.value);
    if (isStill(motion)) next.delete(motion.joint);
    else next.set(motion.joint, motion);
    this.replace(next);
  }

  clear(): void {
    if (this.all.value.size) this.replace(new Map());
  }

  /** Returns false if there is nothing to undo here. */
  undo(): boolean {
    const before = this.past.pop();
    if (before) this.all.value = before;
    return before !== undefined;
  }

  /** The motions in the form that the engine expects. */
  list(phase: Phase): WhatIfMotion[] {
    const rate = phase === 'starting' ? 1 / SPAN_S : phase === 'stopping' ? -1 / SPAN_S : 0;
    return [...this.all.value.values()].map((one) => ({
      joint: one.joint,
      linear: one.linear.toArray(),
      angular: one.angular.toArray(),
      linearAcceleration: (one.linearAcceleration ?? one.linear.clone().multiplyScalar(rate)).toArray(),
      angularAcceleration: (one.angularAcceleration ?? one.angular.clone().multiplyScalar(rate)).toArray(),
    }));
  }
}
