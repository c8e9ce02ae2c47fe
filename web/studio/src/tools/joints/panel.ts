// The left panel of the joints tool.
import { EFFECTS, isOn } from '../../core/effects';
import { h, once } from '../../ui/dom';
import { numberField, readableNumber } from '../../ui/number_field';
import { button, iconButton, section, select, toggle } from '../../ui/widgets';
import type { JointEditor } from './editor';
import { branchOf, effectName, gainOf, ownEntry, partsOf, patternOf } from './gains';
import type { Found } from './gains';

const MOMENTS = 40;

interface Part {
  element: HTMLElement;
  refresh(): void;
}

const heading = (text: string) => h('h3', { class: 'tool-heading' }, text);

/** The common value of several parts; undefined if they differ. */
function together(editor: JointEditor, parts: readonly (readonly [string, string])[]): Found | undefined {
  const found = parts.map(([effect, part]) => gainOf(editor.style, editor.name, effect, part));
  return found.every((one) => one.value === found[0].value) ? found[0] : undefined;
}

/** A gain: the joint's own or, in gray, that of a pattern. */
function gainRow(
  editor: JointEditor,
  title: string,
  key: string,
  parts: readonly (readonly [string, string])[],
  tint?: string,
): Part {
  const put = (value: unknown, dragging = false) => {
    const fault = editor.setOwn(key, value, dragging ? `gain ${editor.name} ${key}` : undefined);
    if (!dragging) editor.app.store.settle();
    return fault;
  };
  const field = numberField({ label: `Gain of ${title.toLowerCase()}`, from: 0, to: 2, words: true, change: put });
  const reset = iconButton('reset', 'Reset to the inherited value', () => put(undefined), { class: 'reset' });
  const name = h(
    'span',
    { class: 'key-name' },
    tint && h('span', { class: 'dot', style: `background:${tint}` }),
    title,
  );
  const element = h('div', { class: 'key-row gain-row', 'data-gain': key }, name, field.element, reset);
  return {
    element,
    refresh: () => {
      const own = ownEntry(editor.style, editor.name)[key];
      const found = together(editor, parts);
      const value = own ?? found?.value;
      element.classList.toggle('set', own !== undefined);
      element.classList.toggle('inherited', own === undefined && found?.from !== undefined);
      name.dataset.tip =
        own !== undefined || !found?.from ? `${title}: gain of this joint` : `${title}: set by ${found.from}`;
      field.set(typeof value === 'number' || typeof value === 'string' ? value : 1);
      element.classList.toggle('mixed', value === undefined);
      if (value === undefined) element.querySelector('.number-text')!.textContent = 'mixed';
    },
  };
}

function gains(editor: JointEditor): Part {
  const every = EFFECTS.flatMap((part) => partsOf(effectName(part)).map((one) => [effectName(part), one] as const));
  const all = gainRow(editor, 'All effects', '*', every);
  const rows = EFFECTS.map((part) => ({
    part,
    row: gainRow(
      editor,
      part.title.replace(' and stretch', ''),
      effectName(part),
      partsOf(effectName(part)).map((one) => [effectName(part), one] as const),
      part.color,
    ),
  }));
  const details = EFFECTS.filter((part) => partsOf(effectName(part)).length > 1).flatMap((part) =>
    partsOf(effectName(part)).map((one) => ({
      part,
      row: gainRow(
        editor,
        `${part.title.split(' ')[0]} ${one}`,
        `${effectName(part)}.${one}`,
        [[effectName(part), one]],
        part.color,
      ),
    })),
  );
  const none = h('p', { class: 'quiet' }, 'No effect is on.');
  return {
    element: h(
      'div',
      {},
      all.element,
      rows.map(({ row }) => row.element),
      none,
      section(
        'Linear and angular',
        details.map(({ row }) => row.element),
        { open: false, class: 'nested' },
      ),
    ),
    refresh: () => {
      const { style } = editor;
      all.refresh();
      for (const { part, row } of [...rows, ...details]) {
        row.element.hidden = !isOn(style, part.path);
        row.refresh();
      }
      none.hidden = EFFECTS.some((part) => isOn(style, part.path));
    },
  };
}

/** Three numbers of the joint; all 0 is the default. */
function vectorRow(
  editor: JointEditor,
  key: 'centroid_offset' | 'axis',
  texts: { name: string; tip: string; reset: string },
): Part {
  const inputs = ['x', 'y', 'z'].map((letter, i) =>
    h('input', {
      class: 'text',
      type: 'number',
      step: 'any',
      'aria-label': `${texts.name} ${letter}`,
      onchange: () => {
        const vector = [...editor.vector(key)];
        vector[i] = Number(inputs[i].value);
        if (Number.isFinite(vector[i])) editor.setOwn(key, vector.some(Boolean) ? vector : undefined);
      },
    }),
  );
  const reset = iconButton('reset', texts.reset, () => editor.setOwn(key, undefined), { class: 'reset' });
  const element = h(
    'div',
    { class: 'key-row center-row', 'data-vector': key },
    h('span', { class: 'key-name', 'data-tip': texts.tip }, texts.name),
    h('div', { class: 'vector' }, inputs),
    reset,
  );
  return {
    element,
    refresh: () => {
      element.classList.toggle('set', ownEntry(editor.style, editor.name)[key] !== undefined);
      editor
        .vector(key)
        .forEach((value, i) => document.activeElement !== inputs[i] && (inputs[i].value = readableNumber(value)));
    },
  };
}

function center(editor: JointEditor): Part {
  const vectors = [
    vectorRow(editor, 'centroid_offset', {
      name: 'Center',
      tip: 'Drag the orange diamond in the view; with Shift along the axis',
      reset: 'Reset to the center of the vertices',
    }),
    vectorRow(editor, 'axis', {
      name: 'Axis',
      tip: 'Drag the ring at the end of the axis in the view: squash flattens across the axis',
      reset: 'Reset: from the joint to the center',
    }),
  ];
  const about = select(
    'Squash about',
    [
      { value: '', text: 'Default' },
      { value: 'axis', text: 'Axis' },
      { value: 'center', text: 'Center' },
    ],
    '',
    (value) => editor.setOwn('about', value || undefined),
  );
  const spin = toggle('Smears ignore spin', false, (on) => editor.setOwn('ignore_spin', on || undefined));
  return {
    element: h(
      'div',
      {},
      vectors.map((row) => row.element),
      h(
        'div',
        { class: 'tool-row' },
        h('span', { class: 'tool-row-name', 'data-tip': 'What squash leaves in place at this joint' }, 'About'),
        about,
      ),
      h(
        'label',
        { class: 'tool-flag', 'data-tip': 'For wheels, balls and other spinning things' },
        spin,
        'Smears ignore its spin',
      ),
    ),
    refresh: () => {
      const own = ownEntry(editor.style, editor.name);
      for (const row of vectors) row.refresh();
      about.value = typeof own.about === 'string' ? own.about : '';
      spin.checked = own.ignore_spin === true;
    },
  };
}

/** The current speed of the joint; the bar is full at the max speed of the clip. */
class Speed {
  readonly element: HTMLElement;
  private readonly lines = [
    { name: 'Speed', tip: 'In character sizes (L) per second' },
    { name: 'Spin', tip: 'Degrees per second' },
  ].map(({ name, tip }) => {
    const fill = h('span', { class: 'meter-fill' });
    const text = h('output', {});
    return {
      fill,
      text,
      element: h(
        'div',
        { class: 'meter', 'data-tip': tip },
        h('span', { class: 'tool-row-name' }, name),
        h('span', { class: 'meter-bar' }, fill),
        text,
      ),
    };
  });
  private max = [1, 1];

  constructor(private readonly editor: JointEditor) {
    this.element = h(
      'div',
      { class: 'meters' },
      this.lines.map((line) => line.element),
    );
  }

  private length(vectors: Float32Array, at: number): number {
    return Math.hypot(vectors[3 * at], vectors[3 * at + 1], vectors[3 * at + 2]);
  }

  measure(): void {
    const { app, session, joint } = this.editor;
    if (joint < 0) return;
    const { start, end } = app.player.span.value;
    const { pipeline, clip } = session.pipeline(app.store.current.clip);
    const curves = pipeline.curves(
      clip,
      joint,
      Array.from({ length: MOMENTS }, (_, i) => start + ((end - start) * i) / MOMENTS),
    );
    this.max = [curves.velocity, curves.angularVelocity].map((one) =>
      Math.max(1e-6, ...Array.from({ length: MOMENTS }, (_, i) => this.length(one, i))),
    );
    this.tick();
  }

  tick(): void {
    const { app, session, joint } = this.editor;
    if (joint < 0 || !this.element.isConnected) return;
    const { pipeline, clip } = session.pipeline(app.store.current.clip);
    pipeline.evaluateJoints(clip, app.player.time.value);
    const motion = pipeline.kinematics();
    const now = [this.length(motion.velocity, joint), this.length(motion.angularVelocity, joint)];
    const texts = [`${(now[0] / session.size).toFixed(2)} L/s`, `${Math.round((now[1] * 180) / Math.PI)}°/s`];
    this.lines.forEach((line, i) => {
      line.fill.style.width = `${100 * Math.min(now[i] / this.max[i], 1)}%`;
      line.text.textContent = texts[i];
    });
  }
}

export function jointsPanel(editor: JointEditor): { element: HTMLElement; tick(): void; stop(): void } {
  const { app } = editor;
  const title = h('h2', { class: 'joint-title' });
  const branch = button('', () => editor.switchBranch(), { class: 'small' });
  const reset = iconButton('reset', 'Reset this joint', () => editor.reset(), {
    class: 'small',
    key: 'Del',
  });
  const speed = new Speed(editor);
  const rows = gains(editor);
  const middle = center(editor);
  const chosen = h(
    'div',
    {},
    h('div', { class: 'joint-head' }, title, reset),
    speed.element,
    h('div', { class: 'tool-buttons' }, branch),
    heading('Gains'),
    rows.element,
    heading('Center of squash'),
    middle.element,
  );
  const empty = h('p', { class: 'tool-empty' }, 'Click a part of the character or a joint in the list below.');
  const refresh = () => {
    const some = editor.joint >= 0;
    chosen.hidden = !some;
    empty.hidden = some;
    if (!some) return;
    const inside = branchOf(editor.session.joints, editor.joint);
    const off = editor.branchIsOff;
    const pattern = patternOf(editor.session.joints, inside);
    const who = inside.length > 1 ? `${editor.label} and ${inside.length - 1} below` : editor.label;
    title.textContent = editor.label || 'Character';
    title.title = editor.label === editor.name ? '' : editor.name;
    branch.querySelector('span')!.textContent = off
      ? 'Switch on'
      : inside.length > 1
        ? `Switch off branch (${inside.length})`
        : 'Switch off';
    branch.setAttribute('aria-pressed', String(off));
    branch.dataset.tip = off
      ? `Switch the effects of ${who} on  ·  O`
      : `Switch the effects of ${pattern ?? who} off  ·  O`;
    rows.refresh();
    middle.refresh();
  };
  const soon = once(refresh);
  const choose = () => {
    refresh();
    speed.measure();
  };
  choose();
  const stops = [
    app.joint.listen(choose),
    app.store.document.listen((now, before) => {
      soon();
      if (now?.clip !== before?.clip) speed.measure();
    }),
  ];
  return {
    element: h('div', { class: 'tool-body joints-panel' }, empty, chosen),
    tick: () => speed.tick(),
    stop: () => stops.forEach((stop) => stop()),
  };
}
