// The first steps of a new user on a sample: character, preset, amount, export. Closed once, it does not come back by
// itself; the help has it. It is hidden while a file of the user is open.
import type { App } from '../app';
import { CHARACTERS } from '../core/built_in';
import { Signal } from '../core/signal';
import { h, sentence } from './dom';
import { readPreference, writePreference } from './preferences';
import { button, iconButton } from './widgets';

const BELOW = 14; // pixels below the strip, as in overlays.css
const FIRST = 6; // characters

interface Step {
  title: string;
  text: string;
  /** What it is about: a selector. */
  about?: string;
  body?(app: App): HTMLElement;
}

function chips(app: App): HTMLElement {
  const made = CHARACTERS.slice(0, FIRST).map((name) => {
    const chip = h(
      'button',
      { type: 'button', class: 'chip', onclick: () => void app.openBuiltIn(name) },
      sentence(name),
    );
    app.store.document.watch((document) => chip.setAttribute('aria-pressed', String(document?.file.builtIn === name)));
    return chip;
  });
  return h('div', { class: 'chips' }, made);
}

const STEPS: readonly Step[] = [
  { title: 'Pick a character', text: 'or drop a .glb, .vrm, .fbx or .bvh here', body: chips },
  {
    title: 'Choose a preset',
    text: 'Each picture shows your character; point at one to see it move',
    about: '.presets',
  },
  {
    title: 'More or less of it',
    text: 'Drag Amount. Space plays, C compares with the plain animation',
    about: '.words',
  },
  {
    title: 'Take it with you',
    text: 'A .glb with the motion plays anywhere',
    about: '.rail .tool-button:last-child',
    body: (app) => button('Save .glb', () => app.save('glb'), { class: 'primary', icon: 'export' }),
  },
];

const ROUND = 'guided';

export function showGuide(app: App, again = false): void {
  if (document.querySelector('.hint') || (!again && readPreference('hint-closed', false))) return;
  const step = new Signal(again ? 0 : Math.min(readPreference('guide-step', 0), STEPS.length - 1));
  const unmark = () => document.querySelectorAll(`.${ROUND}`).forEach((one) => one.classList.remove(ROUND));
  const close = () => {
    writePreference('hint-closed', true);
    writePreference('guide-step', 0);
    strip.remove();
    unmark();
    observer.disconnect();
    stops.forEach((stop) => stop());
    app.viewer.covered = 0;
    app.viewer.frameAgain();
  };
  const mark = (about: string | undefined) => {
    unmark();
    if (about && !isHidden()) document.querySelector(about)?.classList.add(ROUND);
  };
  /** Who has opened a file needs no guide, and a tool needs the view. */
  const isHidden = () =>
    app.tool.value !== app.tools[0] || (!again && app.session.value !== undefined && !app.session.value.file.builtIn);
  const bodies = STEPS.map((one) => one.body?.(app));
  const text = h('div', { class: 'hint-text', 'aria-live': 'polite' });
  const holder = h('div', { class: 'hint-body' });
  const back = button('Back', () => step.value--, { class: 'small' });
  const next = button('Next', () => (step.value < STEPS.length - 1 ? step.value++ : close()), { class: 'small' });
  const strip: HTMLElement = h(
    'div',
    { class: 'hint', role: 'region', 'aria-label': 'First steps' },
    text,
    holder,
    h('div', { class: 'hint-steps' }, back, next),
    iconButton('close', 'Skip the first steps', close),
  );
  step.watch((now) => {
    const { title, text: words, about } = STEPS[now];
    writePreference('guide-step', now);
    text.replaceChildren(h('small', {}, `${now + 1} of ${STEPS.length}`), h('strong', {}, title), h('span', {}, words));
    holder.replaceChildren(...[bodies[now]].filter((one) => one !== undefined));
    back.disabled = now === 0;
    next.querySelector('span')!.textContent = now === STEPS.length - 1 ? 'Done' : 'Next';
    mark(about);
  });
  strip.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
    app.viewer.element.focus({ preventScroll: true });
  });
  app.viewer.element.parentElement?.append(strip);
  const cover = () => {
    app.viewer.covered = strip.offsetHeight ? strip.offsetHeight + BELOW : 0;
    app.viewer.frameAgain();
  };
  const observer = new ResizeObserver(cover);
  observer.observe(strip);
  cover();
  const hide = () => {
    strip.hidden = isHidden();
    mark(STEPS[step.value].about);
  };
  hide();
  // Who has done what a step is about sees the next one.
  const goOn = (from: number) => step.value === from && (step.value = from + 1);
  const stops = [
    app.session.listen(hide),
    app.tool.listen(hide),
    app.store.document.listen((now, before) => {
      if (!now || !before) return;
      if (now.file !== before.file) goOn(0);
      else if (now.base !== before.base) goOn(1);
    }),
  ];
}
