// The window: bars, panels, and the splitters between them.
import type { App } from '../app';
import { CHARACTERS } from '../core/built_in';
import { readableKey } from '../core/keyboard';
import type { MotionOptions } from '../core/motion';
import type { Tool, ViewPointer } from '../tools/tool';
import { compareMenu } from './compare';
import { showCost } from './cost';
import { h, sentence, svg } from './dom';
import { startDrop } from './drop';
import { showHelp } from './help';
import { ICONS } from './icons';
import { outliner } from './outliner';
import { isPerfAsked, perfMeter } from './perf_meter';
import { readPreference, writePreference } from './preferences';
import { saveProject } from './save_project';
import { copyStyleLink } from './share';
import { stylePanel } from './style_panel';
import { setButton } from './set';
import { theme, themeChoice } from './theme';
import { Timeline } from './timeline';
import { iconButton, openMenu, segmented, startTooltips } from './widgets';
import type { MenuItem } from './widgets';
import { VIEWS } from '../view/viewer';
import { wipeHandle } from './wipe_handle';

const WIDE = 1280; // CSS pixels

interface SplitterOptions {
  name: string;
  label: string;
  /** The CSS variable that it sets. */
  variable: string;
  initial: number;
  min: number;
  max: number;
  /** The direction in which dragging makes the panel larger. */
  axis: 'x' | 'y';
  sign: 1 | -1;
}

/** A splitter between panels. Drag it or use the arrow keys; double-click resets it. */
function splitter(root: HTMLElement, options: SplitterOptions): HTMLElement {
  const { axis, sign } = options;
  let size = readPreference(options.name, options.initial);
  const element = h('div', {
    class: `splitter ${axis}`,
    role: 'separator',
    tabindex: '0',
    'aria-label': options.label,
    'aria-orientation': axis === 'x' ? 'vertical' : 'horizontal',
  });
  const set = (next: number, keep = true) => {
    size = Math.round(Math.min(Math.max(next, options.min), options.max));
    root.style.setProperty(options.variable, `${size}px`);
    element.setAttribute('aria-valuenow', String(size));
    if (keep) writePreference(options.name, size);
  };
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    event.preventDefault();
    const begin = size;
    const from = axis === 'x' ? event.clientX : event.clientY;
    const move = (now: PointerEvent) => set(begin + sign * ((axis === 'x' ? now.clientX : now.clientY) - from));
    element.addEventListener('pointermove', move);
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', move), {
      once: true,
    });
  });
  element.addEventListener('dblclick', () => set(options.initial));
  element.addEventListener('keydown', (event) => {
    const step = {
      ArrowLeft: axis === 'x' ? -1 : 0,
      ArrowRight: axis === 'x' ? 1 : 0,
      ArrowUp: axis === 'y' ? -1 : 0,
      ArrowDown: axis === 'y' ? 1 : 0,
    }[event.key];
    if (!step) return;
    event.preventDefault();
    set(size + sign * step * 16);
  });
  set(size, false);
  return element;
}

const seenHints = new Set<string>();

/** A moving picture of the tool (scripts/hints.mjs), loaded when it is shown: the first time, and on demand after it. */
function hintPicture(id: string, line: HTMLElement): HTMLElement {
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const picture = h('img', { class: 'hint-picture', alt: '', width: '216', height: '130', hidden: true });
  const button = iconButton('play', 'What the tool does, as a moving picture', () => show(picture.hidden));
  const show = (on: boolean) => {
    if (on && !picture.src) picture.src = `./hints/${id}.webp`;
    picture.hidden = !on;
    button.setAttribute('aria-pressed', String(on));
  };
  show(!still && !seenHints.has(id));
  seenHints.add(id);
  line.append(button);
  return picture;
}

/** One line on what the tool is for, with a moving picture. */
function toolHint({ id, name, summary, icon }: Tool<App>): HTMLElement {
  const line = h('p', {}, svg(icon), h('span', {}, h('strong', {}, name), ` ${summary}`));
  return h('div', { class: 'tool-hint', 'data-tool': id }, line, hintPicture(id, line));
}

/** Characters to put beside the current one, to compare. */
function besideMenu(app: App): (MenuItem | 'line')[] {
  const away = { text: 'Only the first character', run: () => app.sendAway() };
  return [
    ...CHARACTERS.map((name) => ({ text: sentence(name), run: () => void app.addBeside(name) })),
    ...(app.company.names.value.length ? ['line' as const, away] : []),
  ];
}

export class Shell {
  private readonly toolPanel = h('div', { class: 'tool-panel' });
  private readonly timeline: Timeline;

  constructor(
    private readonly app: App,
    root: HTMLElement,
  ) {
    this.timeline = new Timeline(app);
    const left = h('aside', { class: 'panel left', 'aria-label': 'Character' }, this.toolPanel, outliner(app));
    const right = h('aside', { class: 'panel right', 'aria-label': 'Style' }, stylePanel(app));
    const stage = h('main', { class: 'stage' }, app.viewer.element, ...this.viewFurniture());
    root.append(
      this.topBar(root),
      this.rail(),
      left,
      splitter(root, {
        name: 'left',
        label: 'Width of the character panel',
        variable: '--left',
        initial: window.innerWidth < WIDE ? 208 : 256, // names of joints and parts fit into it
        min: 150,
        max: 420,
        axis: 'x',
        sign: 1,
      }),
      stage,
      splitter(root, {
        name: 'right',
        label: 'Width of the style panel',
        variable: '--right',
        initial: 316,
        min: 260,
        max: 560,
        axis: 'x',
        sign: -1,
      }),
      right,
      splitter(root, {
        name: 'bottom',
        label: 'Height of the timeline',
        variable: '--bottom',
        initial: 258,
        min: 84,
        max: 520,
        axis: 'y',
        sign: -1,
      }),
      this.timeline.element,
    );
    root.className = 'studio';
    app.busy.watch((busy) => root.classList.toggle('busy', busy));
    app.activeTool.watch((tool) => {
      const chosen = app.tool.value;
      this.toolPanel.replaceChildren(...(chosen ? [toolHint(chosen)] : []), ...(tool?.panel ? [tool.panel] : []));
      this.toolPanel.hidden = !tool || !chosen;
      this.timeline.setToolLanes(tool?.lanes ?? []);
    });
    this.connectPointer();
    this.keepFocusInView();
    this.addKeys();
    startTooltips();
    startDrop(app);
  }

  // --- top ---

  private topBar(root: HTMLElement): HTMLElement {
    const { app } = this;
    const picker = h('input', {
      type: 'file',
      accept: '.glb,.gltf,.vrm,.fbx,.bvh,.json,.limber,.bin,.png,.jpg,.jpeg,.webp',
      multiple: true,
      hidden: true,
      'aria-label': 'Open a file',
    });
    picker.addEventListener('change', () => {
      void app.openFiles(new Map([...(picker.files ?? [])].map((file) => [file.name, file])));
      picker.value = '';
    });
    const motions = h('input', {
      type: 'file',
      accept: '.glb,.gltf,.vrm,.bvh',
      hidden: true,
      'aria-label': 'Add a motion',
    });
    let wish: MotionOptions = {};
    const addMotion = (text: string, options: MotionOptions) => ({
      text,
      run: () => {
        wish = options;
        motions.click();
      },
    });
    motions.addEventListener('change', () => {
      const file = motions.files?.[0];
      if (file) void app.addMotion(file, wish);
      motions.value = '';
    });
    const name = h('span', { class: 'file-name' });
    const menu = h(
      'button',
      {
        type: 'button',
        class: 'file-button',
        'data-tip': 'Open a file or a character  ·  Ctrl + O',
        'aria-haspopup': 'menu',
        onclick: () =>
          openMenu(menu, [
            { text: 'Open file…', hint: readableKey('Ctrl+o'), icon: 'open', run: () => picker.click() },
            {
              text: 'Add a motion…',
              run: () =>
                openMenu(menu, [
                  addMotion('As it is…', {}),
                  addMotion('As a cycle, closed…', { cycle: true }),
                  addMotion('Its travel on the root…', { rootMotion: true }),
                  addMotion('A cycle with its travel on the root…', { cycle: true, rootMotion: true }),
                ]),
            },
            { text: 'Save project', hint: readableKey('Shift+s'), run: () => void saveProject(app) },
            { text: 'Add a character beside…', run: () => openMenu(menu, besideMenu(app)) },
            { text: 'Copy link to style', run: () => void copyStyleLink(app) },
            'line',
            ...CHARACTERS.map((one) => ({ text: sentence(one), run: () => void app.openBuiltIn(one) })),
          ]),
      },
      svg(ICONS.open),
      name,
      svg(ICONS.down),
    );
    app.store.document.watch((document) => (name.textContent = document?.file.name ?? 'Open'));
    app.keyboard.add({ key: 'Ctrl+o', label: 'Open a file', group: 'File', run: () => picker.click() });

    const undo = iconButton('undo', 'Undo', () => app.undo(), { key: readableKey('Ctrl+z') });
    const redo = iconButton('redo', 'Redo', () => app.redo(), { key: readableKey('Ctrl+Shift+z') });
    app.store.history.watch((history) => {
      undo.disabled = !history.undo;
      redo.disabled = !history.redo;
      undo.dataset.tip = `Undo${history.undo ? `: ${history.undo}` : ''}  ·  ${readableKey('Ctrl+z')}`;
      redo.dataset.tip = `Redo${history.redo ? `: ${history.redo}` : ''}  ·  ${readableKey('Ctrl+Shift+z')}`;
    });
    const themeButton = iconButton(
      'moon',
      'Light or dark theme',
      () => (themeChoice.value = theme.value === 'dark' ? 'light' : 'dark'),
    );
    theme.watch((now) => themeButton.replaceChildren(svg(ICONS[now === 'dark' ? 'sun' : 'moon'])));
    const follow = iconButton(
      'follow',
      'Follow the character',
      () => (app.viewer.follow.value = !app.viewer.follow.value),
      { key: readableKey('Shift+f') },
    );
    app.viewer.follow.value = readPreference('follow', false);
    app.viewer.follow.watch((on) => {
      follow.setAttribute('aria-pressed', String(on));
      writePreference('follow', on);
    });
    return h(
      'header',
      { class: 'top' },
      h('div', { class: 'brand' }, svg(ICONS.logo), h('span', {}, 'limber')),
      menu,
      picker,
      motions,
      h('div', { class: 'top-group' }, undo, redo),
      h('div', { class: 'spacer' }),
      segmented('Compare', app.viewer.compare, [
        { value: 'off', text: 'Styled', icon: 'single', tip: 'Styled only' },
        { value: 'wipe', text: 'Wipe', icon: 'wipe', tip: 'Wipe between plain and styled' },
        { value: 'split', text: 'Split', icon: 'split', tip: 'Plain and styled side by side' },
        { value: 'ghost', text: 'Ghost', icon: 'ghost', tip: 'The plain as a ghost over the styled' },
      ]),
      h('div', { class: 'spacer' }),
      h(
        'div',
        { class: 'top-group' },
        iconButton('frame', 'Frame the character', () => app.viewer.frame(), { key: 'F' }),
        this.viewButton(),
        setButton(app.viewer),
        follow,
        themeButton,
        iconButton('help', 'Help and keyboard shortcuts', () => showHelp(app), { key: '?' }),
        ...this.drawers(root),
      ),
    );
  }

  private viewButton(): HTMLElement {
    const { viewer, session } = this.app;
    const made = iconButton(
      'cube',
      'Front, side or back view, or a camera of the file',
      () =>
        openMenu(made, [
          ...VIEWS.map(({ name, from }) => ({ text: name, run: () => viewer.frame(from) })),
          ...(session.value?.cameras ?? []).map((one) => ({
            text: `Camera: ${one.name}`,
            run: () => (viewer.shot.value = one),
          })),
        ]),
      { key: 'Shift + V' },
    );
    made.setAttribute('aria-haspopup', 'menu');
    return made;
  }

  // --- tools ---

  private rail(): HTMLElement {
    const { app } = this;
    const buttons = app.tools.map((tool) => {
      const made = h(
        'button',
        {
          type: 'button',
          class: 'tool-button',
          'aria-label': tool.name,
          'data-tip': `${tool.name}: ${tool.summary}  ·  ${readableKey(tool.key)}`,
          onclick: () => app.choose(tool),
        },
        svg(tool.icon),
      );
      app.tool.watch((now) => made.setAttribute('aria-pressed', String(now === tool)));
      return made;
    });
    return h('nav', { class: 'rail', 'aria-label': 'Tools' }, buttons);
  }

  /** The tool gets pointer events first; if it does not handle them, they move the camera. */
  private connectPointer(): void {
    const { viewer } = this.app;
    const { element } = viewer;
    let kept = false;
    const at = (event: PointerEvent): ViewPointer => {
      const box = element.getBoundingClientRect();
      const x = event.clientX - box.left;
      const y = event.clientY - box.top;
      return {
        event,
        x,
        y,
        pane: viewer.paneAt(x),
        ray: () => viewer.ray(x, y),
        hit: () => this.app.picker.hit(viewer.ray(x, y)),
      };
    };
    element.addEventListener(
      'pointerdown',
      (event) => {
        const tool = this.app.activeTool.value;
        if (event.altKey || !tool?.down?.(at(event))) return;
        kept = true;
        viewer.controls.enabled = false;
        element.setPointerCapture(event.pointerId);
        event.stopImmediatePropagation();
        element.focus({ preventScroll: true });
      },
      true,
    );
    element.addEventListener(
      'pointermove',
      (event) => {
        const tool = this.app.activeTool.value;
        if (kept) tool?.drag?.(at(event));
        else if (!event.buttons) tool?.hover?.(at(event));
      },
      true,
    );
    const end = (event: PointerEvent) => {
      if (!kept) return;
      kept = false;
      viewer.controls.enabled = true;
      this.app.activeTool.value?.up?.(at(event));
    };
    element.addEventListener('pointerup', end, true);
    element.addEventListener('pointercancel', end, true);
    element.addEventListener('pointerleave', () => this.app.activeTool.value?.leave?.());
  }

  // --- over the view ---

  private viewFurniture(): HTMLElement[] {
    const { app } = this;
    const name = h('span', {}, 'Plain');
    const plain: HTMLElement = h(
      'button',
      {
        type: 'button',
        class: 'view-label plain',
        'aria-haspopup': 'menu',
        'data-tip': 'Compare with another style',
        onclick: () => openMenu(plain, compareMenu(app)),
      },
      name,
      svg(ICONS.down),
    );
    app.compareWith.watch((other) => (name.textContent = other?.name ?? 'Plain'));
    const styled = h('span', { class: 'view-label styled' }, 'Styled');
    app.viewer.compare.watch((compare) => {
      plain.hidden = compare === 'off';
      styled.hidden = compare === 'off' || compare === 'ghost';
    });
    const place = () => {
      const panes = app.viewer.panes();
      const left = panes.find((pane) => pane.which === 'plain');
      if (left) styled.style.left = `${left.to + 12}px`;
      plain.style.maxWidth = `${Math.max((left?.to ?? panes[0].to) - 24, 0)}px`;
    };
    app.viewer.beforeFrame.listen(place);
    const preparing = h('span', { class: 'view-label preparing', role: 'status', hidden: true });
    app.picker.preparing.watch((part) => {
      preparing.hidden = part === undefined;
      preparing.textContent = `Preparing the surface: ${Math.round(100 * (part ?? 0))} %`;
    });
    const through = h('span', {});
    const shot = h(
      'button',
      {
        type: 'button',
        class: 'view-label shot',
        hidden: true,
        'data-tip': 'Leave the camera of the file',
        onclick: () => app.viewer.frame(),
      },
      through,
      svg(ICONS.close),
    );
    app.viewer.shot.watch((now) => {
      shot.hidden = now === undefined;
      through.textContent = `Camera: ${now?.name ?? ''}`;
    });
    const opening = h('span', { class: 'view-label opening', role: 'status', hidden: true });
    app.opening.watch((what) => {
      opening.hidden = what === undefined;
      opening.textContent = what ?? '';
    });
    return [
      preparing,
      opening,
      shot,
      plain,
      styled,
      wipeHandle(app.viewer),
      showCost(app),
      ...(isPerfAsked() ? [perfMeter()] : []),
      h('div', { class: 'busy-bar', 'aria-hidden': 'true' }),
    ];
  }

  private addKeys(): void {
    const { app } = this;
    const { player, viewer, keyboard } = app;
    const next = { off: 'wipe', wipe: 'split', split: 'ghost', ghost: 'off' } as const;
    const arrows = { off: 'velocity', velocity: 'acceleration', acceleration: 'off' } as const;
    keyboard.add(
      { key: 'Space', label: 'Play or pause', group: 'Time', run: () => player.toggle() },
      { key: 'ArrowLeft', label: 'Previous frame', group: 'Time', run: () => player.step(-1) },
      { key: 'ArrowRight', label: 'Next frame', group: 'Time', run: () => player.step(1) },
      { key: 'Shift+ArrowLeft', label: 'Back 10 frames', group: 'Time', run: () => player.step(-10) },
      { key: 'Shift+ArrowRight', label: 'Forward 10 frames', group: 'Time', run: () => player.step(10) },
      { key: 'Home', label: 'Go to start', group: 'Time', run: () => player.seek(player.span.value.start) },
      { key: 'End', label: 'Go to end', group: 'Time', run: () => player.seek(player.span.value.end) },
      { key: 'l', label: 'Loop', group: 'Time', run: () => (player.looping.value = !player.looping.value) },
      {
        key: 'c',
        label: 'Compare: none, wipe, split, ghost',
        group: 'View',
        run: () => (viewer.compare.value = next[viewer.compare.value]),
      },
      { key: 'f', label: 'Frame the character', group: 'View', run: () => viewer.frame() },
      {
        key: 'Shift+f',
        label: 'Follow the character',
        group: 'View',
        run: () => (viewer.follow.value = !viewer.follow.value),
      },
      { key: 'b', label: 'Show or hide bones', group: 'View', run: () => (app.showBones.value = !app.showBones.value) },
      {
        key: 'Shift+b',
        label: 'Show or hide colliders',
        group: 'View',
        run: () => (app.showColliders.value = !app.showColliders.value),
      },
      {
        key: 'Shift+a',
        label: 'Arrows: none, velocity, acceleration',
        group: 'View',
        run: () => (app.motionView.value = arrows[app.motionView.value]),
      },
      { key: 'Ctrl+z', label: 'Undo', group: 'Edit', run: () => app.undo() },
      { key: 'Ctrl+Shift+z', label: 'Redo', group: 'Edit', run: () => app.redo() },
      { key: 'Ctrl+y', label: 'Redo', group: 'Edit', run: () => app.redo() },
      { key: 'Escape', label: 'Deselect the joint', group: 'Edit', run: () => (app.joint.value = -1) },
      { key: 'Ctrl+s', label: 'Save .glb', group: 'File', run: () => app.save('glb') },
      { key: 'Shift+s', label: 'Save project', group: 'File', run: () => void saveProject(app) },
      { key: 'Ctrl+Shift+s', label: 'Save picture', group: 'File', run: () => app.save('picture') },
      { key: 'Shift+v', label: 'Next view: front, side, back, angle', group: 'View', run: () => viewer.nextView() },
      { key: '?', label: 'This help', group: 'File', run: () => showHelp(app) },
      ...app.tools.map((tool) => ({ key: tool.key, label: tool.name, group: 'Tools', run: () => app.choose(tool) })),
    );
    app.activeTool.listen((tool) => {
      this.removeToolKeys();
      this.removeToolKeys = keyboard.add(
        ...(tool?.keys ?? []).map((one) => ({ ...one, group: app.tool.value?.name ?? 'Tool' })),
      );
    });
  }

  private removeToolKeys: () => void = () => {};

  /** A control that was clicked with the mouse does not keep the keyboard: Enter and Space are for the window. */
  private keepFocusInView(): void {
    document.addEventListener('click', (event) => {
      const control = (event.target as Element).closest?.('button, summary, input[type=checkbox]');
      const clicked =
        event.detail > 0 && control && (control === document.activeElement || control.matches('.menu-item'));
      if (clicked && !document.querySelector('dialog[open], .menu'))
        this.app.viewer.element.focus({ preventScroll: true });
    });
  }

  /** In narrow windows panels are drawers over the view; a click into the view closes them. */
  private drawers(root: HTMLElement): HTMLElement[] {
    const sides = [
      { side: 'left', tip: 'Tool and character', icon: 'sidebar' },
      { side: 'right', tip: 'Style', icon: 'sliders' },
    ] as const;
    const show = (side: string, on: boolean) => {
      root.classList.toggle(`show-${side}`, on);
      buttons.forEach((one) =>
        one.setAttribute('aria-expanded', String(root.classList.contains(`show-${one.dataset.side}`))),
      );
    };
    const buttons = sides.map(({ side, tip, icon }) => {
      const made = iconButton(
        icon,
        tip,
        () => {
          const on = !root.classList.contains(`show-${side}`);
          sides.forEach((one) => show(one.side, one.side === side && on));
        },
        { class: `drawer-button of-${side}` },
      );
      made.dataset.side = side;
      made.setAttribute('aria-expanded', 'false');
      return made;
    });
    this.app.tool.listen((tool) => {
      show('left', tool !== undefined && tool !== this.app.tools[0]);
      show('right', false);
    });
    this.app.viewer.element.addEventListener('pointerdown', () => sides.forEach(({ side }) => show(side, false)), true);
    return buttons;
  }
}
