// Long work in small pieces, between the frames of the page.
import { timed } from '../core/perf';

const SLICE_MS = 6;

/** Whether the user waits for something. Browsers that do not tell say no. */
function isInputPending(): boolean {
  const { scheduling } = navigator as { scheduling?: { isInputPending?(): boolean } };
  return scheduling?.isInputPending?.() ?? false;
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
    if (isInputPending()) return later(step);
    const until = performance.now() + SLICE_MS;
    do if (timed('pictures', () => work.next()).done) return;
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
