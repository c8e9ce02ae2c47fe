// How the first page of the site behaves in Chromium on a slow machine; no test depends on it. `node test/bench.mjs`, or
// ./dev bench.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { head, row, summary } from '../../limber/test/aims.mjs';
import { FOLDER, dist, filesOf, open, start } from './help/site.mjs';

const SLOWER = 4; // as slow as a phone

/** In the page, before anything else: notes how long tasks take. */
function watchTasks() {
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.tasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
}

async function longestTask(stage, name, rate) {
  const context = await stage.browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(watchTasks);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
  await page.goto(new URL(`${FOLDER}${name}`, stage.server.address).href, { waitUntil: 'networkidle' });
  await page.waitForTimeout(2000);
  const longest = Math.max(0, ...(await page.evaluate(() => window.tasks)));
  await context.close();
  return longest;
}

/** Seconds from the first change to the live scene; `isReady`: the pointer has rested on the controls before. */
async function untilLive(stage, isReady) {
  const { page, context } = await open(stage, '', { viewport: { width: 1440, height: 900 } });
  await page.waitForLoadState('networkidle');
  if (isReady) {
    await page.hover('#controls');
    await page.waitForFunction(() => window.show);
  }
  const begin = performance.now();
  await page.evaluate(() => document.querySelector('input[value=jelly]').click());
  await page.waitForFunction(() => window.show && document.getElementById('picture').width !== 960);
  const seconds = (performance.now() - begin) / 1000;
  await context.close();
  return seconds;
}

/** Kilobytes of files as most hosts send them. */
const packed = (names) =>
  names.reduce((sum, name) => sum + zlib.gzipSync(fs.readFileSync(path.join(dist, name))).length, 0) / 1000;

head('the site');
const stage = await start();
const first = await open(stage, '', { viewport: { width: 1440, height: 900 } });
await first.page.waitForLoadState('networkidle');
row('the first page before a touch, not packed', first.bytes() / 1000, 'kB', 1000);
await first.context.close();
const scripts = filesOf().filter((name) => /^assets\/(live|projector|limber)-.*\.(js|wasm)$/.test(name));
row('the live scene: engine, three.js and its code, gzipped', packed(scripts), 'kB');
row('the index of the search, gzipped', packed(['search.json']), 'kB');
for (const name of ['', 'docs/style.html'])
  row(
    `the longest task of ${name || 'the first page'}, ${SLOWER} times slower`,
    await longestTask(stage, name, SLOWER),
    'ms',
    200,
  );
row('from the first change to the live scene', await untilLive(stage, false), 's', 5);
row('the same, prepared while the pointer was at the controls', await untilLive(stage, true), 's', 2);
summary();
await stage.close();
