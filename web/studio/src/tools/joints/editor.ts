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

export class JointEditor {
  private readonly element: HTMLElement;
  private readonly clicks: JointClick;
  private dragging: { plane: Plane; grip: Vector3; axis: Vector3; from: Vector3 } | undefined;
  private overHandle = false;
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
      `Change ${name} ${key.replace('_', ' ').replace('*', 'gain')}`,
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
    this.change(`${off ? 'Switch on' : 'Switch off'} ${this.name}`, (style) =>
      off ? branchOn(style, joints, branch) : branchOff(style, joints, branch),
    );
  }

  reset(): void {
    if (this.joint >= 0) this.change(`Reset ${this.name}`, (style) => forget(style, this.name));
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
  get offset(): [number, number, number] {
    const own = ownEntry(this.style, this.name).centroid_offset;
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
    if (moved) place.add(new Vector3().fromArray(this.offset));
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

  // --- pointer ---

  private onHandle(x: number, y: number): boolean {
    if (this.joint < 0) return false;
    const at = this.app.viewer.project(this.centroid());
    return Math.abs(at.z) < 1 && Math.hypot(at.x - x, at.y - y) < HANDLE_PIXELS;
  }

  down(pointer: ViewPointer): boolean {
    this.clicks.forget();
    if (pointer.event.button !== 0 || pointer.pane.which !== 'styled') return false;
    if (!this.onHandle(pointer.x, pointer.y)) {
      this.clicks.press(pointer);
      return false;
    }
    const from = this.centroid();
    const facing = this.app.viewer.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, from);
    const grip = pointer.ray().intersectPlane(plane, new Vector3()) ?? from.clone();
    this.app.player.playing.value = false;
    this.dragging = { plane, grip: grip.sub(from), axis: from.clone().sub(this.place()).normalize(), from };
    return true;
  }

  /** Drags in the plane of the view or, with Shift, along the medial axis. */
  drag(pointer: ViewPointer): void {
    const { dragging } = this;
    const at = dragging && pointer.ray().intersectPlane(dragging.plane, new Vector3());
    if (!dragging || !at) return;
    at.sub(dragging.grip);
    if (pointer.event.shiftKey)
      at.copy(dragging.from).addScaledVector(dragging.axis, at.sub(dragging.from).dot(dragging.axis));
    this.moveCentroid(at, 'centroid');
  }

  up(): void {
    this.dragging = undefined;
    this.app.store.settle();
  }

  hover(pointer: ViewPointer): void {
    const over = this.onHandle(pointer.x, pointer.y);
    const joint = over ? undefined : this.clicks.dotAt(pointer.x, pointer.y);
    if (over === this.overHandle && joint === this.hovered) return;
    this.overHandle = over;
    this.hovered = joint;
    this.element.style.cursor = over ? 'move' : joint === undefined ? '' : 'pointer';
    this.app.viewer.invalidate();
  }

  leave(): void {
    this.overHandle = false;
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

  /** The medial axis runs from the joint through its center. */
  private drawCentroid({ context, project }: Overlay): void {
    const place = this.place();
    const center = this.centroid();
    const first = this.centroid(false);
    const along = center.clone().sub(place);
    const [a, b, start] = [
      place.clone().addScaledVector(along, -0.35),
      center.clone().addScaledVector(along, 0.6),
      place,
    ].map((one) => project(one));
    const at = project(center);
    const tint = color('squash');
    context.setLineDash([5, 4]);
    segment(context, a, start, tint, 1.5);
    segment(context, at, b, tint, 1.5);
    context.setLineDash([]);
    segment(context, start, at, tint, 2.25);
    if (first.distanceTo(center) > 1e-6 * this.session.size) {
      context.globalAlpha = 0.6;
      diamond(context, project(first), 4);
      outline(context, tint, 1.5);
      context.globalAlpha = 1;
    }
    diamond(context, at, this.overHandle || this.dragging ? 8.5 : 6.5);
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
