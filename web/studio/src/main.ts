import { messageOf } from './core/file_error';
import { sharedEngine } from 'limber/three';
import { App } from './app';
import { TOOLS } from './tools';
import { Shell } from './ui/shell';
import { showGuide } from './ui/guide';
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
  showGuide(app);
  document.documentElement.dataset.ready = began;
}

/** The program serves the page under a new address at every start, and is there anyway: nothing is kept then. */
function keepOffline(): void {
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(window.location.hostname);
  const asked = new URLSearchParams(window.location.search).has('offline');
  if (import.meta.env.PROD && 'serviceWorker' in navigator && window.isSecureContext && (!local || asked))
    navigator.serviceWorker.register(document.documentElement.dataset.worker ?? './sw.js').catch(() => undefined); // it works, but only online
}

start().catch((error: unknown) =>
  say({
    kind: 'error',
    text: 'The studio cannot start',
    detail: messageOf(error),
  }),
);
keepOffline();
