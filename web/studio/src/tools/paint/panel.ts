// The left panel of the paint tool.
import type { PaintOptions } from 'limber/engine';
import { isOn } from '../../core/effects';
import { setKey } from '../../core/document';
import { Signal } from '../../core/signal';
import { h, once, sentence } from '../../ui/dom';
import { numberField } from '../../ui/number_field';
import type { NumberField } from '../../ui/number_field';
import { button, iconButton, say, segmented, select, toggle } from '../../ui/widgets';
import { LAYERED, layerOf, layersAsked, nameFault } from './layers';
import type { BrushSettings, Painter } from './painter';
import type { Falloff, Mode } from './stroke';

const FALLOFFS: readonly { value: Falloff; text: string }[] = [
  { value: 'smooth', text: 'Smooth' },
  { value: 'linear', text: 'Linear' },
  { value: 'sharp', text: 'Sharp' },
  { value: 'flat', text: 'Flat' },
];

const MODES: readonly { value: Mode; text: string; tip: string }[] = [
  { value: 'add', text: '+', tip: 'Add  ·  A' },
  { value: 'subtract', text: '−', tip: 'Subtract, also below 0  ·  D' },
  { value: 'smooth', text: '≈', tip: 'Smooth  ·  S' },
  { value: 'zero', text: '0', tip: 'Towards 0: no effect  ·  0' },
  { value: 'one', text: '1', tip: 'Towards 1: full effect  ·  1' },
];

interface Part {
  element: HTMLElement;
  refresh(): void;
}

function row(name: string, control: HTMLElement, tip?: string): HTMLElement {
  return h('div', { class: 'tool-row' }, h('span', { class: 'tool-row-name', 'data-tip': tip }, name), control);
}

const heading = (text: string) => h('h3', { class: 'tool-heading' }, text);

// --- layers ---

function layerList(painter: Painter): Part {
  const list = h('div', { class: 'layer-list', role: 'radiogroup', 'aria-label': 'Layer' });
  const refresh = () => {
    const { style, layers } = painter.app.store.current;
    const asked = layersAsked(style);
    const focused = list.contains(document.activeElement);
    list.replaceChildren(
      ...painter.names().map((name) => {
        const chosen = name === painter.layer.value;
        const used = LAYERED.filter((part) => layerOf(style, part) === name);
        const state =
          name in layers ? 'painted' : painter.exists(name) ? '' : asked.includes(name) ? 'not painted yet' : '';
        const tip = used.length
          ? `Scales ${used.map((part) => part.title.toLowerCase()).join(', ')}`
          : 'No effect uses it';
        return h(
          'button',
          {
            type: 'button',
            role: 'radio',
            class: 'layer-row',
            'aria-checked': String(chosen),
            tabindex: chosen ? '0' : '-1',
            'data-layer': name,
            'data-tip': tip,
            onclick: () => (painter.layer.value = name),
          },
          h('span', { class: 'layer-name' }, name),
          state && h('small', {}, state),
          h(
            'span',
            { class: 'layer-dots' },
            used.map((part) => h('span', { class: 'dot', style: `background:${part.color}` })),
          ),
        );
      }),
    );
    if (focused) list.querySelector<HTMLElement>('[aria-checked=true]')?.focus();
  };
  list.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const names = painter.names();
    if (!step) return;
    event.preventDefault();
    painter.layer.value = names[(names.indexOf(painter.layer.value) + step + names.length) % names.length];
  });
  return { element: list, refresh };
}

function newLayer(painter: Painter): HTMLElement {
  const input = h('input', {
    class: 'text',
    type: 'text',
    placeholder: 'new layer',
    'aria-label': 'Name of a new layer',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const make = () => {
    const name = input.value.trim().toLowerCase();
    const fault = nameFault(name);
    if (fault) return void (input.focus(), name && say({ kind: 'info', text: fault }));
    input.value = '';
    if (painter.exists(name)) painter.layer.value = name;
    else painter.create(name);
  };
  input.addEventListener('keydown', (event) => event.key === 'Enter' && make());
  return h(
    'div',
    { class: 'tool-line' },
    input,
    button('Add', make, { class: 'small', tip: 'Add a layer with this name, 0 everywhere' }),
  );
}

/** Chips for the effects that use the layer. */
function usedBy(painter: Painter): Part {
  const holder = h('div', { class: 'chips', role: 'group', 'aria-label': 'Effects that this layer scales' });
  return {
    element: holder,
    refresh: () => {
      const { style } = painter.app.store.current;
      const name = painter.layer.value;
      holder.replaceChildren(
        ...LAYERED.filter((part) => isOn(style, part.path)).map((part) => {
          const on = layerOf(style, part) === name;
          return h(
            'button',
            {
              type: 'button',
              class: 'chip small',
              'aria-pressed': String(on),
              'data-tip': on
                ? `${part.title} is scaled by ${name}; click to apply it everywhere`
                : `Scale ${part.title.toLowerCase()} by ${name}`,
              onclick: () =>
                painter.app.changeStyle(`Layer of ${part.title.toLowerCase()}`, (now) =>
                  setKey(now, `${part.path}.layer`, on ? undefined : name),
                ),
            },
            h('span', { class: 'dot', style: `background:${part.color}` }),
            part.title.split(' ')[0],
          );
        }),
      );
      if (!holder.childElementCount) holder.append(h('span', { class: 'quiet' }, 'no effect is on'));
    },
  };
}

// --- brush ---

function brushRows(painter: Painter): Part {
  const { settings } = painter;
  const mode = new Signal<Mode>(settings.value.mode);
  mode.listen((now) => painter.change({ mode: now }));
  const number = (label: string, from: number, to: number, key: 'radius' | 'strength', scale = 1): NumberField =>
    numberField({
      label,
      from,
      to,
      min: from,
      max: to,
      unit: scale === 100 ? '%' : undefined,
      change: (value) => void painter.change({ [key]: Number(value) / scale }),
    });
  const radius = number('Radius', 0.4, 40, 'radius', 100);
  const strength = number('Strength', 0, 1, 'strength');
  const falloff = select('Falloff', FALLOFFS, settings.value.falloff, (value) =>
    painter.change({ falloff: value as Falloff }),
  );
  const flag = (label: string, key: 'mirror' | 'through' | 'colors') =>
    toggle(label, false, (on) => painter.change({ [key]: on } as Partial<BrushSettings>));
  const mirror = flag('Mirror', 'mirror');
  const through = flag('Through', 'through');
  const colors = flag('Colors', 'colors');
  const together = (text: string, tip: string, control: HTMLElement) =>
    h('label', { class: 'tool-flag', 'data-tip': tip }, control, text);
  return {
    element: h(
      'div',
      {},
      segmented('What the brush does', mode, MODES),
      row('Radius', radius.element, 'Percent of the character’s size  ·  [ and ], or Shift + wheel'),
      row('Strength', strength.element, 'Max change per stroke  ·  { and }'),
      row('Falloff', falloff),
      h(
        'div',
        { class: 'tool-flags' },
        together('Mirror', 'Paint left and right together  ·  X', mirror),
        together('Through', 'Also paint the other side of thin parts', through),
        together('Colors', 'Magenta is 1, white 0, cyan -1  ·  Q', colors),
      ),
    ),
    refresh: () => {
      const now = settings.value;
      mode.value = now.mode;
      radius.set(100 * now.radius);
      strength.set(now.strength);
      falloff.value = now.falloff;
      mirror.checked = now.mirror;
      through.checked = now.through;
      colors.checked = now.colors;
    },
  };
}

function scale(painter: Painter): { element: HTMLElement; stop(): void } {
  const mark = h('span', { class: 'scale-mark', hidden: true });
  const value = h('output', { class: 'scale-value' });
  const stop = painter.under.watch((now) => {
    mark.hidden = now === undefined;
    mark.style.left = `${50 + 50 * (now ?? 0)}%`;
    value.textContent = now === undefined ? '' : now.toFixed(2);
  });
  return {
    element: h(
      'div',
      { class: 'layer-scale', 'aria-label': 'Color scale: -1 is cyan, 0 white, 1 magenta' },
      h('div', { class: 'scale-bar' }, mark),
      h('div', { class: 'scale-numbers' }, h('span', {}, '−1'), value, h('span', {}, '1')),
    ),
    stop,
  };
}

// --- the whole layer ---

function wholeLayer(painter: Painter): HTMLElement {
  let fill = 1;
  let passes = 4;
  const fillField = numberField({
    label: 'Value to fill with',
    from: -1,
    to: 1,
    min: -1,
    max: 1,
    change: (value) => void (fill = Number(value)),
  });
  const passField = numberField({
    label: 'Smoothing passes',
    from: 0,
    to: 40,
    min: 0,
    max: 200,
    whole: true,
    change: (value) => void (passes = Number(value)),
  });
  fillField.set(fill);
  passField.set(passes);
  const { session } = painter;
  const count = session.character.vertexCount;
  const paint = (label: string, options: PaintOptions) => {
    try {
      painter.put(label, session.character.paint(options));
    } catch (error) {
      say({ kind: 'error', text: `${label} failed`, detail: (error as Error).message });
    }
  };
  const auto = (kind: 'thickness' | 'height') => () => paint(sentence(kind), { auto: kind, smooth: passes });
  const skirt = () => {
    const values = session.character.paint({ auto: 'skirt', smooth: passes });
    if (values.some((value) => value !== 0)) return painter.put('Skirt', values);
    say({
      kind: 'info',
      text: 'There is no skirt',
      detail: 'A skirt has a hem that goes around two legs, below the joint that carries both.',
    });
  };
  const fromJoint = () => {
    const joint = painter.app.joint.value;
    if (joint < 0)
      return say({ kind: 'info', text: 'Select a joint first', detail: 'Click a joint in the list below.' });
    paint(`Distance from ${session.joints[joint].label}`, { auto: 'joint', joint, smooth: passes });
  };
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'tool-line' },
      fillField.element,
      button('Fill', () => painter.put('Fill', new Float32Array(count).fill(fill)), { class: 'small' }),
    ),
    h(
      'div',
      { class: 'tool-buttons' },
      button('Smooth', () => paint('Smooth', { values: painter.values(), smooth: Math.max(passes, 1) }), {
        class: 'small',
        tip: 'Smooth the whole layer',
      }),
      button(
        'Invert',
        () =>
          painter.put(
            'Invert',
            painter.values().map((value) => 1 - value),
          ),
        { class: 'small', tip: '0 becomes 1, 1 becomes 0' },
      ),
      iconButton('reset', 'Reset to the layer in the file', () => painter.reset(), { class: 'small' }),
    ),
    heading('Start from'),
    h(
      'div',
      { class: 'tool-buttons' },
      button('Thickness', auto('thickness'), {
        class: 'small',
        tip: '1 where the body is thin, such as ears, tails and skirts',
      }),
      button('Height', auto('height'), { class: 'small', tip: '0 at the feet, 1 at the top' }),
      button('Joint', fromJoint, {
        class: 'small',
        tip: '0 at the selected joint, 1 farthest from it along the surface',
      }),
      button('Skirt', skirt, { class: 'small', tip: '1 at the hem of a skirt, 0 at the joint above the legs' }),
    ),
    row('Smoothing', passField.element, 'Number of smoothing passes, also for Smooth above'),
  );
}

export function paintPanel(painter: Painter): { element: HTMLElement; stop(): void } {
  const layers = layerList(painter);
  const effects = usedBy(painter);
  const brush = brushRows(painter);
  const values = scale(painter);
  const refresh = () => [layers, effects, brush].forEach((part) => part.refresh());
  const soon = once(refresh);
  refresh();
  const stops = [
    painter.layer.listen(soon),
    painter.settings.listen(() => brush.refresh()),
    painter.app.store.document.listen(soon),
    values.stop,
  ];
  return {
    element: h(
      'div',
      { class: 'tool-body paint-panel' },
      heading('Layer'),
      layers.element,
      newLayer(painter),
      heading('Brush'),
      values.element,
      brush.element,
      heading('Scales'),
      effects.element,
      heading('Whole layer'),
      wholeLayer(painter),
    ),
    stop: () => stops.forEach((stop) => stop()),
  };
}
