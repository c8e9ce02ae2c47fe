// What the stages of the studio cost, for the meter (`?perf`). Times are those of the page's thread.

/** The budgets add up to less than a sixtieth of a second for a frame, and no stage may hold the page for 50 ms. */
export const BUDGETS_MS = {
  /** Joints, effects and data for the GPU, of one frame. */
  frame: 6,
  /** Calls of the renderer, of one frame. */
  draw: 6,
  /** Curves and lanes of the timeline, when they are drawn again. */
  lanes: 4,
  /** A change of the style, until the view shows it: another thread makes it. */
  style: 500,
  /** The page goes on with what another thread has made. */
  swap: 50,
  /** A file as objects. Large files take longer; the view says so. */
  file: 500,
  /** The engine's character. */
  character: 500,
} as const;

export type Stage = keyof typeof BUDGETS_MS;

export interface Cost {
  last: number;
  worst: number;
  count: number;
}

export const costs = new Map<Stage, Cost>();

export function note(stage: Stage, milliseconds: number): void {
  const { worst = 0, count = 0 } = costs.get(stage) ?? {};
  costs.set(stage, { last: milliseconds, worst: Math.max(worst, milliseconds), count: count + 1 });
}

/** Runs `work` and notes how long it took. */
export function timed<T>(stage: Stage, work: () => T): T {
  const start = performance.now();
  try {
    return work();
  } finally {
    note(stage, performance.now() - start);
  }
}
