// A click in the view selects a joint; a drag moves the camera.
import type { App } from '../app';
import type { ViewPointer } from './tool';

const CLICK_PIXELS = 4;
export const JOINT_PIXELS = 9;

export class JointClick {
  private pressed: { x: number; y: number } | undefined;

  constructor(private readonly app: App) {
    app.viewer.element.addEventListener('pointerup', this.up);
  }

  /** The joint whose dot is at this position. */
  dotAt(x: number, y: number): number | undefined {
    return this.app.picker.joint(x, y, (place) => this.app.viewer.project(place), JOINT_PIXELS)?.index;
  }

  /** The pointer went down and no tool has captured it. */
  press(pointer: ViewPointer): void {
    this.pressed =
      pointer.event.button === 0 && pointer.pane.which === 'styled' ? { x: pointer.x, y: pointer.y } : undefined;
  }

  forget(): void {
    this.pressed = undefined;
  }

  // The camera captures the pointer, so the end of a click is detected here.
  private readonly up = (event: PointerEvent): void => {
    const { app } = this;
    const box = app.viewer.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const from = this.pressed;
    this.pressed = undefined;
    if (!from || Math.hypot(x - from.x, y - from.y) > CLICK_PIXELS) return;
    const dot = this.dotAt(x, y);
    const hit = dot === undefined ? app.picker.hit(app.viewer.ray(x, y)) : undefined;
    app.joint.value = dot ?? (hit ? app.picker.jointOfVertex(hit.vertex) : -1);
  };

  stop(): void {
    this.app.viewer.element.removeEventListener('pointerup', this.up);
  }
}
