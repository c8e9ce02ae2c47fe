// A worker makes every character, style and clip: the page itself makes nothing, so no task of it is long.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { becomes, open, pause, settle, start } from './help/kit.mjs';

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage, { width: 900, height: 640, count: true });
  ({ page } = app);
  await pause(page);
});
after(async () => {
  assert.deepEqual(app?.faults(), []);
  await stage?.close();
});

/** What the page's engines have made while `work` was done. */
async function madeBy(work) {
  await settle(page);
  const before = await page.evaluate(() => ({ ...window.made }));
  await work();
  await settle(page);
  const { made } = await page.evaluate(() => ({ made: window.made }));
  return {
    characters: made.builder_finish - before.builder_finish,
    pipelines: made.pipeline_create - before.pipeline_create,
  };
}

const NOTHING = { characters: 0, pipelines: 0 };

/** Whether what is shown is, to the bit, what a pipeline made here would show. */
const isExact = () =>
  page.evaluate(() => {
    const { session, store, player } = window.studio;
    const { pipeline, clip } = session.value.pipeline(store.current.clip);
    const own = pipeline.character.pipeline(store.current.style);
    const [a, b] = [pipeline, own].map((one) => one.evaluate(clip, player.time.value).positions);
    own.dispose();
    return a.length > 0 && a.every((value, i) => value === b[i]);
  });

test('the page makes nothing of a character that is opened', async () => {
  assert.deepEqual(await madeBy(() => page.evaluate(() => window.studio.openBuiltIn('toon'))), NOTHING);
  assert.ok(await isExact());
});

test('nor of a new style, nor of many in a row; the last one is worn', async () => {
  const wear = (preset) =>
    page.evaluate((name) => {
      const { studio } = window;
      studio.chooseStyle(`Preset ${name}`, studio.engine.parseStyle(name));
    }, preset);
  assert.deepEqual(await madeBy(() => wear('jelly')), NOTHING);
  assert.ok(await isExact());
  const drag = () =>
    page.evaluate(async () => {
      for (const value of [0.2, 0.4, 0.6, 0.8, 0.9]) {
        window.studio.setKey('strength', value, 'strength');
        await new Promise((done) => setTimeout(done, 20));
      }
    });
  assert.deepEqual(await madeBy(drag), NOTHING);
  assert.equal(await page.evaluate(() => window.studio.session.value.toon.style.strength), 0.9);
  assert.ok(await isExact());
});

test('nor of another clip, nor of undoing all of it', async () => {
  const seen = () => page.evaluate(() => window.studio.session.value.seen.clip);
  assert.deepEqual(await madeBy(() => page.evaluate(() => window.studio.setClip(1))), NOTHING);
  assert.equal(await seen(), 1);
  assert.ok(await isExact());
  const back = async () => {
    await page.evaluate(() => window.studio.undo());
    await page.evaluate(() => window.studio.undo());
  };
  assert.deepEqual(await madeBy(back), NOTHING);
  assert.equal(await seen(), 0);
  assert.equal(await page.evaluate(() => 'strength' in window.studio.session.value.toon.style), false);
});

test('a style that does not fit is refused, and the old one goes on', async () => {
  const before = await page.evaluate(() => JSON.stringify(window.studio.session.value.toon.style));
  const fault = await page.evaluate(() =>
    window.studio.chooseStyle('Style of the test', { limber: 1, joints: { Nobody: { floppy: 2 } } }),
  );
  assert.match(fault, /Nobody/);
  await becomes(() => page.evaluate(() => window.studio.styleFault.value ?? ''), /Nobody/);
  await settle(page);
  assert.equal(await page.evaluate(() => JSON.stringify(window.studio.session.value.toon.style)), before);
  await page.evaluate(() => window.studio.undo());
  await settle(page);
  assert.equal(await page.evaluate(() => window.studio.styleFault.value), undefined);
});

test('where the browser starts no worker, the page does its work', async () => {
  const context = await stage.browser.newContext({ reducedMotion: 'reduce' });
  await context.addInitScript(() => {
    window.Worker = class {
      postMessage() {
        setTimeout(() => this.onerror?.({ message: '' }));
      }
      terminate() {}
    };
  });
  const alone = await context.newPage();
  await alone.goto(stage.server.address);
  await alone.waitForSelector('html[data-ready]', { state: 'attached' });
  await alone.evaluate(() => {
    const { studio } = window;
    studio.chooseStyle('Preset jelly', studio.engine.parseStyle('jelly'));
  });
  await settle(alone);
  const worn = await alone.evaluate(() => window.studio.session.value.wears(window.studio.store.current.style));
  assert.ok(worn);
  await context.close();
});
