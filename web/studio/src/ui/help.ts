// The help overlay: all keys, and the main ideas.
import type { App } from '../app';
import { readableKey } from '../core/keyboard';
import { h } from './dom';
import { showGuide } from './guide';
import { button, iconButton } from './widgets';

const IDEAS = [
  ['Open', 'Drop a .glb, .vrm, .fbx or .bvh anywhere, or pick a character at the top left. Nothing is uploaded.'],
  [
    'Style',
    'Start from a preset on the right, then switch effects on and off and drag their values. Click a value to type a number or a formula such as 0.4 * height.',
  ],
  ['View', 'Drag to orbit, wheel to zoom, right-drag to pan. Press C to compare with the plain animation.'],
  ['Joints', 'Click a part of the character to see the motion of its joint in the timeline.'],
  ['Save', 'Everything can be undone. Your work is saved in this browser until you open another file.'],
];

export function showHelp(app: App): void {
  if (document.querySelector('dialog.help')) return;
  const columns = [...app.keyboard.groups].map(([group, list]) =>
    h(
      'section',
      {},
      h('h3', {}, group),
      h(
        'dl',
        {},
        list.flatMap(({ key, label }) => [
          h(
            'dt',
            {},
            ...readableKey(key)
              .split(' + ')
              .map((part) => h('kbd', {}, part)),
          ),
          h('dd', {}, label),
        ]),
      ),
    ),
  );
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-label': 'Help' },
    h(
      'header',
      {},
      h('h2', {}, 'Help'),
      iconButton('close', 'Close', () => dialog.close(), { key: 'Esc' }),
    ),
    h(
      'div',
      { class: 'ideas' },
      IDEAS.map(([name, text]) => h('p', {}, h('strong', {}, name), text)),
    ),
    button('Show the first steps again', () => (dialog.close(), showGuide(app, true)), { class: 'help-guide' }),
    h('div', { class: 'keys' }, columns),
  );
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', (event) => event.key === '?' && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
