// The built site, served from a folder below the root as any static host would.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../../../limber/test/browser/browser.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
export const dist = at('../../dist');
export const root = at('../../../..');
export const FOLDER = '/some/where/';

export async function start() {
  if (!fs.existsSync(path.join(dist, 'sw.js'))) throw new Error('web/site/dist is not there: build it with ./dev web');
  const server = await serve({ [FOLDER]: dist });
  const browser = await launch();
  return {
    server,
    browser,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** Names of all files of the site. */
export const filesOf = () =>
  fs
    .readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) =>
      path
        .relative(dist, path.join(one.parentPath ?? one.path, one.name))
        .split(path.sep)
        .join('/'),
    )
    .sort();

/** In the page, before anything else: adds up how far things move without a reason. */
function watchShifts() {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}

/** In the page: the sum, after the frame in which the last of them may be. */
export const shifts = async () => {
  for (let i = 0; i < 2; i++) await new Promise((next) => requestAnimationFrame(next));
  return window.shift;
};

/**
 * Opens a page of the site in a context of its own. Nothing is kept for offline visits unless `options` allow service
 * workers: Chromium 150 crashes when a context is closed while one of them is being installed.
 */
export async function open({ server, browser }, name, options = {}) {
  const context = await browser.newContext({ serviceWorkers: 'block', ...options });
  await context.addInitScript(watchShifts);
  const hosts = new Set();
  let bytes = 0;
  context.on('request', (request) => {
    if (/^https?:/.test(request.url())) hosts.add(new URL(request.url()).host);
  });
  context.on('response', async (response) => {
    const body = await response.body().catch(() => '');
    bytes += body.length;
  });
  const { page, faults } = await openPage(context, new URL(`${FOLDER}${name}`, server.address).href);
  return { context, page, faults, hosts, bytes: () => bytes };
}
