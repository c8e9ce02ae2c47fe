// The left panel of the what-if tool.
import { Vector3 } from 'three';
import { h, once } from '../../ui/dom';
import { numberField } from '../../ui/number_field';
import { Signal } from '../../core/signal';
import { button, iconButton, segmented, toggle } from '../../ui/widgets';
import type { WhatIf } from './what_if';
import type { Motion, Phase } from './motion';

const DEGREES = 180 / Math.PI;

/** Two digits are enough for dragged values. */
const shortNumber = (value: number): string =>
  String(Number(Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(0)));

const heading = (text: string) => h('h3', { class: 'tool-heading' }, text);

/** Three number fields for the motion of the selected joint. */
function vectorRow(
  whatIf: WhatIf,
  title: string,
  key: 'linear' | 'angular',
  unit: () => number,
  tip: string,
): { element: HTMLElement; refresh(): void } {
  const { motions, app } = whatIf;
  const inputs = (['x', 'y', 'z'] as const).map((axis) =>
    h('input', {
      class: 'text',
      type: 'number',
      step: 'any',
      'aria-label': `${title} ${axis}`,
      onchange: () => {
        const value = Number(inputs[['x', 'y', 'z'].indexOf(axis)].value);
        const before = motions.get(app.joint.value);
        if (!Number.isFinite(value) || app.joint.value < 0) return;
        const next = before[key].clone();
        next[axis] = value / unit();
        motions.put({ joint: before.joint, linear: before.linear, angular: before.angular, [key]: next });
      },
    }),
  );
  return {
    element: h(
      'div',
      { class: 'key-row center-row' },
      h('span', { class: 'key-name', 'data-tip': tip }, title),
      h('div', { class: 'vector' }, inputs),
    ),
    refresh: () => {
      const now = motions.get(app.joint.value)[key];
      inputs.forEach(
        (input, i) => document.activeElement !== input && (input.value = shortNumber(now.getComponent(i) * unit())),
      );
    },
  };
}

function describe(motion: Motion, size: number): string {
  const speed = motion.linear.length() / size;
  const spin = motion.angular.length() * DEGREES;
  return (
    [speed > 0.005 && `${speed.toFixed(2)} L/s`, spin > 0.5 && `${Math.round(spin)}°/s`].filter(Boolean).join('  ') ||
    'at rest'
  );
}

function motionList(whatIf: WhatIf): { element: HTMLElement; refresh(): void } {
  const { motions, app, session } = whatIf;
  const list = h('ul', { class: 'motion-list', 'aria-label': 'Joints with a motion' });
  return {
    element: list,
    refresh: () =>
      list.replaceChildren(
        ...[...motions.all.value.values()].map((motion) => {
          const { name: full, label } = session.joints[motion.joint];
          const name = label || full;
          const chosen = motion.joint === app.joint.value;
          return h(
            'li',
            { class: chosen ? 'chosen' : '' },
            h(
              'button',
              {
                type: 'button',
                class: 'motion-name',
                'data-joint': motion.joint,
                onclick: () => (app.joint.value = motion.joint),
              },
              h('span', {}, name),
              h('small', {}, describe(motion, session.size)),
            ),
            iconButton(
              'close',
              `Clear ${name}`,
              () => motions.put({ joint: motion.joint, linear: new Vector3(), angular: new Vector3() }),
              { class: 'small' },
            ),
          );
        }),
      ),
  };
}

function options(whatIf: WhatIf): { element: HTMLElement; refresh(): void } {
  const { shown } = whatIf;
  const phase = new Signal<Phase>(shown.value.phase);
  phase.listen((now) => whatIf.change({ phase: now }));
  const amount = numberField({
    label: 'Amount',
    from: 0,
    to: 2,
    min: -10,
    max: 10,
    change: (value) => void whatIf.change({ amount: Number(value) }),
  });
  const flag = (text: string, tip: string, key: 'ghost' | 'lines' | 'sweep') => {
    const input = toggle(text, shown.value[key], (on) => whatIf.change({ [key]: on }));
    return { input, key, element: h('label', { class: 'tool-flag', 'data-tip': tip }, input, text) };
  };
  const flags = [
    flag('Ghost', 'The shape without effects  ·  G', 'ghost'),
    flag('Paths', 'How vertices move as the motion increases  ·  T', 'lines'),
    flag('Sweep', 'Animate between rest and full motion  ·  S', 'sweep'),
  ];
  return {
    element: h(
      'div',
      {},
      segmented('Phase of the motion', phase, [
        { value: 'steady', text: 'Steady', tip: 'A steady motion' },
        { value: 'starting', text: 'Starts', tip: 'The motion starts: shows drag' },
        { value: 'stopping', text: 'Stops', tip: 'The motion stops: shows follow-through' },
      ]),
      h(
        'div',
        { class: 'tool-row' },
        h('span', { class: 'tool-row-name', 'data-tip': 'Scales all motions' }, 'Amount'),
        amount.element,
      ),
      h(
        'div',
        { class: 'tool-flags' },
        flags.map((one) => one.element),
      ),
    ),
    refresh: () => {
      const now = shown.value;
      amount.set(now.amount);
      phase.value = now.phase;
      flags.forEach(({ input, key }) => (input.checked = now[key]));
    },
  };
}

export function whatIfPanel(whatIf: WhatIf): { element: HTMLElement; stop(): void } {
  const { app, session, motions, shown } = whatIf;
  const title = h('h2', { class: 'joint-title' });
  const held = h('small', { class: 'quiet' });
  const linear = vectorRow(
    whatIf,
    'Velocity',
    'linear',
    () => 1,
    'Units per second; drag from the joint in the view, with Shift towards or away from the camera',
  );
  const angular = vectorRow(
    whatIf,
    'Spin',
    'angular',
    () => DEGREES,
    'Degrees per second; drag the ring around the joint, or the ring around its bone for twist',
  );
  const list = motionList(whatIf);
  const settings = options(whatIf);
  const chosen = h('div', {}, linear.element, angular.element);
  const hint = h(
    'p',
    { class: 'tool-empty' },
    'Drag a joint for velocity, its ring for spin, or the ring around its bone for twist.',
  );
  const one = button('This joint', () => whatIf.copyFromClip(app.joint.value), {
    class: 'small',
    tip: "Copy the selected joint's motion from the clip",
  });
  const clear = button('Clear', () => motions.clear(), { class: 'small', tip: 'Clear all joints  ·  Shift + Del' });
  const refresh = () => {
    const joint = session.joints[app.joint.value];
    title.textContent = joint ? joint.label : 'What if it moved?';
    held.textContent = `pose of frame ${app.player.frame}`;
    chosen.hidden = !joint;
    hint.hidden = joint !== undefined && motions.all.value.size > 0;
    one.disabled = !joint;
    clear.disabled = !motions.all.value.size;
    if (joint) [linear, angular].forEach((row) => row.refresh());
    list.refresh();
    settings.refresh();
  };
  refresh();
  const soon = once(refresh);
  const stops = [motions.all.listen(soon), app.joint.listen(soon), app.player.time.listen(soon), shown.listen(soon)];
  return {
    element: h(
      'div',
      { class: 'tool-body what-if-panel' },
      h('div', { class: 'joint-head' }, title, held),
      hint,
      chosen,
      list.element,
      settings.element,
      heading('From the clip'),
      h(
        'div',
        { class: 'tool-buttons' },
        button('All joints', () => whatIf.copyFromClip(), {
          class: 'small',
          tip: 'Copy the motion of all joints from the clip  ·  M',
        }),
        one,
        clear,
      ),
    ),
    stop: () => stops.forEach((stop) => stop()),
  };
}
