// A number that can be dragged, typed, or replaced by a formula.
//
// The bar shows the position in the usual range. Typed values may lie outside of it, up to the limits of the key. Arrow
// keys change the value by 1 % of the range, with Shift by 10 %, with Alt by 0.1 %. Press Enter or a digit to type.
import { h } from './dom';
import { faultBox } from './widgets';

export interface NumberOptions {
  label: string;
  /** The usual range. */
  from: number;
  to: number;
  /** The limits. */
  min?: number;
  max?: number;
  unit?: string;
  /** Whole numbers only. */
  whole?: boolean;
  /** Says what 0 means. */
  zero?: string;
  /** Words and formulas are allowed. */
  words?: boolean;
  /** `dragging`: more changes will follow. Throws or returns a message if the value is invalid. */
  change(value: number | string, dragging: boolean): string | undefined;
}

export interface NumberField {
  element: HTMLElement;
  set(value: number | string): void;
}

const UNITS: Record<string, string> = { degrees: '°', 's^2': ' s²', 'model units': '' };

export function readableNumber(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return String(Number(value.toFixed(digits)));
}

export function numberField(options: NumberOptions): NumberField {
  const { from, to, min = -Infinity, max = Infinity } = options;
  let value: number | string = from;
  const fill = h('span', { class: 'number-fill' });
  const text = h('span', { class: 'number-text' });
  const bar = h(
    'div',
    {
      class: 'number-bar',
      role: 'slider',
      tabindex: '0',
      'aria-label': options.label,
      'aria-valuemin': from,
      'aria-valuemax': to,
      'aria-valuenow': from,
    },
    fill,
    text,
  );
  const input = h('input', {
    class: 'number-input',
    type: 'text',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-label': options.label,
    hidden: true,
  });
  const fault = faultBox();
  const element = h('div', { class: 'number-field' }, bar, input, fault.element);

  const say = (message: string | undefined) => {
    fault.set(message);
    element.classList.toggle('wrong', message !== undefined);
  };
  const limit = (next: number) => {
    const tidy = options.whole ? Math.round(next) : next;
    return Math.min(Math.max(tidy, min), max);
  };
  const give = (next: number | string, dragging: boolean): boolean => {
    const message = options.change(next, dragging);
    say(message);
    if (message === undefined) show(next);
    return message === undefined;
  };

  function show(next: number | string): void {
    value = next;
    const number = typeof next === 'number';
    element.classList.toggle('formula', !number);
    const part = number ? Math.min(Math.max((next - from) / (to - from), 0), 1) : 0;
    const zero = Math.min(Math.max((0 - from) / (to - from), 0), 1);
    fill.style.left = `${100 * Math.min(part, zero)}%`;
    fill.style.width = number ? `${100 * Math.abs(part - zero)}%` : '0';
    const unit = options.unit ? (UNITS[options.unit] ?? ` ${options.unit}`) : '';
    text.textContent = next === 0 && options.zero ? options.zero : number ? readableNumber(next) + unit : next;
    bar.setAttribute('aria-valuetext', text.textContent);
    bar.setAttribute('aria-valuenow', String(number ? next : from)); // of a formula, the text above is read
  }

  const nudge = (event: KeyboardEvent, direction: number) => {
    const part = event.shiftKey ? 0.1 : event.altKey ? 0.001 : 0.01;
    const step = options.whole ? Math.max(1, Math.round((to - from) * part)) : (to - from) * part;
    if (typeof value === 'number') give(Number(limit(value + direction * step).toPrecision(6)), true);
  };

  // --- typing ---

  /** The value before typing, which Escape brings back. */
  let before: number | string = value;

  function edit(first?: string): void {
    before = value;
    input.value = first ?? String(value);
    input.hidden = false;
    bar.hidden = true;
    input.focus();
    if (first === undefined) input.select();
  }

  function read(): number | string | undefined {
    const typed = input.value.trim();
    if (typed === '') return undefined;
    const number = Number(typed.replace(',', '.'));
    if (!Number.isNaN(number)) return limit(number);
    return typed;
  }

  function finish(keep: boolean): void {
    if (input.hidden) return;
    const next = keep ? read() : value === before ? undefined : before;
    input.hidden = true;
    bar.hidden = false;
    if (!keep && next !== undefined) return void give(next, false);
    if (next === undefined || next === value) say(undefined);
    else if (typeof next === 'string' && !options.words) say(`'${next}' is not a number`);
    else give(next, false);
  }

  input.addEventListener('input', () => {
    const next = read();
    if (typeof next === 'string' && !options.words) say(`'${next}' is not a number`);
    else if (next !== undefined) give(next, true);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !element.classList.contains('wrong')) finish(true);
    else if (event.key === 'Escape') finish(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
    bar.focus();
  });
  input.addEventListener('blur', () => !element.classList.contains('wrong') && finish(true));

  bar.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowUp') nudge(event, 1);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowDown') nudge(event, -1);
    else if (event.key === 'Enter') edit();
    else if (/^[-0-9.=]$/.test(event.key) && !event.ctrlKey && !event.metaKey) edit(event.key === '=' ? '' : event.key);
    else return;
    event.preventDefault();
  });

  // --- dragging ---

  bar.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    bar.focus({ preventScroll: true });
    bar.setPointerCapture(event.pointerId);
    const startX = event.clientX;
    const begin = value;
    const width = Math.max(bar.clientWidth, 1);
    let moved = false;
    const move = (now: PointerEvent) => {
      const away = now.clientX - startX;
      if (!moved && Math.abs(away) < 3) return;
      moved = true;
      if (typeof begin !== 'number') return;
      const next = begin + (away / width) * (to - from) * (now.shiftKey ? 0.1 : 1);
      const inside = begin >= from && begin <= to ? Math.min(Math.max(next, from), to) : next;
      give(Number(limit(inside).toPrecision(4)), true);
    };
    const up = () => {
      bar.removeEventListener('pointermove', move);
      bar.removeEventListener('pointerup', up);
      bar.removeEventListener('pointercancel', up);
      if (!moved) edit();
      else if (typeof value === 'number') options.change(value, false);
    };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', up);
    bar.addEventListener('pointercancel', up);
  });

  return {
    element,
    set: (next) => {
      if (!input.hidden && document.activeElement === input) return;
      say(undefined);
      show(next);
    },
  };
}
