// A hint for new users: what to drop and what to pick. It never returns once closed, and is hidden
// while a file of the user is open.
import type { App } from '../app';
import { CHARACTERS } from '../app';
import { h, sentence, svg } from './dom';
import { ICONS } from './icons';
import { readPreference, writePreference } from './preferences';
import { iconButton } from './widgets';

const BELOW = 14; // pixels below the strip, as in overlays.css

export function showHint(app: App): void {
  if (readPreference('hint-closed', false)) return;
  const close = () => {
    writePreference('hint-closed', true);
    strip.remove();
    observer.disconnect();
    app.viewer.covered = 0;
    app.viewer.frameAgain();
  };
  const chips = CHARACTERS.slice(0, 6).map((name) => {
    const chip = h(
      'button',
      { type: 'button', class: 'chip', onclick: () => void app.openBuiltIn(name) },
      sentence(name),
    );
    app.store.document.watch((document) => chip.setAttribute('aria-pressed', String(document?.file.builtIn === name)));
    return chip;
  });
  const strip = h(
    'div',
    { class: 'hint', role: 'region', 'aria-label': 'First steps' },
    h(
      'div',
      { class: 'hint-drop' },
      svg(ICONS.open),
      h('div', {}, h('strong', {}, 'Drop a .glb, .vrm or .bvh here'), h('span', {}, 'or pick a character')),
    ),
    h('div', { class: 'chips' }, chips),
    iconButton('close', 'Close', close),
  );
  app.viewer.element.parentElement?.append(strip);
  const cover = () => {
    app.viewer.covered = strip.offsetHeight ? strip.offsetHeight + BELOW : 0;
    app.viewer.frameAgain();
  };
  const observer = new ResizeObserver(cover);
  observer.observe(strip);
  cover();
  app.session.watch((session) => (strip.hidden = session !== undefined && !session.file.builtIn));
}
