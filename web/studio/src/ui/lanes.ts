// Rows of the timeline that tools add: edits, smears, curves.

/** The timeline's scale: what is drawn at a time stands below the ruler's tick. */
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

/** Colours of the theme for canvases. */
export interface LaneColors {
  text: string;
  faint: string;
  line: string;
  accent: string;
  panel: string;
}

export interface LanePointer {
  event: PointerEvent;
  time: number;
  x: number;
  y: number;
  scale: LaneScale;
}

export interface Lane {
  id: string;
  label: string;
  /** CSS pixels; 'fill' takes what is left of the panel. */
  height: number | 'fill';
  /** Stands beside the label: switches, a legend. */
  header?: HTMLElement;
  draw(context: CanvasRenderingContext2D, scale: LaneScale, colors: LaneColors): void;
  /** Return true to keep the pointer; else the playhead follows it. */
  down?(pointer: LanePointer): boolean | void;
  drag?(pointer: LanePointer): void;
  up?(pointer: LanePointer): void;
  /** Text for the pointer resting there. */
  tip?(pointer: LanePointer): string | undefined;
}
