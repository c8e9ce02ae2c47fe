// The pose of a puppet: the pose of the clip plus manual changes.
import type { Object3D } from 'three';
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Session } from '../../core/session';

const FLOATS = 10;
const CCD_ROUNDS = 8;
const SPRING_HZ = 2.2;
const SPRING_DAMPING = 0.3;
const SPRING_END_S = 1.6;
const IDENTITY = new Quaternion();

/** A multiple of a rotation; `amount` may be negative or above 1. */
function partOf(turn: Quaternion, amount: number, out: Quaternion): Quaternion {
  const half = Math.acos(Math.min(1, Math.abs(turn.w)));
  const sine = Math.sin(half);
  if (sine < 1e-6) return out.copy(IDENTITY);
  const sign = turn.w < 0 ? -1 : 1;
  const scale = (sign * Math.sin(half * amount)) / sine;
  return out.set(turn.x * scale, turn.y * scale, turn.z * scale, Math.cos(half * amount));
}

export class PuppetPose {
  private readonly turns: Quaternion[];
  private readonly shifts: Vector3[];
  private readonly nodes: Object3D[];
  private readonly base: Float32Array;
  private spring: { turns: Quaternion[]; shifts: Vector3[]; seconds: number } | undefined;

  constructor(private readonly session: Session) {
    this.nodes = session.joints.map((joint) => joint.node);
    this.turns = this.nodes.map(() => new Quaternion());
    this.shifts = this.nodes.map(() => new Vector3());
    this.base = new Float32Array(FLOATS * this.nodes.length);
  }

  /** Whether there are no manual changes. */
  get untouched(): boolean {
    return (
      this.turns.every((turn) => Math.abs(turn.w) > 1 - 1e-9) && this.shifts.every((shift) => shift.lengthSq() === 0)
    );
  }

  /** Poses the bones: the clip at this time, plus the manual changes. */
  pose(clip: number, time: number): void {
    const { pipeline, clip: number } = this.session.pipeline(clip);
    pipeline.evaluateJoints(number, time);
    pipeline.localTransforms(this.base);
    this.write();
  }

  private write(): void {
    for (let j = 1; j < this.nodes.length; j++) this.writeJoint(j);
    this.session.loaded.object.updateMatrixWorld(true);
  }

  private writeJoint(j: number): void {
    const node = this.nodes[j];
    const at = FLOATS * j;
    node.position.fromArray(this.base, at).add(this.shifts[j]);
    node.quaternion.fromArray(this.base, at + 3).premultiply(this.turns[j]);
    node.scale.fromArray(this.base, at + 7);
  }

  /** The current pose, 10 numbers per joint. */
  read(out = new Float32Array(FLOATS * this.nodes.length)): Float32Array {
    this.nodes.forEach(({ position, quaternion, scale }, j) => {
      position.toArray(out, FLOATS * j);
      quaternion.toArray(out, FLOATS * j + 3);
      scale.toArray(out, FLOATS * j + 7);
    });
    return out;
  }

  // --- manual changes ---

  /** Rotates a joint about an axis in world space. */
  turn(joint: number, turn: Quaternion): void {
    const above = this.nodes[joint].parent!.getWorldQuaternion(new Quaternion());
    this.turns[joint].premultiply(above.clone().invert().multiply(turn).multiply(above)).normalize();
    this.writeJoint(joint);
    this.nodes[joint].updateWorldMatrix(false, true);
  }

  shift(joint: number, by: Vector3): void {
    const node = this.nodes[joint];
    const above = new Matrix4().copy(node.parent!.matrixWorld).setPosition(0, 0, 0).invert();
    this.shifts[joint].add(by.clone().applyMatrix4(above));
    this.writeJoint(joint);
    node.updateWorldMatrix(false, true);
  }

  /**
   * Rotates the joints of a chain (the first is nearest to the pointer) so that the grabbed point gets as close to the
   * target as possible.
   */
  reach(chain: readonly number[], hand: Object3D, grip: Vector3, target: Vector3): void {
    const pivot = new Vector3();
    const from = new Vector3();
    const to = new Vector3();
    const turn = new Quaternion();
    for (let round = 0; round < CCD_ROUNDS; round++)
      for (const joint of chain) {
        this.nodes[joint].getWorldPosition(pivot);
        hand.localToWorld(from.copy(grip)).sub(pivot);
        to.copy(target).sub(pivot);
        if (from.lengthSq() < 1e-12 || to.lengthSq() < 1e-12) continue;
        // Spread the rotation over all joints; otherwise the first would do everything.
        turn.setFromUnitVectors(from.normalize(), to.normalize());
        this.turn(joint, partOf(turn, chain.length > 1 ? 0.6 : 1, new Quaternion()));
      }
  }

  /** A copy of the manual changes. */
  snapshot(): { turns: Quaternion[]; shifts: Vector3[] } {
    return { turns: this.turns.map((turn) => turn.clone()), shifts: this.shifts.map((shift) => shift.clone()) };
  }

  restore({ turns, shifts }: { turns: Quaternion[]; shifts: Vector3[] }): void {
    this.turns.forEach((turn, j) => turn.copy(turns[j]));
    this.shifts.forEach((shift, j) => shift.copy(shifts[j]));
  }

  // --- release ---

  get springing(): boolean {
    return this.spring !== undefined;
  }

  /** Springs back to the clip. */
  release(): void {
    this.spring = { ...this.snapshot(), seconds: 0 };
  }

  /** Stops the spring where it is, because the character was grabbed again. */
  hold(): void {
    this.spring = undefined;
  }

  clear(): void {
    this.spring = undefined;
    this.turns.forEach((turn) => turn.copy(IDENTITY));
    this.shifts.forEach((shift) => shift.set(0, 0, 0));
  }

  advance(seconds: number): void {
    const { spring } = this;
    if (!spring) return;
    spring.seconds += seconds;
    if (spring.seconds > SPRING_END_S) return this.clear();
    const omega = 2 * Math.PI * SPRING_HZ;
    const decay = Math.exp(-SPRING_DAMPING * omega * spring.seconds);
    const damped = omega * Math.sqrt(1 - SPRING_DAMPING ** 2);
    const left =
      decay *
      (Math.cos(damped * spring.seconds) +
        (SPRING_DAMPING / Math.sqrt(1 - SPRING_DAMPING ** 2)) * Math.sin(damped * spring.seconds));
    this.turns.forEach((turn, j) => partOf(spring.turns[j], left, turn));
    this.shifts.forEach((shift, j) => shift.copy(spring.shifts[j]).multiplyScalar(left));
  }
}
