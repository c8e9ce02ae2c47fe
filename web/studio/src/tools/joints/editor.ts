// Edits individual joints: the gains of their effects, their center of squash, and switching branches off.
import type { Matrix4 } from 'three';
import { Plane, Vector3 } from 'three';
import type { Style } from 'limber/engine';
import type { App } from '../../app';
import type { Session } from '../../core/session';
import { color } from '../../ui/theme';
import { drawBones } from '../../view/bones';
import type { Overlay } from '../../view/viewer';
import { branchOf, branchOff, branchOn, forget, isChanged, isOff, ownEntry, setOwn } from './gains';
import { JointClick } from '../joint_click';
import type { ViewPointer } from '../tool';

const HANDLE_PIXELS = 11;
const AXIS_LENGTH = 1.6; // of the way from the joint to the center
const SHORTEST_AXIS = 0.12; // of the size of the character

/** What is dragged in the view: the center of squash, or the end of the medial axis. */
type Handle = 'center' | 'tip';
const HANDLES: readonly Handle[] = ['center', 'tip'];

export class JointEditor {
  private readonly element: HTMLElement;
  private readonly clicks: JointClick;
  private dragging: { which: Handle; plane: Plane; grip: Vector3; axis: Vector3; from: Vector3 } | undefined;
  private overHandle: Handle | undefined;
  private hovered: number | undefined;

  constructor(
    readonly app: App,
    readonly session: Session,
  ) {
    this.element = app.viewer.element;
    this.clicks = new JointClick(app);
  }

  get joint(): number {
    return this.app.joint.value;
  }

  get name(): string {
    return this.session.joints[this.joint]?.name ?? '';
  }

  /** The name to show. */
  get label(): string {
    return this.session.labelOf(this.name);
  }

  get style(): Style {
    return this.app.store.current.style;
  }

  /** Changes the style for the selected joint; returns the error message if the engine rejects it. */
  change(label: string, edit: (style: Style) => Style, merge?: string): string | undefined {
    const fault = this.app.changeStyle(label, edit, merge);
    if (merge === undefined) this.app.store.settle();
    return fault;
  }

  setOwn(key: string, value: unknown, merge?: string): string | undefined {
    const { name } = this;
    // The end of a drag repeats the last value.
    if (JSON.stringify(ownEntry(this.style, name)[key]) === JSON.stringify(value)) return undefined;
    return this.change(
      `Change ${this.label} ${key.replace('_', ' ').replace('*', 'gain')}`,
      (style) => setOwn(style, name, key, value),
      merge,
    );
  }

  // --- branches ---

  get branchIsOff(): boolean {
    return branchOf(this.session.joints, this.joint).every(({ name }) => isOff(this.style, name));
  }

  switchBranch(): void {
    if (this.joint < 0) return;
    const { joints } = this.session;
    const branch = branchOf(joints, this.joint);
    const off = this.branchIsOff;
    this.change(`${off ? 'Switch on' : 'Switch off'} ${this.label}`, (style) =>
      off ? branchOn(style, joints, branch) : branchOff(style, joints, branch),
    );
  }

  reset(): void {
    if (this.joint >= 0) this.change(`Reset ${this.label}`, (style) => forget(style, this.name));
  }

  /** Selects the parent (-1) or the first child (1). */
  walk(step: -1 | 1): void {
    const { joints } = this.session;
    const now = joints[this.joint];
    if (!now) return void (this.app.joint.value = 0);
    const next = step < 0 ? now.parent : (joints.find((one) => one.parent === now.index)?.index ?? -1);
    if (next >= 0) this.app.joint.value = next;
  }

  // --- centroid ---

  /** In the joint's frame, as in the style. */
  vector(key: 'centroid_offset' | 'axis'): [number, number, number] {
    const own = ownEntry(this.style, this.name)[key];
    return Array.isArray(own) ? (own as [number, number, number]) : [0, 0, 0];
  }

  private worldFromJoint(): Matrix4 {
    const { node } = this.session.joints[this.joint];
    node.updateWorldMatrix(true, false);
    return node.matrixWorld;
  }

  /** The center of squash in world space; `moved`: with the offset from the style. */
  centroid(moved = true): Vector3 {
    const place = new Vector3().fromArray(this.session.character.joints[this.joint].centroid);
    if (moved) place.add(new Vector3().fromArray(this.vector('centroid_offset')));
    return place.applyMatrix4(this.worldFromJoint());
  }

  private place(): Vector3 {
    return new Vector3().setFromMatrixPosition(this.worldFromJoint());
  }

  /** Moves the center to a position in world space. */
  moveCentroid(place: Vector3, merge?: string): void {
    const inside = place.clone().applyMatrix4(this.worldFromJoint().clone().invert());
    const unit = 10 ** Math.floor(Math.log10(this.session.size) - 4);
    const offset = inside
      .sub(new Vector3().fromArray(this.session.character.joints[this.joint].centroid))
      .toArray()
      .map((value) => Number((Math.round(value / unit) * unit).toPrecision(6)));
    this.setOwn('centroid_offset', offset.some(Boolean) ? offset : undefined, merge);
  }

  // --- axis ---

  /** Where the axis is held: in its direction from the joint, beyond the center. */
  tip(): Vector3 {
    const place = this.place();
    const center = this.centroid().sub(place);
    const own = new Vector3().fromArray(this.vector('axis'));
    const along = own.lengthSq() > 0 ? own.transformDirection(this.worldFromJoint()) : center.clone().normalize();
    return place.addScaledVector(along, Math.max(AXIS_LENGTH * center.length(), SHORTEST_AXIS * this.session.size));
  }

  /** Turns the axis towards a position in world space. */
  turnAxis(place: Vector3, merge?: string): void {
    const inside = place.clone().applyMatrix4(this.worldFromJoint().clone().invert()).normalize();
    if (inside.lengthSq() === 0) return;
    const axis = inside.toArray().map((value) => Math.round(1e4 * value) / 1e4);
    this.setOwn('axis', axis, merge);
  }

  // --- pointer ---

  private handlePlace(which: Handle): Vector3 {
    return which === 'center' ? this.centroid() : this.tip();
  }

  private handleAt(x: number, y: number): Handle | undefined {
    if (this.joint < 0) return undefined;
    let [nearest, least]: [Handle | undefined, number] = [undefined, HANDLE_PIXELS];
    for (const which of HANDLES) {
      const at = this.app.viewer.project(this.handlePlace(which));
      const away = Math.hypot(at.x - x, at.y - y);
      if (Math.abs(at.z) < 1 && away < least) [nearest, least] = [which, away];
    }
    return nearest;
  }

  down(pointer: ViewPointer): boolean {
    this.clicks.forget();
    if (pointer.event.button !== 0 || pointer.pane.which !== 'styled') return false;
    const which = this.handleAt(pointer.x, pointer.y);
    if (!which) {
      this.clicks.press(pointer);
      return false;
    }
    const from = this.handlePlace(which);
    const facing = this.app.viewer.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, from);
    const grip = pointer.ray().intersectPlane(plane, new Vector3()) ?? from.clone();
    this.app.player.playing.value = false;
    const axis = this.tip().sub(this.place()).normalize();
    this.dragging = { which, plane, grip: grip.sub(from), axis, from };
    return true;
  }

  /** Drags in the plane of the view; with Shift the center along the medial axis. */
  drag(pointer: ViewPointer): void {
    const { dragging } = this;
    const at = dragging && pointer.ray().intersectPlane(dragging.plane, new Vector3());
    if (!dragging || !at) return;
    at.sub(dragging.grip);
    if (dragging.which === 'tip') return this.turnAxis(at, 'axis');
    if (pointer.event.shiftKey)
      at.copy(dragging.from).addScaledVector(dragging.axis, at.sub(dragging.from).dot(dragging.axis));
    this.moveCentroid(at, 'centroid');
  }

  up(): void {
    this.dragging = undefined;
    this.app.store.settle();
  }

  hover(pointer: ViewPointer): void {
    const over = this.handleAt(pointer.x, pointer.y);
    const joint = over ? undefined : this.clicks.dotAt(pointer.x, pointer.y);
    if (over === this.overHandle && joint === this.hovered) return;
    this.overHandle = over;
    this.hovered = joint;
    this.element.style.cursor = over ? 'move' : joint === undefined ? '' : 'pointer';
    this.app.viewer.invalidate();
  }

  leave(): void {
    this.overHandle = undefined;
    this.hovered = undefined;
    this.app.viewer.invalidate();
  }

  // --- over the picture ---

  overlay(overlay: Overlay): void {
    drawBones(this.app, overlay, { all: true, hovered: this.hovered });
    this.drawStates(overlay);
    if (this.joint >= 0) this.drawCentroid(overlay);
  }

  /** Draws a cross over joints that are off, and a ring around joints with their own gains. */
  private drawStates({ context, project }: Overlay): void {
    const { style } = this;
    const place = new Vector3();
    if (!style.joints) return;
    for (const { index, name, node, depth } of this.session.joints) {
      if (depth === 0) continue;
      const off = isOff(style, name);
      if (!off && !isChanged(style, name)) continue;
      const { x, y } = project(node.getWorldPosition(place));
      const r = index === this.joint ? 9 : 6;
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
      if (off) {
        context.moveTo(x - 0.7 * r, y + 0.7 * r);
        context.lineTo(x + 0.7 * r, y - 0.7 * r);
      }
      outline(context, off ? color('danger') : color('stretch'), 1.75);
    }
  }

  private isHeld(which: Handle): boolean {
    return (this.dragging?.which ?? this.overHandle) === which;
  }

  /** The medial axis runs from the joint through its center, or where it was turned. */
  private drawCentroid({ context, project }: Overlay): void {
    const place = this.place();
    const center = this.centroid();
    const first = this.centroid(false);
    const tip = this.tip();
    const back = place.clone().lerp(tip, -0.25);
    const middle = place.clone().lerp(tip, 1 / AXIS_LENGTH);
    const [a, start, on, end] = [back, place, middle, tip].map((one) => project(one));
    const at = project(center);
    const tint = color('squash');
    context.setLineDash([5, 4]);
    segment(context, a, start, tint, 1.5);
    segment(context, on, end, tint, 1.5);
    context.setLineDash([]);
    segment(context, start, on, tint, 2.25);
    context.beginPath();
    context.arc(end.x, end.y, this.isHeld('tip') ? 7 : 5, 0, 2 * Math.PI);
    outline(context, tint, 2);
    if (first.distanceTo(center) > 1e-6 * this.session.size) {
      context.globalAlpha = 0.6;
      diamond(context, project(first), 4);
      outline(context, tint, 1.5);
      context.globalAlpha = 1;
    }
    diamond(context, at, this.isHeld('center') ? 8.5 : 6.5);
    context.fillStyle = tint;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = '#fff';
    context.stroke();
  }

  stop(): void {
    this.clicks.stop();
    this.element.style.cursor = '';
  }
}

function outline(context: CanvasRenderingContext2D, tint: string, width: number): void {
  context.lineWidth = width + 2;
  context.strokeStyle = 'rgba(10, 12, 18, 0.45)';
  context.stroke();
  context.lineWidth = width;
  context.strokeStyle = tint;
  context.stroke();
}

function segment(context: CanvasRenderingContext2D, a: Vector3, b: Vector3, tint: string, width: number): void {
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  outline(context, tint, width);
}

function diamond(context: CanvasRenderingContext2D, at: Vector3, r: number): void {
  context.beginPath();
  context.moveTo(at.x, at.y - r);
  context.lineTo(at.x + r, at.y);
  context.lineTo(at.x, at.y + r);
  context.lineTo(at.x - r, at.y);
  context.closePath();
}
