// The joints tool: gains and centers of individual joints.
import type { App } from '../../app';
import type { ActiveTool, Tool } from '../tool';
import { JointEditor } from './editor';
import { jointsPanel } from './panel';

const ICON =
  '<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="5" cy="14.5" r="2.2"/><circle cx="11" cy="9" r="2.2"/><circle cx="15.5" cy="4" r="1.7"/><path d="m6.7 13 2.7-2.5M12.5 7.4l1.9-2.1"/></svg>';

export const jointsTool: Tool<App> = {
  id: 'joints',
  name: 'Joints',
  summary: 'Change or switch off effects for individual joints',
  icon: ICON,
  key: 'j',
  start: (app: App): ActiveTool => {
    const editor = new JointEditor(app, app.session.value!);
    const panel = jointsPanel(editor);
    return {
      panel: panel.element,
      down: (pointer) => editor.down(pointer),
      drag: (pointer) => editor.drag(pointer),
      up: () => editor.up(),
      hover: (pointer) => editor.hover(pointer),
      leave: () => editor.leave(),
      overlay: (overlay) => {
        editor.overlay(overlay);
        panel.tick();
      },
      keys: [
        { key: '[', label: 'Select the parent', run: () => editor.walk(-1) },
        { key: ']', label: 'Select the first child', run: () => editor.walk(1) },
        { key: 'o', label: 'Switch the branch on or off', run: () => editor.switchBranch() },
        { key: 'Delete', label: 'Reset this joint', run: () => editor.reset() },
      ],
      stop: () => {
        panel.stop();
        editor.stop();
      },
    };
  },
};
