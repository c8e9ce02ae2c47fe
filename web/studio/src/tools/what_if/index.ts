// The what-if tool: gives joints a velocity in a frozen pose.
import { Vector3 } from 'three';
import type { App } from '../../app';
import type { ActiveTool, Tool } from '../tool';
import { whatIfPanel } from './panel';
import { WhatIf } from './what_if';

const ICON =
  '<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="6" cy="14" r="2.5"/><path d="M8 12 16 4"/><path d="M11.5 3.5H16.5V8.5"/><path d="M3 9.5A6 6 0 0 1 7 6.2" opacity=".6"/><path d="M10.5 16.5a6 6 0 0 0 3.4-3.4" opacity=".6"/></svg>';

export const whatIfTool: Tool<App> = {
  id: 'what-if',
  name: 'What-if',
  summary: 'Freeze a pose, give joints a velocity or spin, see the effects',
  icon: ICON,
  key: 'w',
  start: (app: App): ActiveTool => {
    const whatIf = new WhatIf(app, app.session.value!);
    const panel = whatIfPanel(whatIf);
    const { motions, shown } = whatIf;
    return {
      panel: panel.element,
      down: (pointer) => whatIf.down(pointer),
      drag: (pointer) => whatIf.drag(pointer),
      up: () => whatIf.up(),
      hover: (pointer) => whatIf.hover(pointer),
      leave: () => whatIf.leave(),
      overlay: (overlay) => whatIf.overlay(overlay),
      show: (seconds) => whatIf.show(seconds),
      running: () => shown.value.sweep,
      keys: [
        { key: 'g', label: 'Show or hide the ghost', run: () => whatIf.change({ ghost: !shown.value.ghost }) },
        { key: 't', label: 'Show or hide the vertex paths', run: () => whatIf.change({ lines: !shown.value.lines }) },
        {
          key: 's',
          label: 'Sweep between rest and full motion',
          run: () => whatIf.change({ sweep: !shown.value.sweep }),
        },
        { key: 'k', label: "Copy the clip's motion", run: () => whatIf.copyFromClip() },
        {
          key: 'Delete',
          label: 'Clear the selected joint',
          run: () => motions.put({ joint: app.joint.value, ...stillness() }),
        },
        { key: 'Shift+Delete', label: 'Clear all joints', run: () => motions.clear() },
        { key: 'Ctrl+z', label: 'Undo', run: () => void (motions.undo() || app.undo()) },
      ],
      stop: () => {
        panel.stop();
        whatIf.stop();
      },
    };
  },
};

const stillness = () => ({ linear: new Vector3(), angular: new Vector3() });
