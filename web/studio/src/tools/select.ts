// The select tool: moves the camera; a click selects the joint under the pointer.
import type { App } from '../app';
import { drawBones } from '../view/bones';
import { ICONS } from '../ui/icons';
import type { Tool, ViewPointer } from './tool';

const CLICK_PIXELS = 4;

export const selectTool: Tool<App> = {
  id: 'select',
  name: 'Select',
  summary: 'Orbit the view; click a part to select its joint',
  icon: ICONS.select,
  key: 'v',
  start: (app: App) => {
    let from: { x: number; y: number } | undefined;
    const element = app.viewer.element;
    // The camera captures the pointer, so the end of a click is detected here.
    const up = (event: PointerEvent) => {
      const box = element.getBoundingClientRect();
      const x = event.clientX - box.left;
      const y = event.clientY - box.top;
      if (!from || Math.hypot(x - from.x, y - from.y) > CLICK_PIXELS) return;
      from = undefined;
      const hit = app.picker.hit(app.viewer.ray(x, y));
      app.joint.value = hit ? app.picker.jointOfVertex(hit.vertex) : -1;
    };
    element.addEventListener('pointerup', up);
    return {
      down: (pointer: ViewPointer) => {
        from =
          pointer.event.button === 0 && pointer.pane.which === 'styled' ? { x: pointer.x, y: pointer.y } : undefined;
      },
      overlay: (overlay) => drawBones(app, overlay, { all: app.showBones.value }),
      stop: () => element.removeEventListener('pointerup', up),
    };
  },
};
