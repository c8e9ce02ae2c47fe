// Small controls.
import type { Signal } from '../core/signal';
import { h, svg } from './dom';
import { ICONS } from './icons';
import type { IconName } from './icons';

/** An icon button; `tip` is its accessible name and tooltip. */
export function iconButton(
  icon: IconName,
  tip: string,
  onclick: () => void,
  options: { class?: string; key?: string } = {},
): HTMLButtonElement {
  return h(
    'button',
    {
      class: `icon-button ${options.class ?? ''}`,
      type: 'button',
      'aria-label': tip,
      'data-tip': options.key ? `${tip}  ·  ${options.key}` : tip,
      onclick,
    },
    svg(ICONS[icon]),
  );
}

export function button(
  text: string,
  onclick: () => void,
  options: { class?: string; tip?: string; icon?: IconName } = {},
): HTMLButtonElement {
  return h(
    'button',
    { class: `button ${options.class ?? ''}`, type: 'button', 'data-tip': options.tip, onclick },
    options.icon && svg(ICONS[options.icon]),
    h('span', {}, text),
  );
}

/** A switch: on or off. */
export function toggle(label: string, on: boolean, change: (on: boolean) => void): HTMLInputElement {
  const input = h('input', {
    type: 'checkbox',
    role: 'switch',
    class: 'switch',
    'aria-label': label,
    onchange: () => change(input.checked),
  });
  input.checked = on;
  return input;
}

/** A drop-down list. */
export function select(
  label: string,
  choices: readonly { value: string; text: string }[],
  value: string,
  change: (value: string) => void,
): HTMLSelectElement {
  const element = h(
    'select',
    { class: 'select', 'aria-label': label, onchange: () => change(element.value) },
    choices.map((one) => h('option', { value: one.value }, one.text)),
  );
  element.value = value;
  return element;
}

/** A few options side by side; arrow keys move between them. */
export function segmented<T extends string>(
  label: string,
  signal: Signal<T>,
  choices: readonly { value: T; text: string; icon?: IconName; tip?: string }[],
): HTMLElement {
  const buttons = choices.map((one) => {
    const made = h(
      'button',
      {
        type: 'button',
        role: 'radio',
        class: 'segment',
        'data-tip': one.tip ?? one.text,
        'aria-label': one.tip ?? one.text,
        onclick: () => (signal.value = one.value),
      },
      one.icon ? svg(ICONS[one.icon]) : one.text,
    );
    return made;
  });
  const group = h('div', { class: 'segmented', role: 'radiogroup', 'aria-label': label }, buttons);
  group.addEventListener('keydown', (event) => {
    const step =
      event.key === 'ArrowRight' || event.key === 'ArrowDown'
        ? 1
        : event.key === 'ArrowLeft' || event.key === 'ArrowUp'
          ? -1
          : 0;
    if (!step) return;
    event.preventDefault();
    const index = (choices.findIndex((one) => one.value === signal.value) + step + choices.length) % choices.length;
    signal.value = choices[index].value;
    buttons[index].focus();
  });
  signal.watch((value) =>
    buttons.forEach((one, i) => {
      const on = choices[i].value === value;
      one.setAttribute('aria-checked', String(on));
      one.tabIndex = on ? 0 : -1;
    }),
  );
  return group;
}

/**
 * A control inside a summary confuses screen readers. Where browsers let a closed section show more than its summary,
 * controls are beside it.
 */
const BESIDE = CSS.supports('selector(::details-content)');

/** A collapsible section of a panel. */
export function section(
  title: string,
  body: HTMLElement[],
  options: {
    open?: boolean;
    head?: (HTMLElement | undefined)[];
    color?: string;
    class?: string;
    onopen?: (open: boolean) => void;
  } = {},
): HTMLDetailsElement {
  const head = h(
    'span',
    { class: 'section-head' },
    (options.head ?? []).filter((one) => one !== undefined),
  );
  const beside = BESIDE && head.children.length > 0;
  const element = h(
    'details',
    { class: `section ${options.class ?? ''}`, open: options.open ?? true },
    h(
      'summary',
      {},
      h('span', { class: 'section-chevron' }, svg(ICONS.chevron)),
      options.color ? h('span', { class: 'dot', style: `background:${options.color}` }) : undefined,
      h('span', { class: 'section-title' }, title),
      !beside && head,
    ),
    beside && head,
    h('div', { class: 'section-body' }, body),
  );
  head.classList.toggle('beside', beside);
  // Controls in the header do not open or close the section.
  head.addEventListener('click', (event) => event.target !== event.currentTarget && event.stopPropagation());
  element.addEventListener('toggle', () => options.onopen?.(element.open));
  return element;
}

/** A line to click that shows more and hides it again. */
export function disclosure(open: Signal<boolean>, texts: { closed: string; open: string }): HTMLButtonElement {
  const text = h('span', {});
  const made = h(
    'button',
    { type: 'button', class: 'disclosure', onclick: () => (open.value = !open.value) },
    svg(ICONS.chevron),
    text,
  );
  open.watch((now) => {
    made.setAttribute('aria-expanded', String(now));
    text.textContent = now ? texts.open : texts.closed;
  });
  return made;
}

/** An error below a control: a sentence, then preformatted lines that show the place. */
export function faultBox(): { element: HTMLElement; set(text: string | undefined): void } {
  const sentence = h('p', {});
  const lines = h('pre', {});
  const element = h('div', { class: 'fault', role: 'alert', hidden: true }, sentence, lines);
  return {
    element,
    set: (text) => {
      const [first, ...rest] = (text ?? '').split('\n');
      element.hidden = !text;
      sentence.textContent = first;
      lines.textContent = rest.join('\n');
      lines.hidden = !rest.length;
    },
  };
}

// --- tooltips: one shared element for all [data-tip] ---

const TIP_MS = 450;

export function startTooltips(): void {
  const tip = h('div', { class: 'tooltip', role: 'tooltip', hidden: true });
  document.body.append(tip);
  let timer = 0;
  let owner: Element | undefined;
  const hide = () => {
    window.clearTimeout(timer);
    tip.hidden = true;
    owner = undefined;
  };
  const show = (target: HTMLElement) => {
    tip.textContent = target.dataset.tip ?? '';
    tip.hidden = false;
    const box = target.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const beside = target.closest('.rail') !== null;
    const below = box.bottom + own.height + 10 < window.innerHeight;
    const left = beside
      ? box.right + 8
      : Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), window.innerWidth - own.width - 8);
    tip.style.left = `${left}px`;
    tip.style.top = `${beside ? box.top + box.height / 2 - own.height / 2 : below ? box.bottom + 6 : box.top - own.height - 6}px`;
  };
  const enter = (event: Event) => {
    const target = (event.target as Element).closest?.<HTMLElement>('[data-tip]');
    if (target === owner) return;
    hide();
    if (!target?.dataset.tip) return;
    if (event.type === 'focusin' && !target.matches(':focus-visible')) return;
    owner = target;
    timer = window.setTimeout(() => target.isConnected && show(target), TIP_MS);
  };
  document.addEventListener('pointerover', enter);
  document.addEventListener('focusin', enter);
  document.addEventListener('focusout', hide);
  document.addEventListener('pointerdown', hide, true);
  document.addEventListener('keydown', hide, true);
}

// --- messages ---

export interface Message {
  text: string;
  detail?: string;
  kind: 'info' | 'error';
  action?: { text: string; run(): void };
  /** Stays until it is closed or another one appears. */
  stay?: boolean;
}

let shelf: HTMLElement | undefined;

/** Shows a message until it times out or the next one appears; errors stay until they are closed. */
export function say({ text, detail, kind, action, stay }: Message): void {
  shelf ??= document.body.appendChild(h('div', { class: 'messages', 'aria-live': 'polite' }));
  const close = () => card.remove();
  const card: HTMLElement = h(
    'div',
    { class: `message ${kind}`, role: kind === 'error' ? 'alert' : 'status' },
    kind === 'error' && svg(ICONS.warning),
    h('div', { class: 'message-text' }, h('strong', {}, text), detail && h('p', {}, detail)),
    action && button(action.text, () => (action.run(), close())),
    iconButton('close', 'Close', close),
  );
  shelf.querySelectorAll(`.message.${kind}`).forEach((old) => old.remove());
  shelf.append(card);
  if (kind === 'info' && !stay) window.setTimeout(close, action ? 6000 : 2200);
}

/** Closes all errors, because a later attempt succeeded. */
export function clearErrors(): void {
  shelf?.querySelectorAll('.message.error').forEach((old) => old.remove());
}

/** Closes all messages: they are about another character. */
export function clearMessages(): void {
  shelf?.replaceChildren();
}

// --- menus ---

export interface MenuItem {
  text: string;
  hint?: string;
  icon?: IconName;
  run(): void;
}

/** A menu below an element, with arrow keys and Escape. */
export function openMenu(anchor: HTMLElement, items: (MenuItem | 'line')[]): void {
  document.querySelector('.menu')?.remove();
  const menu = h(
    'div',
    { class: 'menu', role: 'menu' },
    items.map((item) =>
      item === 'line'
        ? h('div', { class: 'menu-line' })
        : h(
            'button',
            { type: 'button', role: 'menuitem', class: 'menu-item', onclick: () => (close(), item.run()) },
            item.icon ? svg(ICONS[item.icon]) : h('span', { class: 'menu-space' }),
            h('span', {}, item.text),
            item.hint && h('kbd', {}, item.hint),
          ),
    ),
  );
  const close = () => {
    menu.remove();
    document.removeEventListener('pointerdown', outside, true);
    anchor.focus();
  };
  const outside = (event: Event) => !menu.contains(event.target as Node) && close();
  document.body.append(menu);
  const box = anchor.getBoundingClientRect();
  menu.style.left = `${Math.min(box.left, window.innerWidth - menu.offsetWidth - 8)}px`;
  menu.style.top = `${box.bottom + 4}px`;
  const buttons = [...menu.querySelectorAll('button')];
  buttons[0]?.focus();
  menu.addEventListener('keydown', (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key === 'ArrowDown') buttons[(at + 1) % buttons.length].focus();
    else if (event.key === 'ArrowUp') buttons[(at + buttons.length - 1) % buttons.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener('pointerdown', outside, true);
}
