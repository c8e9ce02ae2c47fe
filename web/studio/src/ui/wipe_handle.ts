// The divider of the wipe comparison: drag it or use the arrow keys; a double click puts it into the middle.
import type { Viewer } from '../view/viewer';
import { h } from './dom';

export function wipeHandle(viewer: Viewer): HTMLElement {
  const knob = h('span', { class: 'wipe-knob' });
  const element = h(
    'div',
    {
      class: 'wipe',
      role: 'slider',
      tabindex: '0',
      'aria-label': 'Divider between plain and styled',
      'aria-valuemin': '0',
      'aria-valuemax': '100',
      hidden: true,
    },
    knob,
  );
  const set = (part: number) => (viewer.wipe.value = Math.min(Math.max(part, 0.02), 0.98));
  element.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    event.stopPropagation();
    element.focus();
    element.setPointerCapture(event.pointerId);
    const move = (now: PointerEvent) => {
      const box = viewer.element.getBoundingClientRect();
      set((now.clientX - box.left) / box.width);
    };
    element.addEventListener('pointermove', move);
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', move), {
      once: true,
    });
  });
  element.addEventListener('dblclick', () => set(0.5));
  element.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (!step) return;
    event.preventDefault();
    set(viewer.wipe.value + step * (event.shiftKey ? 0.1 : 0.02));
  });
  const show = () => {
    element.hidden = viewer.compare.value === 'off' || viewer.compare.value === 'ghost';
    element.classList.toggle('fixed', viewer.compare.value === 'split');
    const part = viewer.compare.value === 'split' ? 0.5 : viewer.wipe.value;
    element.style.left = `${100 * part}%`;
    element.setAttribute('aria-valuenow', String(Math.round(100 * part)));
    element.tabIndex = viewer.compare.value === 'wipe' ? 0 : -1;
  };
  viewer.compare.watch(show);
  viewer.wipe.listen(show);
  return element;
}
