// Freezes a pose and gives joints a velocity, to see what the effects make of it.
//
// Arrows and angles on a ring show the distance covered in a quarter of a second. Nothing of this is part of the
// document.
import { Matrix4, Plane, Vector3 } from 'three';
import type { App } from '../../app';
import type { Session } from '../../core/session';
import { Signal } from '../../core/signal';
import { color, theme } from '../../ui/theme';
import { drawBones } from '../../view/bones';
import type { Overlay } from '../../view/viewer';
import { JointClick } from '../joint_click';
import type { ViewPointer } from '../tool';
import { arc, arrow, ellipse, knob } from './draw';
import { Motions, SPAN_S } from './motion';
import type { Motion, Phase } from './motion';
import { Traces } from './scene';

const RING_PIXELS = 46;
const NEAR_PIXELS = 8;
const TIP_PIXELS = 11;
const START_PIXELS = 4;
const TWIST_RADIUS = 0.055; // relative to the character's size
const SWEEP_S = 1.6;

interface Twist {
  center: Vector3;
  axis: Vector3;
  radius: number;
  /** The direction in which the near side of the ring moves on the screen, in pixels per radian. */
  way: { x: number; y: number };
}

type Drag = {
  joint: number;
  kind: 'arrow' | 'spin' | 'twist';
  from: { x: number; y: number };
  before: Motion;
  moved: boolean;
  angle: number;
  last: number;
};
type Grip = { joint: number; kind: Drag['kind'] };

export interface Shown {
  ghost: boolean;
  lines: boolean;
  sweep: boolean;
  amount: number;
  phase: Phase;
}

export class WhatIf {
  readonly motions = new Motions();
  readonly shown = new Signal<Shown>({ ghost: true, lines: true, sweep: false, amount: 1, phase: 'steady' });
  readonly traces: Traces;
  private readonly clicks: JointClick;
  private readonly stops: (() => void)[];
  private readonly stage = new Matrix4();
  private dragging: Drag | undefined;
  private over: Grip | undefined;
  private stale = true;
  private sweepTime = 0;
  /** Duration of the last computation of shape and paths in milliseconds. */
  milliseconds = 0;

  constructor(
    readonly app: App,
    readonly session: Session,
  ) {
    app.player.playing.value = false;
    this.traces = new Traces(session);
    this.clicks = new JointClick(app);
    app.viewer.helpers.add(this.traces.group);
    const again = () => {
      this.stale = true;
      app.viewer.invalidate();
    };
    this.stops = [
      this.motions.all.listen(again),
      app.store.document.listen(again),
      app.player.time.listen(again),
      this.shown.watch((now) => {
        this.traces.show(now);
        again();
      }),
      theme.watch((now) => {
        this.traces.paint(now === 'dark' ? '#cfdcff' : '#44558c', color('floppy'), color('lift'));
        again();
      }),
    ];
  }

  change(part: Partial<Shown>): void {
    this.shown.value = { ...this.shown.value, ...part };
  }

  // --- the shape ---

  show(seconds: number): boolean {
    const { app, session } = this;
    const { amount, sweep, phase } = this.shown.value;
    const { clip } = app.store.current;
    const time = app.player.time.value;
    const start = performance.now();
    const list = this.motions.list(phase);
    if (app.viewer.compare.value !== 'off' && session.plainReady) session.show(clip, time, true);
    this.sweepTime = sweep ? this.sweepTime + seconds : SWEEP_S / 2;
    const part = 0.5 - 0.5 * Math.cos((2 * Math.PI * this.sweepTime) / SWEEP_S);
    session.whatIf(clip, time, list, amount * part);
    if (!this.stale) return true;
    this.stale = false;
    const exact = session.pipeline(clip);
    this.findStage(exact.pipeline.worldMatrices());
    this.traces.update(exact.pipeline, exact.clip, time, list, amount, this.stage);
    this.milliseconds = performance.now() - start;
    return true;
  }

  /** The world of the clip: where the root is, without the clip's own root motion. */
  private findStage(worlds: Float32Array): void {
    const { root } = this.session.toon;
    root.updateWorldMatrix(true, false);
    this.stage.copy(root.matrixWorld).multiply(new Matrix4().fromArray(worlds, 0).invert());
  }

  /** Copies the current motion of the clip, for one joint or for all moving joints. */
  copyFromClip(joint?: number): void {
    const { app, session } = this;
    const { pipeline, clip } = session.pipeline(app.store.current.clip);
    pipeline.evaluateJoints(clip, app.player.time.value);
    const now = pipeline.kinematics();
    const next = new Map(joint === undefined ? [] : this.motions.all.value);
    const at = (vectors: Float32Array, j: number) => new Vector3().fromArray(vectors, 3 * j);
    for (const { index } of session.joints) {
      if (joint !== undefined && index !== joint) continue;
      const motion: Motion = {
        joint: index,
        linear: at(now.velocity, index),
        angular: at(now.angularVelocity, index),
        linearAcceleration: at(now.acceleration, index),
        angularAcceleration: at(now.angularAcceleration, index),
      };
      const moves = motion.linear.length() > 0.02 * session.size || motion.angular.length() > 0.1;
      if (moves || joint !== undefined) next.set(index, motion);
    }
    this.motions.replace(next);
  }

  // --- positions and directions ---

  private place(joint: number): Vector3 {
    return this.session.joints[joint].node.getWorldPosition(new Vector3());
  }

  /** Transforms a vector from the world of the view to the world of the clip, including the scale of the stage. */
  private inward(vector: Vector3): Vector3 {
    const origin = new Vector3().applyMatrix4(this.stage.clone().invert());
    return vector.clone().applyMatrix4(this.stage.clone().invert()).sub(origin);
  }

  private outward(vector: Vector3): Vector3 {
    return vector.clone().applyMatrix4(this.stage).sub(new Vector3().setFromMatrixPosition(this.stage));
  }

  private tip(motion: Motion): Vector3 {
    return this.place(motion.joint).add(this.outward(motion.linear).multiplyScalar(SPAN_S));
  }

  /** The direction to the camera. */
  private facing(joint: number): Vector3 {
    return this.app.viewer.camera.position.clone().sub(this.place(joint)).normalize();
  }

  /** A ring around the bone, if there is one. */
  private twist(joint: number): Twist | undefined {
    const { joints, character, size } = this.session;
    const { node } = joints[joint];
    const info = character.joints[joint];
    const bone = new Vector3().fromArray(info.boneDirection);
    if (!bone.lengthSq()) return undefined;
    node.updateWorldMatrix(true, false);
    const from = this.place(joint);
    const axis = bone.transformDirection(node.matrixWorld);
    const child = joints.find((one) => one.parent === joint);
    const length = child
      ? this.place(child.index).distanceTo(from)
      : new Vector3().fromArray(info.centroid).applyMatrix4(node.matrixWorld).distanceTo(from) * 1.4;
    const center = from.clone().addScaledVector(axis, 0.55 * length);
    const radius = TWIST_RADIUS * size;
    const toward = this.app.viewer.camera.position.clone().sub(center);
    const near = toward.addScaledVector(axis, -toward.dot(axis)).normalize();
    const moves = axis.clone().cross(near);
    const { viewer } = this.app;
    const a = viewer.project(center.clone().addScaledVector(near, radius));
    const b = viewer.project(center.clone().addScaledVector(near, radius).addScaledVector(moves, radius));
    return { center, axis, radius, way: { x: b.x - a.x, y: b.y - a.y } };
  }

  /** The angle of the spin handle on its ring: opposite to the bone, which has its own ring. */
  private ringStart(joint: number): number {
    const ring = this.twist(joint);
    const { viewer } = this.app;
    if (!ring) return -Math.PI / 2;
    const from = viewer.project(this.place(joint));
    const to = viewer.project(ring.center);
    return Math.atan2(from.y - to.y, from.x - to.x);
  }

  // --- pointer ---

  private gripAt(x: number, y: number): Grip | undefined {
    const { viewer, joint } = this.app;
    for (const motion of this.motions.all.value.values()) {
      const tip = viewer.project(this.tip(motion));
      if (motion.linear.lengthSq() && Math.hypot(tip.x - x, tip.y - y) < TIP_PIXELS)
        return { joint: motion.joint, kind: 'arrow' };
    }
    const dot = this.clicks.dotAt(x, y);
    if (dot !== undefined) return { joint: dot, kind: 'arrow' };
    if (joint.value < 0) return undefined;
    const ring = this.twist(joint.value);
    const at = viewer.project(this.place(joint.value));
    const start = this.ringStart(joint.value);
    if (Math.hypot(at.x + RING_PIXELS * Math.cos(start) - x, at.y + RING_PIXELS * Math.sin(start) - y) < NEAR_PIXELS)
      return { joint: joint.value, kind: 'spin' };
    if (
      ring &&
      ellipsePoints(ring).some((point) => {
        const on = viewer.project(point);
        return Math.hypot(on.x - x, on.y - y) < NEAR_PIXELS;
      })
    )
      return { joint: joint.value, kind: 'twist' };
    return Math.abs(Math.hypot(at.x - x, at.y - y) - RING_PIXELS) < NEAR_PIXELS
      ? { joint: joint.value, kind: 'spin' }
      : undefined;
  }

  down(pointer: ViewPointer): boolean {
    this.clicks.forget();
    if (pointer.event.button !== 0 || pointer.pane.which !== 'styled') return false;
    const grip = this.gripAt(pointer.x, pointer.y);
    if (!grip) {
      this.clicks.press(pointer);
      return false;
    }
    this.app.player.playing.value = false;
    this.app.joint.value = grip.joint;
    const at = this.app.viewer.project(this.place(grip.joint));
    this.dragging = {
      ...grip,
      from: { x: pointer.x, y: pointer.y },
      before: this.motions.get(grip.joint),
      moved: false,
      angle: 0,
      last: Math.atan2(pointer.y - at.y, pointer.x - at.x),
    };
    this.motions.begin();
    return true;
  }

  drag(pointer: ViewPointer): void {
    const { dragging } = this;
    if (!dragging) return;
    dragging.moved ||= Math.hypot(pointer.x - dragging.from.x, pointer.y - dragging.from.y) > START_PIXELS;
    if (!dragging.moved) return;
    if (dragging.kind === 'arrow') this.dragArrow(dragging, pointer);
    else if (dragging.kind === 'spin') this.dragSpin(dragging, pointer);
    else this.dragTwist(dragging, pointer);
  }

  private give(dragging: Drag, part: Partial<Motion>): void {
    const { joint, linear, angular } = dragging.before;
    this.motions.put({ joint, linear, angular, ...part });
  }

  /** Drags in the plane of the view; with Shift, up is away from the camera and down is towards it. */
  private dragArrow(dragging: Drag, pointer: ViewPointer): void {
    const place = this.place(dragging.joint);
    const facing = this.app.viewer.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, place);
    const tip = pointer.ray().intersectPlane(plane, new Vector3());
    if (!tip) return;
    if (!pointer.event.shiftKey)
      return this.give(dragging, { linear: this.inward(tip.sub(place)).divideScalar(SPAN_S) });
    const unit = this.unitPerPixel(place);
    const away = facing.multiplyScalar(((dragging.from.y - pointer.y) * unit) / SPAN_S);
    this.give(dragging, { linear: dragging.before.linear.clone().add(this.inward(away)) });
  }

  private unitPerPixel(place: Vector3): number {
    const { viewer } = this.app;
    const side = new Vector3().setFromMatrixColumn(viewer.camera.matrixWorld, 0);
    return 1 / Math.max(viewer.project(place).distanceTo(viewer.project(side.add(place))), 1e-6);
  }

  /** Rotates about the view axis, following the pointer around the joint. */
  private dragSpin(dragging: Drag, pointer: ViewPointer): void {
    const at = this.app.viewer.project(this.place(dragging.joint));
    const angle = Math.atan2(pointer.y - at.y, pointer.x - at.x);
    const step = angle - dragging.last;
    dragging.angle += step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
    dragging.last = angle;
    // The y axis of the screen points down, so the sign is reversed.
    this.turn(dragging, this.facing(dragging.joint), -dragging.angle);
  }

  private dragTwist(dragging: Drag, pointer: ViewPointer): void {
    const ring = this.twist(dragging.joint);
    if (!ring) return;
    const { way } = ring;
    const squared = Math.max(way.x * way.x + way.y * way.y, 1);
    this.turn(
      dragging,
      ring.axis,
      ((pointer.x - dragging.from.x) * way.x + (pointer.y - dragging.from.y) * way.y) / squared,
    );
  }

  private turn(dragging: Drag, axis: Vector3, angle: number): void {
    const inward = this.inward(axis).normalize();
    this.give(dragging, { angular: dragging.before.angular.clone().addScaledVector(inward, angle / SPAN_S) });
  }

  up(): void {
    this.dragging = undefined;
    this.motions.settle();
  }

  hover(pointer: ViewPointer): void {
    const grip = pointer.pane.which === 'styled' ? this.gripAt(pointer.x, pointer.y) : undefined;
    if (grip?.joint === this.over?.joint && grip?.kind === this.over?.kind) return;
    this.over = grip;
    this.app.viewer.element.style.cursor = grip ? (grip.kind === 'arrow' ? 'crosshair' : 'grab') : '';
    this.app.viewer.invalidate();
  }

  leave(): void {
    this.over = undefined;
    this.app.viewer.invalidate();
  }

  // --- over the picture ---

  overlay(overlay: Overlay): void {
    drawBones(this.app, overlay, { all: true, hovered: this.over?.kind === 'arrow' ? this.over.joint : undefined });
    const { joint } = this.app;
    if (joint.value >= 0) this.drawRings(overlay, joint.value);
    for (const motion of this.motions.all.value.values()) this.drawMotion(overlay, motion);
  }

  private active(kind: Drag['kind'], joint: number): boolean {
    const grip = this.dragging ?? this.over;
    return grip?.kind === kind && grip.joint === joint;
  }

  private drawRings({ context, project }: Overlay, joint: number): void {
    const at = project(this.place(joint));
    const ring = this.twist(joint);
    const { angular } = this.motions.get(joint);
    const turning = this.outward(angular);
    const spin = color('lift');
    const twist = color('drag');
    arc(context, at, RING_PIXELS, 0, 2 * Math.PI, spin, this.active('spin', joint) ? 3.5 : 1.75, 0.75);
    const angle = -turning.dot(this.facing(joint)) * SPAN_S;
    const start = this.ringStart(joint);
    if (Math.abs(angle) > 0.02) arc(context, at, RING_PIXELS, start, start + angle, spin, 4, 1, true);
    knob(context, at.x + RING_PIXELS * Math.cos(start), at.y + RING_PIXELS * Math.sin(start), spin);
    if (!ring) return;
    ellipse(
      context,
      ellipsePoints(ring).map((point) => project(point)),
      twist,
      this.active('twist', joint) ? 3.5 : 2,
    );
  }

  private drawMotion({ context, project }: Overlay, motion: Motion): void {
    const from = project(this.place(motion.joint));
    const chosen = motion.joint === this.app.joint.value;
    if (motion.linear.lengthSq())
      arrow(
        context,
        from,
        project(this.tip(motion)),
        color('followthrough'),
        chosen || this.active('arrow', motion.joint) ? 3 : 2,
      );
    if (chosen || !motion.angular.lengthSq()) return;
    const angle = -this.outward(motion.angular).dot(this.facing(motion.joint)) * SPAN_S;
    if (Math.abs(angle) > 0.05) arc(context, from, 14, -Math.PI / 2, -Math.PI / 2 + angle, color('lift'), 2, 1, true);
  }

  stop(): void {
    this.stops.forEach((stop) => stop());
    this.clicks.stop();
    this.traces.dispose();
    this.app.viewer.element.style.cursor = '';
  }
}

function ellipsePoints({ center, axis, radius }: Twist): Vector3[] {
  const side = new Vector3(Math.abs(axis.x) < 0.9 ? 1 : 0, Math.abs(axis.x) < 0.9 ? 0 : 1, 0).cross(axis).normalize();
  const up = side.clone().cross(axis);
  return Array.from({ length: 33 }, (_, i) =>
    center
      .clone()
      .addScaledVector(side, radius * Math.cos((i * Math.PI) / 16))
      .addScaledVector(up, radius * Math.sin((i * Math.PI) / 16)),
  );
}
