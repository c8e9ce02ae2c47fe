// The meter (`?perf`): what every stage costs on the page's thread, beside its budget, and the longest task.
import { BUDGETS_MS, costs } from '../core/perf';
import type { Stage } from '../core/perf';
import { h } from './dom';

const EVERY_MS = 250;
const TASK_MS = 50;

const NAMES: Record<Stage, string> = {
  frame: 'Frame',
  draw: 'Drawing',
  lanes: 'Timeline',
  style: 'New style (worker)',
  swap: 'Taking it over',
  file: 'File',
  character: 'Character',
};

const readable = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

function row(name: string, last: string, worst: string, budget: number, over: boolean): HTMLElement {
  const cells = [last, worst, `${budget}`].map((text) => h('td', {}, text));
  return h('tr', { class: over ? 'over' : '' }, h('th', { scope: 'row' }, name), cells);
}

/** Tasks that hold the page. Browsers that do not tell have none. */
function watchTasks(): { longest(): number; clear(): void } {
  let longest = 0;
  if (PerformanceObserver.supportedEntryTypes.includes('longtask'))
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' });
  return { longest: () => longest, clear: () => (longest = 0) };
}

export function perfMeter(): HTMLElement {
  const tasks = watchTasks();
  const body = h('tbody', {});
  const heads = ['Milliseconds', 'last', 'worst', 'budget'].map((text) => h('th', { scope: 'col' }, text));
  const show = () => {
    const rows = (Object.keys(BUDGETS_MS) as Stage[]).flatMap((stage) => {
      const cost = costs.get(stage);
      const budget = BUDGETS_MS[stage];
      return cost ? [row(NAMES[stage], readable(cost.last), readable(cost.worst), budget, cost.last > budget)] : [];
    });
    const task = tasks.longest();
    body.replaceChildren(...rows, row('Longest task', '', readable(task), TASK_MS, task > TASK_MS));
  };
  show();
  window.setInterval(show, EVERY_MS);
  const clear = () => {
    costs.clear();
    tasks.clear();
    show();
  };
  return h(
    'div',
    { class: 'perf-meter', role: 'region', 'aria-label': 'What the stages cost' },
    h('table', {}, h('thead', {}, h('tr', {}, heads)), body),
    h('button', { type: 'button', class: 'button small', onclick: clear }, 'Clear'),
  );
}

export const isPerfAsked = (): boolean => new URLSearchParams(window.location.search).has('perf');
