// Dark and light themes. `system` follows the setting of the operating system.
import { Signal } from '../core/signal';
import type { StageColors } from '../view/stage';
import type { LaneColors } from './lanes';
import { readPreference, writePreference } from './preferences';

export type Theme = 'dark' | 'light';
export type ThemeChoice = Theme | 'system';

const system = window.matchMedia('(prefers-color-scheme: light)');

export const themeChoice = new Signal<ThemeChoice>(readPreference<ThemeChoice>('theme', 'system'));
export const theme = new Signal<Theme>('dark');

function settle(): void {
  const choice = themeChoice.value;
  const now = choice === 'system' ? (system.matches ? 'light' : 'dark') : choice;
  document.documentElement.dataset.theme = now;
  theme.value = now;
}

system.addEventListener('change', settle);
themeChoice.listen((choice) => {
  writePreference('theme', choice);
  settle();
});
settle();

const STAGES: Record<Theme, StageColors> = {
  dark: { background: '#23252b', horizon: '#2a2d35', grid: '#8b93a7', shadow: 0.42 },
  light: { background: '#e6e8ee', horizon: '#ffffff', grid: '#6d7485', shadow: 0.22 },
};

export const stageColors = (now: Theme): StageColors => STAGES[now];

/** A color of the theme, by the name of its CSS variable. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function laneColors(): LaneColors {
  return {
    text: color('text'),
    faint: color('text-faint'),
    line: color('line'),
    accent: color('accent'),
    panel: color('panel'),
  };
}
