// The style file as text. Errors are shown while typing; valid text takes effect at once.
import type { StyleText } from 'limber/engine';
import type { App } from '../app';
import { h } from './dom';
import { faultBox } from './widgets';

const WAIT_MS = 250;

export function jsonPanel(app: App): HTMLElement {
  const area = h('textarea', {
    class: 'json',
    spellcheck: 'false',
    autocomplete: 'off',
    wrap: 'off',
    'aria-label': 'Style as JSON',
  });
  const fault = faultBox();
  let timer = 0;
  let own = false;
  const write = () => {
    const document = app.store.document.value;
    if (document && !own) area.value = JSON.stringify(document.style, null, 2);
  };
  const read = () => {
    const message = app.checkStyle(area.value as StyleText);
    fault.set(message);
    area.setAttribute('aria-invalid', String(message !== undefined));
    if (message !== undefined) return;
    own = true; // keep the text as typed
    app.store.change(
      'Edit JSON',
      (document) => ({ ...document, style: app.engine.parseStyle(area.value as StyleText) }),
      {
        merge: 'json',
      },
    );
    own = false;
  };
  area.addEventListener('input', () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(read, WAIT_MS);
  });
  area.addEventListener('blur', () => {
    if (area.getAttribute('aria-invalid') !== 'true') write();
  });
  app.store.document.watch(write);
  return h('div', { class: 'json-panel' }, area, fault.element);
}
