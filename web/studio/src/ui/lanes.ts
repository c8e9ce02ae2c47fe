// Rows of the timeline: curves, and rows added by tools.

/** The horizontal scale of the timeline, aligned with the ruler. */
export interface LaneScale {
  /** CSS pixels. */
  width: number;
  height: number;
  start: number;
  end: number;
  fps: number;
  xOf(time: number): number;
  timeAt(x: number): number;
}

/** Theme colors for canvases. */
export interface LaneColors {
  text: string;
  faint: string;
  line: string;
  accent: string;
  panel: string;
}

export interface LanePointer {
  event: MouseEvent;
  time: number;
  x: number;
  y: number;
  scale: LaneScale;
}

export interface Lane {
  id: string;
  label: string;
  /** CSS pixels; 'fill' uses the remaining height. */
  height: number | 'fill';
  /** Shown next to the label, such as switches or a legend. */
  header?: HTMLElement;
  draw(context: CanvasRenderingContext2D, scale: LaneScale, colors: LaneColors): void;
  /** Return true to capture the pointer; otherwise it moves the playhead. */
  down?(pointer: LanePointer): boolean | void;
  drag?(pointer: LanePointer): void;
  up?(pointer: LanePointer): void;
  /** A double click. */
  double?(pointer: LanePointer): void;
  /** The Delete key, with the pointer here. Return true if there was something to delete. */
  erase?(pointer: LanePointer): boolean;
  /** Tooltip at this position. */
  tip?(pointer: LanePointer): string | undefined;
  /** The CSS cursor at this position. */
  cursor?(pointer: LanePointer): string | undefined;
}

/** The path of a key: a diamond around (x, y). */
export function diamond(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}
