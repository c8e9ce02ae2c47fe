// The set around the character: a few backgrounds and lights. They belong to the window, not to the document.
import { Signal } from '../core/signal';
import { LIGHTS } from '../view/stage';
import type { LightName, StageColors } from '../view/stage';
import type { Viewer } from '../view/viewer';
import { sentence } from './dom';
import { readPreference, writePreference } from './preferences';
import { stageColors, theme } from './theme';
import { iconButton, openMenu } from './widgets';

const BACKGROUNDS: Record<string, StageColors | undefined> = {
  theme: undefined,
  white: { background: '#ffffff', horizon: '#ffffff', shadow: 0.18 },
  sky: { background: '#a9cdf0', horizon: '#e8f3fb', shadow: 0.25 },
  sunset: { background: '#e9a27c', horizon: '#f7d9b8', shadow: 0.3 },
  green: { background: '#00b140', horizon: '#00b140', shadow: 0 }, // to be keyed out
};

const known = <T extends string>(name: string, all: readonly T[]): T => {
  const kept = readPreference<T>(name, all[0]);
  return all.includes(kept) ? kept : all[0];
};

/** The button of the set; it keeps the view as it says. */
export function setButton(viewer: Viewer): HTMLElement {
  const lightNames = Object.keys(LIGHTS) as LightName[];
  const background = new Signal(known('background', Object.keys(BACKGROUNDS)));
  const light = new Signal(known('light', lightNames));
  const paint = () => viewer.paint(BACKGROUNDS[background.value] ?? stageColors(theme.value));
  theme.listen(paint);
  background.watch((now) => {
    writePreference('background', now);
    paint();
  });
  light.watch((now) => {
    writePreference('light', now);
    viewer.light(now);
  });
  const items = <T extends string>(names: readonly T[], signal: Signal<T>, what: string) =>
    names.map((name) => ({
      text: `${sentence(name)} ${what}${signal.value === name ? '  ✓' : ''}`,
      run: () => void (signal.value = name),
    }));
  const made = iconButton('set', 'Background and light', () =>
    openMenu(made, [
      ...items(Object.keys(BACKGROUNDS), background, 'background'),
      'line',
      ...items(lightNames, light, 'light'),
    ]),
  );
  made.setAttribute('aria-haspopup', 'menu');
  return made;
}
