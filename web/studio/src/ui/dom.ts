// A small helper in place of a framework.

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

/** SVG text of ours as an element. */
export function svg(text: string): SVGSVGElement {
  const holder = document.createElement('template');
  holder.innerHTML = text;
  return holder.content.firstElementChild as SVGSVGElement;
}

/** Sentences in tables start small; on the screen they start large. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The element's box at the resolution of the screen; true when its canvas had to change. */
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

/** Calls `work` at most once per turn of the screen. */
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
