// The CPU time per frame: joints, effects, and preparing data for the GPU, in milliseconds. Drawing is not included.
import type { App } from '../app';
import { Signal } from '../core/signal';
import { h } from './dom';
import { readPreference, writePreference } from './preferences';

const FRAMES = 60;

export function showCost(app: App): HTMLElement {
  const shown = new Signal(readPreference('cost', false));
  const element = h('output', {
    class: 'cost',
    'aria-label': 'Cost of a frame',
    'data-tip': 'CPU time per frame without drawing: median and worst of the last 60 frames',
  });
  const recent: number[] = [];
  shown.watch((on) => {
    element.hidden = !on;
    writePreference('cost', on);
  });
  app.frameCost.listen((milliseconds) => {
    recent.push(milliseconds);
    if (recent.length > FRAMES) recent.shift();
    if (!shown.value) return;
    const sorted = [...recent].sort((a, b) => a - b);
    const session = app.session.value;
    const where = session?.toon.computed.on === 'gpu' ? 'GPU' : 'CPU';
    element.textContent = `${sorted[sorted.length >> 1].toFixed(2)} ms  ·  worst ${sorted[sorted.length - 1].toFixed(1)}  ·  ${session?.character.vertexCount.toLocaleString('en')} vertices  ·  ${where}`;
  });
  app.keyboard.add({
    key: 'Shift+m',
    label: 'Cost of a frame',
    group: 'View',
    run: () => (shown.value = !shown.value),
  });
  return element;
}
