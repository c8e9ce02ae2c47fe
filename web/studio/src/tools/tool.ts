// What a tool is. One file per tool; src/tools/index.ts lists them.
import type { Ray } from 'three';
import type { Lane } from '../ui/lanes';
import type { Overlay, Pane } from '../view/viewer';
import type { Hit } from '../view/picker';

/** The pointer over the view. */
export interface ViewPointer {
  event: PointerEvent;
  /** CSS pixels of the viewport. */
  x: number;
  y: number;
  pane: Pane;
  /** In the world. */
  ray(): Ray;
  /** The shown surface under it. */
  hit(): Hit | undefined;
}

export interface KeyHelp {
  /** As KeyboardEvent.key has it, with modifiers before: "f", "Shift+f", "Ctrl+z", "Escape". */
  key: string;
  label: string;
  run(): void;
}

/** What a tool does while it is active. Everything is optional. */
export interface ActiveTool {
  /** Stands in the left panel. */
  panel?: HTMLElement;
  /** Return true to keep the pointer until it is up; else the camera turns. */
  down?(pointer: ViewPointer): boolean | void;
  /** While it was kept. */
  drag?(pointer: ViewPointer): void;
  up?(pointer: ViewPointer): void;
  /** While no button is down. */
  hover?(pointer: ViewPointer): void;
  leave?(): void;
  /** Draws over the picture, once per frame. */
  overlay?(overlay: Overlay): void;
  lanes?: Lane[];
  keys?: KeyHelp[];
  /** Shows the character by itself (puppet, held pose): return true, and the clip is not evaluated. */
  show?(seconds: number): boolean;
  /** Needs frames although nothing plays. */
  running?(): boolean;
  /** When another tool is chosen or the character changes. */
  stop?(): void;
}

/** `App`: what it works on, the studio. */
export interface Tool<App> {
  id: string;
  name: string;
  /** One sentence: what it is for. */
  summary: string;
  /** SVG text, 20 × 20, drawn with currentColor. */
  icon: string;
  /** A key that chooses it. */
  key: string;
  /** Called when it is chosen and a character is there, and again when the character changes. */
  start(app: App): ActiveTool;
}
