// All keyboard shortcuts, and how the help overlay describes them.

export interface Shortcut {
  /** "Space", "Ctrl+z", "Shift+?", "ArrowLeft". Ctrl also matches the Command key on a Mac. */
  key: string;
  label: string;
  group: string;
  run(): void;
  /** Also active while a text field has the focus. */
  always?: boolean;
}

const writes = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !['range', 'checkbox', 'radio', 'button'].includes(target.type)));

/** Dialogs and menus handle all keys themselves. */
const inDialog = (): boolean => document.querySelector('dialog[open], .menu') !== null;

/** Keys that the focused control handles itself. */
function belongsToControl(event: KeyboardEvent): boolean {
  const { target, key } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (writes(target)) return true;
  const role = target.getAttribute('role');
  const arrows = key.startsWith('Arrow') || key === 'Home' || key === 'End';
  if (
    arrows &&
    (role === 'slider' ||
      role === 'treeitem' ||
      role === 'tab' ||
      role === 'radio' ||
      role === 'menuitem' ||
      role === 'separator' ||
      target instanceof HTMLInputElement)
  )
    return true;
  if (role === 'slider' && /^[-0-9.=]$/.test(key)) return true;
  const pressable =
    target instanceof HTMLButtonElement ||
    target instanceof HTMLInputElement ||
    target.tagName === 'SUMMARY' ||
    target.tagName === 'A' ||
    role === 'treeitem' ||
    role === 'slider';
  return pressable && key === 'Enter';
}

export function nameOfKey(event: KeyboardEvent): string {
  const name = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const letter = /^[a-z]$/.test(name) || name.length > 1;
  return `${event.ctrlKey || event.metaKey ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${event.shiftKey && letter ? 'Shift+' : ''}${name}`;
}

export class Keyboard {
  private readonly list: Shortcut[] = [];

  constructor() {
    window.addEventListener('keydown', (event) => this.press(event));
    // Space plays, whatever was clicked last: buttons act when it is released.
    window.addEventListener(
      'keyup',
      (event) => event.key === ' ' && !writes(event.target) && !inDialog() && event.preventDefault(),
    );
    window.addEventListener('keydown', (event) => {
      const { target, key } = event;
      if (key === 'Enter' && target instanceof HTMLInputElement && target.type === 'checkbox') target.click();
    });
  }

  add(...shortcuts: Shortcut[]): () => void {
    this.list.push(...shortcuts);
    return () => shortcuts.forEach((one) => this.list.splice(this.list.indexOf(one), 1));
  }

  /** By group, for the help overlay. */
  get groups(): Map<string, Shortcut[]> {
    const groups = new Map<string, Shortcut[]>();
    for (const one of this.list) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
    return groups;
  }

  private press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    const name = nameOfKey(event);
    const found = this.list.findLast((one) => one.key === name);
    if (!found || (!found.always && belongsToControl(event))) return;
    if (inDialog() && !found.always) return;
    event.preventDefault();
    found.run();
  }
}

/** A readable form: "Ctrl+Shift+Z", "Space", "←". */
export function readableKey(key: string): string {
  const words: Record<string, string> = {
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    Escape: 'Esc',
    Delete: 'Del',
  };
  const mac = /Mac|iP/.test(navigator.platform);
  return key
    .split('+')
    .map((part) => words[part] ?? (part === 'Ctrl' && mac ? '⌘' : part.length === 1 ? part.toUpperCase() : part))
    .join(' + ');
}
