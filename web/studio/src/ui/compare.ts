// What the style can be compared with.
import type { PresetName, StyleText } from 'limber/engine';
import type { App } from '../app';
import { messageOf } from '../core/file_error';
import { withOwn } from '../core/presets';
import { h } from './dom';
import { OF_PAPERS, SHOWN } from './preset_cards';
import { say } from './widgets';
import type { MenuItem } from './widgets';

function fileToCompare(app: App): void {
  const picker = h('input', { type: 'file', accept: '.json' });
  picker.addEventListener('change', () => void compareFile(app, picker.files?.[0]));
  picker.click();
}

async function compareFile(app: App, file: File | undefined): Promise<void> {
  if (!file) return;
  const text = (await file.text()) as StyleText;
  const fault = app.checkStyle(text);
  if (fault === undefined) app.compareTo({ name: file.name, style: app.engine.parseStyle(text) });
  else say({ kind: 'error', text: `${file.name} cannot be used`, detail: fault.split('\n')[0] });
}

export function compareMenu(app: App): (MenuItem | 'line')[] {
  const { style } = app.store.current;
  const preset = (name: PresetName) => {
    try {
      app.compareTo({ name, style: withOwn(app.engine.parseStyle(name), style) });
    } catch (error) {
      say({ kind: 'error', text: `${name} cannot be used`, detail: messageOf(error) });
    }
  };
  return [
    { text: 'Plain animation', run: () => app.compareTo(undefined) },
    { text: 'This style as it is now', run: () => app.compareTo({ name: 'Before', style }) },
    { text: 'Style file…', run: () => fileToCompare(app) },
    'line',
    ...SHOWN.map(({ name }) => ({ text: name, run: () => preset(name) })),
    'line',
    ...OF_PAPERS.map(({ name }) => ({ text: name, run: () => preset(name) })),
  ];
}
