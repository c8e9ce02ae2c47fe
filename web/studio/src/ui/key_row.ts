// A row for one key of the style: name, control, and a button that resets it to the default.
import type { StyleKey } from 'limber/engine';
import type { App } from '../app';
import { getKey } from '../core/document';
import { h, sentence } from './dom';
import { numberField } from './number_field';
import { faultBox, iconButton, select, toggle } from './widgets';

export interface Row {
  element: HTMLElement;
  refresh(): void;
}

/** Slider ranges by unit, for keys whose limits are very wide. The values of the presets are in the lower half. */
const USUAL: Record<string, [number, number]> = {
  s: [0, 1],
  's^2': [0, 0.05],
  Hz: [0, 10],
  L: [0, 0.5],
  'L per frame': [0, 0.2],
  frames: [0, 4],
  '': [0, 2],
};
const USUAL_OF: Record<string, [number, number]> = {
  'exaggerate.filter.amount': [-1, 2],
  'exaggerate.filter.sigma': [0, 0.5],
  'exaggerate.filter.delay': [-0.1, 0.1],
  'exaggerate.smooth': [0, 10],
  'effects.squash.linear': [0, 0.5],
  'effects.squash.angular': [0, 0.5],
  'effects.floppy.linear': [0, 0.25],
  'effects.overlap.frequency': [0.5, 6],
  'effects.overlap.gain': [0, 8],
  'effects.overlap.max': [0, 90],
  'effects.overlap.reach': [0, 2],
  'effects.overlap.smooth': [0, 0.2],
  'effects.overlap.linear': [0, 2],
  'effects.overlap.max_linear': [0, 0.2],
  'smear.lines.count': [0, 300],
  'smear.lines.radius': [0, 0.02],
  'smear.lines.length': [-12, 12],
  'smear.lines.seed': [0, 100],
  'smear.elongate.past': [0, 4],
  'smear.elongate.future': [0, 4],
  'smear.offsets.smooth': [0, 8],
  'smear.step': [1, 4],
  'smear.multiples.past': [0, 6],
  'smear.multiples.future': [0, 6],
  'smear.multiples.overlap': [1, 4],
  'timing.step': [1, 4],
  'pose.trail': [0, 0.3],
  size: [0, 4],
  derivative_step: [0, 0.1],
  'effects.drag.linear': [0, 0.02],
  'effects.followthrough.linear': [0, 0.02],
};
const WHOLE = new Set(['step', 'smooth', 'subdivide', 'past', 'future', 'count', 'seed']);

function usualRange(path: string, key: StyleKey): [number, number] {
  const own = USUAL_OF[path] ?? (path.endsWith('.damping') ? ([0, 1] as [number, number]) : undefined);
  if (own) return own;
  const { min = -Infinity, max = Infinity } = key;
  return max - min <= 360 ? [min, max] : (USUAL[key.unit] ?? [0, 1]);
}

/**
 * Settings that the studio stores but does not apply, because vertex indices must stay the same for brushes, layers and
 * exported files.
 */
export const SUBDIVIDE = 'smear.elongate.subdivide';
export const SUBDIVIDE_NOTE =
  'Only limber apply and limber render subdivide meshes. The studio shows and exports the original mesh and stores the number in the style.';
const NOTES: Record<string, string> = { [SUBDIVIDE]: SUBDIVIDE_NOTE, 'smear.elongate.tear': SUBDIVIDE_NOTE };

/** A readable name: "max bend" for "max_bend". */
export const titleOf = (path: string): string => sentence(path.split('.').pop()!.replace(/_/g, ' '));

const lastName = (path: string): string => path.split('.').pop()!;

/** Variables that formulas may use, for the tooltip. */
const FORMULA = 'A number or a formula, such as 0.4 * smoothstep(0.2, 1, height)';

export function keyRow(app: App, key: StyleKey, path: string, visible: () => boolean = () => true): Row {
  const title = titleOf(path);
  const value = () => getKey(app.store.current.style, path);
  const put = (next: unknown, dragging = false): string | undefined => {
    const fault = app.setKey(path, next, dragging ? path : undefined);
    if (!dragging) app.store.settle();
    return fault;
  };
  const control = controlOf(app, key, path, title, put);
  const reset = iconButton(
    'reset',
    `Reset to the default${key.default === undefined ? '' : `: ${JSON.stringify(key.default)}`}`,
    () => put(undefined),
    { class: 'reset' },
  );
  const tip = `${sentence(key.help)}.${key.type === 'number' ? `\n${FORMULA}` : ''}${NOTES[path] ? `\n${NOTES[path]}` : ''}`;
  const element = h(
    'div',
    { class: `key-row type-${key.type}`, 'data-path': path },
    h('span', { class: 'key-name', 'data-tip': tip }, title),
    control.element,
    reset,
  );
  return {
    element,
    refresh: () => {
      element.hidden = !visible();
      const now = value();
      element.classList.toggle('set', now !== undefined);
      control.set(now ?? key.default);
    },
  };
}

interface Control {
  element: HTMLElement;
  set(value: unknown): void;
}

type Put = (value: unknown, dragging?: boolean) => string | undefined;

function controlOf(app: App, key: StyleKey, path: string, title: string, put: Put): Control {
  if (key.type === 'number' || key.type === 'constant') return numberControl(key, path, title, put);
  if (key.type === 'switch') {
    const element = toggle(title, false, (on) => put(on));
    return { element, set: (value) => (element.checked = value === true) };
  }
  if (key.type === 'choice') return choiceControl(key, title, put);
  if (key.type === 'vector') return vectorControl(key, title, put);
  if (key.type === 'list' && key.choices) return listChoice(key, title, put);
  return textControl(app, key, path, title, put);
}

function numberControl(key: StyleKey, path: string, title: string, put: Put): Control {
  const [from, to] = usualRange(path, key);
  const field = numberField({
    label: title,
    from,
    to,
    min: key.min,
    max: key.max,
    unit: key.unit,
    whole: key.type === 'constant' && WHOLE.has(lastName(path)),
    words: key.type === 'number' || key.choices !== undefined,
    change: (value, dragging) => put(value, dragging),
  });
  return {
    element: field.element,
    set: (value) => field.set(typeof value === 'number' || typeof value === 'string' ? value : (key.min ?? 0)),
  };
}

function choiceControl(key: StyleKey, title: string, put: Put): Control {
  const real = (word: string) => (word === 'true' ? true : word === 'false' ? false : word);
  const words: Record<string, string> = { dualquat: 'Dual quaternion', true: 'Yes', false: 'No' };
  const element = select(
    title,
    (key.choices ?? []).map((word) => ({ value: word, text: words[word] ?? sentence(word) })),
    String(key.default),
    (value) => put(real(value)),
  );
  return { element, set: (value) => (element.value = String(value)) };
}

function vectorControl(key: StyleKey, title: string, put: Put): Control {
  const inputs = ['x', 'y', 'z'].map((axis) =>
    h('input', {
      class: 'text',
      type: 'number',
      step: 'any',
      'aria-label': `${title} ${axis}`,
      placeholder: axis,
      onchange: () => {
        if (inputs.every((one) => one.value !== '')) put(inputs.map((one) => Number(one.value)));
      },
    }),
  );
  void key;
  return {
    element: h('div', { class: 'vector' }, inputs),
    set: (value) =>
      inputs.forEach(
        (input, i) => document.activeElement !== input && (input.value = Array.isArray(value) ? String(value[i]) : ''),
      ),
  };
}

function listChoice(key: StyleKey, title: string, put: Put): Control {
  let now: string[] = [];
  const chips = key.choices!.map((word) =>
    h(
      'button',
      {
        type: 'button',
        class: 'chip small',
        onclick: () => {
          const next = now.includes(word) ? now.filter((one) => one !== word) : [...now, word];
          if (next.length >= (key.min ?? 0)) put(next);
        },
      },
      word,
    ),
  );
  return {
    element: h('div', { class: 'chips', role: 'group', 'aria-label': title }, chips),
    set: (value) => {
      now = Array.isArray(value) ? (value as string[]) : [];
      chips.forEach((chip, i) => chip.setAttribute('aria-pressed', String(now.includes(key.choices![i]))));
    },
  };
}

/** A text field for names, lists of names and everything else; JSON unless it is a single word. */
function textControl(app: App, key: StyleKey, path: string, title: string, put: Put): Control {
  const suggestions = h('datalist', { id: `names-${path}` });
  const fault = faultBox();
  const input = h('input', {
    class: 'text',
    type: 'text',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-label': title,
    list: `names-${path}`,
    placeholder: key.type === 'list' ? 'names, separated by commas' : lastName(path) === 'layer' ? 'everywhere' : '',
  });
  const read = (): unknown => {
    const text = input.value.trim();
    if (key.type === 'list')
      return text
        ? text
            .split(',')
            .map((one) => one.trim())
            .filter(Boolean)
        : [];
    if (key.type !== 'other' || /^[a-z]*$/i.test(text)) return text;
    return JSON.parse(text);
  };
  const give = () => {
    let message: string | undefined;
    try {
      message = put(read());
    } catch (error) {
      message = (error as Error).message;
    }
    fault.set(message);
  };
  input.addEventListener('change', give);
  let before = '';
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    input.value = before;
    fault.set(undefined);
    input.blur();
  });
  input.addEventListener('focus', () => {
    before = input.value;
    const session = app.session.value;
    const names =
      lastName(path) === 'layer'
        ? session?.layerNames
        : /joint|prune/.test(path)
          ? session?.joints.map((joint) => joint.name)
          : key.choices;
    suggestions.replaceChildren(...(names ?? []).map((name) => h('option', { value: name })));
  });
  return {
    element: h('div', { class: 'text-field' }, input, suggestions, fault.element),
    set: (value) => {
      if (document.activeElement === input) return;
      fault.set(undefined);
      input.value =
        Array.isArray(value) && key.type === 'list'
          ? value.join(', ')
          : typeof value === 'object' && value !== null
            ? JSON.stringify(value)
            : String(value ?? '');
    },
  };
}
