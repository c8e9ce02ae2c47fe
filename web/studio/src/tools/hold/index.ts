// The hold tool: what stands on the ground, which parts keep their shape, and what skin stays out of.
import type { App } from '../../app';
import { contactLane } from './lane';
import { Hold } from './hold';
import { HoldPanel } from './panel';
import type { Tool } from '../tool';

const ICON =
  '<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M7 3v7.5c0 1-.7 1.6-1.6 2.1L3.5 13.7V15.5h7.5c1.7 0 2-.8 2-2.5V3"/><path d="M2.5 18h15"/></svg>';

export const holdTool: Tool<App> = {
  id: 'hold',
  name: 'Hold',
  summary: 'Feet that stay put, and parts that keep their shape; click to correct',
  icon: ICON,
  key: 'h',
  start: (app: App) => {
    const hold = new Hold(app, app.session.value!);
    const panel = new HoldPanel(hold);
    const { element } = app.viewer;
    return {
      panel: panel.element,
      lanes: [contactLane(app, hold.session, hold.contacts)],
      keys: [
        { key: '1', label: 'Contacts', run: () => (hold.mode.value = 'contacts') },
        { key: '2', label: 'Rigid parts', run: () => (hold.mode.value = 'rigid') },
        { key: '3', label: 'Colliders', run: () => (hold.mode.value = 'colliders') },
      ],
      down: ({ event, pane, x, y }) => {
        if (event.button === 0 && pane.which === 'styled') hold.press(x, y);
      },
      hover: ({ x, y, pane }) => (pane.which === 'styled' ? hold.hover(x, y) : hold.leave()),
      leave: () => hold.leave(),
      overlay: (overlay) => hold.overlay(overlay),
      show: () => {
        hold.show();
        return false;
      },
      stop: () => {
        panel.stop();
        hold.stop();
        element.style.cursor = '';
      },
    };
  },
};
