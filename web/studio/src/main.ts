import { sharedEngine } from 'limber/three';
import { App } from './app';
import { TOOLS } from './tools';
import { Shell } from './ui/shell';
import { showHint } from './ui/hint';
import { say } from './ui/widgets';

declare global {
  interface Window {
    /** For tests and the browser's console. */
    studio?: App;
  }
}

async function start(): Promise<void> {
  const root = document.getElementById('studio')!;
  if (!document.createElement('canvas').getContext('webgl2')) {
    root.textContent = 'The studio needs WebGL 2, which is missing or disabled in this browser.';
    return;
  }
  const app = new App(await sharedEngine(), TOOLS);
  window.studio = app;
  new Shell(app, root);
  app.choose(TOOLS[0]);
  const began = await app.begin();
  if (began === 'first') app.viewer.compare.value = 'split';
  app.player.playing.value = !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  showHint(app);
  document.documentElement.dataset.ready = began;
}

start().catch((error: unknown) =>
  say({
    kind: 'error',
    text: 'The studio cannot start',
    detail: error instanceof Error ? error.message : String(error),
  }),
);
