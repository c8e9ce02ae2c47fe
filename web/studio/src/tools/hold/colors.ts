// Colors of what stands and of what keeps its shape; the legends use the same.
export type Rgb = readonly [number, number, number];

export const SKIN: Rgb = [0.86, 0.86, 0.87];
export const HELD: Rgb = [0.86, 0.2, 0.18];
export const ADDED: Rgb = [0.55, 0.35, 0.88];
export const REMOVED: Rgb = [0.18, 0.5, 0.88];
/** A part that could be rigid but is not. */
export const LOOSE: Rgb = [0.62, 0.76, 0.93];
/** Neighbors in this list are easy to tell apart, also for color-blind people. */
export const PARTS: readonly Rgb[] = [
  [0.9, 0.62, 0.0],
  [0.0, 0.62, 0.45],
  [0.8, 0.47, 0.65],
  [0.84, 0.37, 0.0],
  [0.58, 0.65, 0.13],
  [0.5, 0.36, 0.66],
];

export const css = ([r, g, b]: Rgb, alpha = 1): string =>
  `rgb(${[r, g, b].map((value) => Math.round(255 * value)).join(' ')} / ${alpha})`;
