// How fast the studio is in Chromium; no test depends on it. `node test/bench.mjs`, or ./dev bench.
import { head, row, summary } from '../../limber/test/aims.mjs';
import { difference, open, start, until, vertices } from './help/kit.mjs';

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
summary();
await stage.close();
