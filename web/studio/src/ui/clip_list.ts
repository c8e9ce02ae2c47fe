// The list of clips: a button with the name of the current one, and a list with pictures and a field to search in it.
import type { App } from '../app';
import { isSmallEnough } from '../pictures/film_strip';
import { h, svg } from './dom';
import { ICONS } from './icons';

const SEARCH_FROM = 8; // clips: fewer are seen at a glance
const SIZE = 72; // pixels of a picture, drawn at half the size

/** Draws the clips while the list is open. Returns what ends that. */
function drawClips(app: App, canvases: readonly HTMLCanvasElement[]): () => void {
  const session = app.session.value;
  if (!session || !isSmallEnough(session)) return () => {};
  return app.ask({ kind: 'stills', size: SIZE }, (answer) => {
    if (!('clip' in answer)) return;
    const image = new ImageData(answer.pixels, SIZE);
    canvases[answer.clip]?.getContext('2d')!.putImageData(image, 0, 0);
  });
}

const nameOf = (name: string | undefined, index: number): string => name || `clip ${index}`;

/** Opens the list above its button. */
function openList(app: App, button: HTMLElement): void {
  document.querySelector('.clip-list')?.remove();
  const clips = app.session.value?.clips ?? [];
  const chosen = app.store.document.value?.clip ?? 0;
  const canvases = clips.map(() => h('canvas', { width: SIZE, height: SIZE, 'aria-hidden': 'true' }));
  const options = clips.map((clip, i) => {
    const { start, end } = app.session.value!.clipInfo(i);
    return h(
      'button',
      {
        type: 'button',
        role: 'option',
        class: 'clip-option',
        'aria-selected': String(i === chosen),
        onclick: () => (close(), app.setClip(i)),
      },
      canvases[i],
      h('span', {}, nameOf(clip.name, i)),
      h('small', {}, `${(end - start).toFixed(1)} s`),
    );
  });
  const none = h('p', { class: 'quiet', hidden: true }, 'No clip has this in its name');
  const search = h('input', {
    type: 'search',
    class: 'search',
    placeholder: `Find one of ${clips.length} clips`,
    'aria-label': 'Find a clip',
    spellcheck: 'false',
    hidden: clips.length < SEARCH_FROM,
  });
  const shown = () => options.filter((one) => !one.hidden);
  search.addEventListener('input', () => {
    const words = search.value
      .trim()
      .toLowerCase()
      .split(/[\s_]+/);
    for (const one of options) {
      const name = one.querySelector('span')!.textContent!.toLowerCase();
      one.hidden = !words.every((word) => name.includes(word));
    }
    none.hidden = shown().length > 0;
  });
  const list = h(
    'div',
    { class: 'clip-list' },
    search,
    h('div', { class: 'clip-options', role: 'listbox', 'aria-label': 'Clips' }, options),
    none,
  );
  const endDrawing = drawClips(app, canvases);
  const close = () => {
    endDrawing();
    list.remove();
    document.removeEventListener('pointerdown', outside, true);
    button.setAttribute('aria-expanded', 'false');
    button.focus();
  };
  const outside = (event: Event) =>
    !list.contains(event.target as Node) && !button.contains(event.target as Node) && close();
  list.addEventListener('keydown', (event) => {
    const all = shown();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    event.stopPropagation();
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') all[Math.min(at + 1, all.length - 1)]?.focus();
    else if (event.key === 'ArrowUp') (at > 0 ? all[at - 1] : search.hidden ? all[0] : search)?.focus();
    else if (event.key === 'Enter' && at < 0) all[0]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('pointerdown', outside, true);
  document.body.append(list);
  const box = button.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(box.left, window.innerWidth - list.offsetWidth - 8))}px`;
  list.style.bottom = `${window.innerHeight - box.top + 4}px`;
  list.style.maxHeight = `${Math.max(box.top - 12, 120)}px`;
  button.setAttribute('aria-expanded', 'true');
  options[chosen]?.scrollIntoView({ block: 'center' });
  (search.hidden ? (options[chosen] ?? options[0]) : search)?.focus();
}

export function clipButton(app: App): HTMLElement {
  const name = h('span', {});
  const button: HTMLElement = h(
    'button',
    {
      type: 'button',
      class: 'select clips',
      'aria-haspopup': 'listbox',
      'aria-expanded': 'false',
      'data-tip': 'Clip',
      onclick: () => openList(app, button),
    },
    name,
    svg(ICONS.down),
  );
  const show = () => {
    const session = app.session.value;
    const index = app.store.document.value?.clip ?? 0;
    const clip = session?.clip(index);
    name.textContent = clip ? nameOf(clip.name, index) : 'Rest pose';
    button.setAttribute('aria-label', `Clip: ${name.textContent}`);
    button.toggleAttribute('disabled', !session?.clips.length);
  };
  app.session.watch(show);
  app.store.document.listen(show);
  return button;
}
