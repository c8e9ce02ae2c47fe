// Files can be dropped anywhere in the window.
import type { StyleText } from 'limber/engine';
import type { App } from '../app';
import { isStyleLink } from '../core/share';
import { dropped } from '../import/beside';
import { h, svg } from './dom';
import { ICONS } from './icons';

const isOver = (card: HTMLElement, { clientX, clientY }: DragEvent): boolean => {
  const { left, right, top, bottom } = card.getBoundingClientRect();
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
};

export function startDrop(app: App): void {
  const onto = h('strong', {});
  const motion = h(
    'div',
    { class: 'drop-card drop-motion' },
    svg(ICONS.play),
    onto,
    h(
      'span',
      {},
      'Its clips are added to those that are there. With Shift: as a closed cycle. With Alt: its travel on the root.',
    ),
  );
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
        '.glb, .gltf, .vrm, .fbx or .bvh, with its pictures or in its folder; a style (.json) or a project (.limber). All of it stays on your machine.',
      ),
    ),
    motion,
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
    const { file } = app.store.document.value ?? {};
    motion.hidden = !file;
    onto.textContent = `Drop here: its motion on ${file?.name ?? ''}`;
    veil.hidden = false;
  });
  window.addEventListener('dragleave', () => --depth <= 0 && leave());
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    motion.classList.toggle('over', isOver(motion, event));
  });
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
    const { dataTransfer } = event;
    const [first] = dataTransfer?.files ?? [];
    const addsMotion = !motion.hidden && isOver(motion, event);
    leave();
    if (addsMotion && first) void app.addMotion(first, { cycle: event.shiftKey, rootMotion: event.altKey });
    else if (dataTransfer) void dropped(dataTransfer).then((files) => app.openFiles(files));
  });
}
