// The paint tool.
import type { App } from '../../app';
import { ICONS } from '../../ui/icons';
import type { ActiveTool, Tool } from '../tool';
import { Painter, RADIUS_STEP } from './painter';
import { paintPanel } from './panel';
import type { Mode } from './stroke';

/** Shift or Ctrl with the wheel changes the radius; the wheel alone zooms. */
function wheelRadius(painter: Painter): () => void {
  const { element } = painter.app.viewer;
  const turn = (event: WheelEvent) => {
    if (!event.shiftKey && !event.ctrlKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    painter.resize(RADIUS_STEP ** -Math.sign(event.deltaY || event.deltaX));
  };
  element.addEventListener('wheel', turn, { capture: true, passive: false });
  return () => element.removeEventListener('wheel', turn, { capture: true });
}

export const paintTool: Tool<App> = {
  id: 'paint',
  name: 'Paint',
  summary: 'Paint where effects are strong or weak',
  icon: ICONS.brush,
  key: 'p',
  start: (app: App): ActiveTool => {
    const painter = new Painter(app, app.session.value!);
    const unwheel = wheelRadius(painter);
    const panel = paintPanel(painter);
    const mode = (next: Mode) => () => painter.change({ mode: next });
    return {
      panel: panel.element,
      down: (pointer) => painter.down(pointer),
      drag: (pointer) => painter.drag(pointer),
      up: () => painter.up(),
      hover: (pointer) => painter.hover(pointer),
      leave: () => painter.leave(),
      overlay: (overlay) => painter.overlay(overlay),
      show: () => {
        painter.act();
        return false;
      },
      keys: [
        { key: '[', label: 'Smaller brush (or Shift + wheel)', run: () => painter.resize(1 / RADIUS_STEP) },
        { key: ']', label: 'Larger brush', run: () => painter.resize(RADIUS_STEP) },
        {
          key: '{',
          label: 'Weaker brush',
          run: () => painter.change({ strength: Math.max(painter.settings.value.strength - 0.1, 0.05) }),
        },
        {
          key: '}',
          label: 'Stronger brush',
          run: () => painter.change({ strength: Math.min(painter.settings.value.strength + 0.1, 1) }),
        },
        { key: 'Shift+x', label: 'Mirror', run: () => painter.change({ mirror: !painter.settings.value.mirror }) },
        { key: 'a', label: 'Add (hold Shift to subtract)', run: mode('add') },
        { key: 'd', label: 'Subtract', run: mode('subtract') },
        { key: 's', label: 'Smooth (or hold Ctrl while painting)', run: mode('smooth') },
        { key: '0', label: 'Towards 0', run: mode('zero') },
        { key: '1', label: 'Towards 1', run: mode('one') },
        {
          key: 'q',
          label: 'Show or hide layer colors',
          run: () => painter.change({ colors: !painter.settings.value.colors }),
        },
        { key: 'Escape', label: 'Cancel the stroke', run: () => void painter.cancel() },
      ],
      stop: () => {
        panel.stop();
        unwheel();
        painter.stop();
      },
    };
  },
};
