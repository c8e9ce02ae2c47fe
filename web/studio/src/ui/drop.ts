// Files can be dropped anywhere in the window.
import type { StyleText } from 'limber/engine';
import type { App } from '../app';
import { isStyleLink } from '../core/share';
import { h, svg } from './dom';
import { ICONS } from './icons';

export function startDrop(app: App): void {
  const veil = h(
    'div',
    { class: 'drop-veil', hidden: true },
    h(
      'div',
      { class: 'drop-card' },
      svg(ICONS.open),
      h('strong', {}, 'Drop to open'),
      h(
        'span',
        {},
        '.glb, .gltf, .vrm, .fbx or .bvh, a style (.json) or a project (.limber). The file stays on your machine.',
      ),
    ),
  );
  document.body.append(veil);
  let depth = 0;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  const leave = () => {
    depth = 0;
    veil.hidden = true;
  };
  window.addEventListener('dragenter', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth++;
    veil.hidden = false;
  });
  window.addEventListener('dragleave', () => --depth <= 0 && leave());
  window.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault());
  // A link or a style can be pasted as well, except into a text field.
  window.addEventListener('paste', (event) => {
    const target = event.target as Element | null;
    const text = event.clipboardData?.getData('text') ?? '';
    if (target?.closest('input, textarea, [contenteditable]')) return;
    if (isStyleLink(text)) void app.wearLink(text);
    else if (text.trimStart().startsWith('{')) app.wear('the pasted style', text as StyleText);
  });
  window.addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    leave();
    void app.openFiles([...(event.dataTransfer?.files ?? [])]);
  });
}
