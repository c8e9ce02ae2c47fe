// The interface of a tool. Each tool has its own file or folder; src/tools/index.ts lists them.
import type { Ray } from 'three';
import type { Lane } from '../ui/lanes';
import type { Overlay, Pane } from '../view/viewer';
import type { Hit } from '../view/picker';

/** A pointer event in the view. */
export interface ViewPointer {
  event: PointerEvent;
  /** CSS pixels of the viewport. */
  x: number;
  y: number;
  pane: Pane;
  /** In world space. */
  ray(): Ray;
  /** The point on the deformed surface under the pointer. */
  hit(): Hit | undefined;
}

export interface KeyHelp {
  /** A value of KeyboardEvent.key, after its modifiers: "f", "Shift+f", "Ctrl+z", "Escape". */
  key: string;
  label: string;
  run(): void;
}

/** An active tool. Everything is optional. */
export interface ActiveTool {
  /** Shown in the left panel. */
  panel?: HTMLElement;
  /** Return true to capture the pointer until it is released; otherwise it moves the camera. */
  down?(pointer: ViewPointer): boolean | void;
  /** While the pointer is captured. */
  drag?(pointer: ViewPointer): void;
  up?(pointer: ViewPointer): void;
  /** While no button is down. */
  hover?(pointer: ViewPointer): void;
  leave?(): void;
  /** Draws over the picture, once per frame. */
  overlay?(overlay: Overlay): void;
  lanes?: Lane[];
  keys?: KeyHelp[];
  /** Saves the character or a picture. */
  save?(what: 'glb' | 'picture'): void;
  /** Return true if the tool has posed the character itself (puppet, what-if); then the clip is not evaluated. */
  show?(seconds: number): boolean;
  /** Return true to keep drawing frames while the clip is paused. */
  running?(): boolean;
  /** Called when another tool is chosen or the character changes. */
  stop?(): void;
}

/** `App` is the studio. */
export interface Tool<App> {
  id: string;
  name: string;
  /** One sentence for the tooltip. */
  summary: string;
  /** SVG text, 20 × 20, drawn in currentColor. */
  icon: string;
  /** The key that selects it. */
  key: string;
  /** Called when the tool is chosen and there is a character, and again when the character changes. */
  start(app: App): ActiveTool;
}
