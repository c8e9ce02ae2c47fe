// A small helper instead of a framework.

type Child = Node | string | number | false | null | undefined;
type Handlers = { [K in keyof HTMLElementEventMap as `on${K}`]?: (event: HTMLElementEventMap[K]) => void };
type Attributes = Handlers & {
  class?: string;
  style?: string;
  dataset?: Record<string, string>;
  [name: string]: unknown;
};

function assign(element: Element, name: string, value: unknown): void {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
  else if (name === 'dataset') Object.assign((element as HTMLElement).dataset, value);
  else if (value === true) element.setAttribute(name, '');
  else element.setAttribute(name, String(value));
}

/** h('button', { class: 'icon', onclick }, 'Play') */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) assign(element, name, value);
  for (const child of children.flat())
    if (child !== false && child !== null && child !== undefined)
      element.append(child instanceof Node ? child : String(child));
  return element;
}

/** Creates an element from trusted SVG text. */
export function svg(text: string): SVGSVGElement {
  const holder = document.createElement('template');
  holder.innerHTML = text;
  return holder.content.firstElementChild as SVGSVGElement;
}

/** Capitalizes the first letter. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Resizes a canvas to its element at the resolution of the screen. */
export function fitCanvas(canvas: HTMLCanvasElement): { width: number; height: number; ratio: number } {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const w = Math.max(1, Math.round(width * ratio));
  const t = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== t) canvas.height = t;
  return { width, height, ratio };
}

/** Calls `work` at most once per animation frame. */
export function once(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
