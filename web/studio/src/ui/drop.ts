// Files can be dropped anywhere in the window.
import type { App } from '../app';
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
      h('span', {}, '.glb, .gltf, .vrm or .bvh. The file stays on your machine.'),
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
  window.addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    leave();
    const file = event.dataTransfer?.files[0];
    if (file) void app.openFile(file);
  });
}
