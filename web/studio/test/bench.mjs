// How fast the studio is in Chromium; no test depends on it. `node test/bench.mjs`, or ./dev bench.
import fs from 'node:fs';
import path from 'node:path';
import { head, row, summary } from '../../limber/test/aims.mjs';
import { assets, difference, open, settle, start, until, vertices } from './help/kit.mjs';

head('the studio');
const stage = await start();
const begin = performance.now();
const app = await open(stage, { motion: true });
const { page } = app;
const first = await vertices(page);
await until(async () => difference(first, await vertices(page)) > 1e-3, 'nothing moves');
row('the first visit, until the cow moves', (performance.now() - begin) / 1000, 's', 10);

await page.setViewportSize({ width: 900, height: 420 });
await page.evaluate(() => window.studio.openBuiltIn('dancer'));
await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'dancer');
const costs = await page.evaluate(
  () =>
    new Promise((done) => {
      const list = [];
      window.studio.viewer.compare.value = 'off';
      window.studio.player.playing.value = true;
      window.studio.frameCost.listen((cost) => list.push(cost) === 24 && done(list));
    }),
);
row('a frame of the dancer: our own work, without drawing', costs.sort((a, b) => a - b)[12], 'ms', 4);

// The longest task of the page, while a character from outside is opened, gets a style and is scrubbed; not drawn.
const soldier = assets() && path.join(assets(), 'more/Soldier.glb');
if (soldier && fs.existsSync(soldier)) {
  await page.evaluate(() => {
    const { studio } = window;
    studio.player.playing.value = false;
    studio.viewer.draw = () => undefined;
    window.tasks = [0];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
  });
  const longest = async (what, act) => {
    await page.evaluate(() => void (window.tasks = [0]));
    await act();
    await settle(page);
    row(`Soldier, ${what}: longest task of the page`, await page.evaluate(() => Math.max(...window.tasks)), 'ms', 50);
  };
  await longest('opened', async () => {
    await page.getByLabel('Open a file').setInputFiles(soldier);
    await page.waitForFunction(() => window.studio.session.value?.file.name === 'Soldier.glb');
  });
  await longest('in another style', () =>
    page.evaluate(() => window.studio.chooseStyle('Preset jelly', window.studio.engine.parseStyle('jelly'))),
  );
  await longest('scrubbed', async () => {
    for (let i = 0; i < 60; i++) {
      await page.evaluate((time) => window.studio.player.seek(time), 0.01 * i);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  });
}
summary();
await stage.close();
