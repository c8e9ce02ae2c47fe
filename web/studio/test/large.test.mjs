// A large character: a worker makes it, the brush answers, and the page goes on while the surface is prepared. LIMBER_STUDIO_VERTICES=1000000
// makes it a million vertices, which takes a minute or two.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { choose, open, pause, settle, start, until } from './help/kit.mjs';
import { openLarge } from './help/large.mjs';

const COUNT = Number(process.env.LIMBER_STUDIO_VERTICES ?? 300_000);

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage, { width: 900, height: 640, count: true });
  ({ page } = app);
  await pause(page);
  await page.evaluate(() => {
    const { studio } = window;
    studio.viewer.compare.value = 'off';
    studio.viewer.renderer.render = () => {}; // without a graphics card this would take minutes
  });
  await page.evaluate(() => {
    const { studio } = window;
    window.told = [];
    window.tasks = [];
    studio.opening.listen(
      (what) => what && window.told.push({ what, turns: window.turnsOfAll, made: { ...window.made } }),
    );
    studio.session.listen(() => (window.madeForIt = { ...window.made }));
    window.turnsOfAll = 0;
    const turn = () => {
      window.turnsOfAll++;
      setTimeout(turn);
    };
    turn();
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
  });
  assert.ok(await openLarge(page, COUNT));
});
after(async () => {
  assert.deepEqual(app?.faults(), []);
  await stage?.close();
});

test('a large character is made by a worker; the page tells how far it is, and goes on', async (t) => {
  const { told, made, tasks } = await page.evaluate(() => ({
    told: window.told,
    made: window.madeForIt,
    tasks: window.tasks,
  }));
  const before = told[0].made;
  assert.deepEqual(made, before, 'the page has made something itself');
  const at = (pattern) => told.findIndex(({ what }) => pattern.test(what));
  const stages = [/^Reading large.glb/, /^Making the character/, /^Looking at the motion/, /^Getting it ready: \d/];
  const found = stages.map(at);
  assert.ok(
    found.every((one, i) => one >= 0 && (!i || one > found[i - 1])),
    told.map(({ what }) => what).join('; '),
  );
  assert.ok(told[found[2]].turns - told[found[1]].turns > 5, 'the page stands still while the character is made');
  assert.ok(told.filter(({ what }) => /\d %/.test(what)).length > 5, 'nothing is said while it is handed over');
  t.diagnostic(`longest task of the page: ${Math.round(Math.max(0, ...tasks))} ms, its making by the test among it`);
});

test('what a worker has made is the same to the bit as what the page would make', async () => {
  const [here, there] = await page.evaluate(async () => {
    const { studio } = window;
    const { pipeline, clip } = studio.session.value.pipeline(0);
    const there = pipeline.evaluate(clip, 0.3).positions;
    const own = pipeline.character.pipeline(studio.store.current.style);
    const here = own.evaluate(clip, 0.3).positions;
    own.dispose();
    const sum = (values) => [
      values.length,
      ...new Uint32Array(values.buffer).reduce(([a, b], x) => [(a + x) >>> 0, (b + a) >>> 0], [1, 0]),
    ];
    return [sum(here), sum(there)];
  });
  assert.deepEqual(here, there);
});

test('the page goes on while the surface of a large character is prepared', async () => {
  await page.evaluate(() => {
    const style = { limber: 1, effects: { floppy: { angular: 0.2, layer: 'floppy' } } };
    window.studio.changeStyle('Style of the test', () => style);
  });
  await settle(page);
  await page.evaluate(() => {
    window.turns = 0;
    const { preparing } = window.studio.picker;
    const turn = () => {
      if (preparing.value !== undefined) window.turns++;
      setTimeout(turn);
    };
    turn();
  });
  await choose(page, 'p');
  await until(() => page.evaluate(() => window.turns > 5), 'the page stands still');
  await until(() => page.evaluate(() => window.studio.picker.preparing.value === undefined), 'never ready');
  const vertices = await page.evaluate(() => window.studio.session.value.character.vertexCount);
  assert.ok(vertices > 0.99 * COUNT, `${vertices} vertices`);
});

test('a stroke looks at the vertices near the brush only, and shows its color before effects follow', async () => {
  const box = await page.locator('.viewport').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.keyboard.press('d'); // a layer that is not painted yet is 1 everywhere
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 12, y + 4);
  await settle(page);
  const during = await page.evaluate(() => {
    const { store, session } = window.studio;
    const shown = session.value.toon.meshes[0].geometry.getAttribute('layer_shown');
    return {
      colored: shown.array.some((value) => value !== shown.array[0]),
      written: 'floppy' in store.current.layers,
    };
  });
  assert.equal(during.colored, true);
  assert.equal(during.written, false);
  const { visited, all } = await page.evaluate(() => window.studio.paintWork);
  assert.ok(visited > 0 && visited < all / 4, `${visited} of ${all}`);
  await page.mouse.up();
  await until(() => page.evaluate(() => 'floppy' in window.studio.store.current.layers), 'nothing is painted');
  await until(() => page.evaluate(() => !window.studio.busy.value), 'never ready again');
  const painted = await page.evaluate(() => {
    const values = window.studio.session.value.layer('floppy');
    return values.filter((value) => value !== values[0]).length;
  });
  assert.ok(painted > 100 && painted < COUNT / 4, `${painted} vertices`);
});
