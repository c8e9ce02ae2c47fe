// Long work in small pieces, between the frames of the page.
import { LimberError } from 'limber/engine';
import { timed } from '../core/perf';

const SLICE_MS = 6;

const REST_MS = 400;
let held = false;
let last = -Infinity;
for (const type of ['pointerdown', 'pointerup', 'pointercancel', 'keydown', 'wheel'])
  window.addEventListener(
    type,
    () => {
      last = performance.now();
      if (type.startsWith('pointer')) held = type === 'pointerdown';
    },
    { capture: true, passive: true },
  );

/** Whether the user does something: drags, scrubs, types. A step may take longer than a frame. */
const isActing = (): boolean => held || performance.now() - last < REST_MS;

/** The next step; true at the end. A character that is gone by now, since a layer or a file is new, ends the work. */
function isDone(work: Generator<void, void>): boolean {
  try {
    return timed('pictures', () => work.next()).done === true;
  } catch (error) {
    if (error instanceof LimberError && error.message.endsWith('has been disposed')) return true;
    throw error;
  }
}

/** Runs the steps of `work` while the page has nothing else to do. Calling the result ends it. */
export function inSlices(work: Generator<void, void>): () => void {
  let ended = false;
  const later = (run: () => void): void => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(run, { timeout: 2000 });
    else globalThis.setTimeout(run, 20);
  };
  const step = () => {
    if (ended) return;
    if (isActing()) return void globalThis.setTimeout(step, REST_MS / 4);
    const until = performance.now() + SLICE_MS;
    do if (isDone(work)) return;
    while (performance.now() < until);
    later(step);
  };
  later(step);
  return () => {
    if (ended) return;
    ended = true;
    work.return();
  };
}
