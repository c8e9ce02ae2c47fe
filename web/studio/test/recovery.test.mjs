// What was done is there again after a crash: nobody has saved it.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { becomes, open, ready, start, until } from './help/kit.mjs';

let stage;
before(async () => {
  stage = await start();
});
after(async () => stage?.close());

test('a page that crashed comes back with the file, the style, the layers and the time', async () => {
  const { page } = await open(stage, { width: 900, height: 600 });
  const context = page.context();
  await page.evaluate(() => window.studio.openBuiltIn('dog'));
  await page.evaluate(() => {
    const { studio } = window;
    studio.setKey('strength', 0.625);
    const values = new Float32Array(studio.session.value.character.vertexCount).fill(0.25);
    studio.store.change('Paint', (document) => ({ ...document, layers: { mine: values } }));
    studio.player.seek(0.2);
    studio.player.playing.value = true; // whatever changes is kept soon
    studio.player.playing.value = false;
  });
  const kept = () =>
    page.evaluate(
      () =>
        new Promise((done) => {
          const asked = indexedDB.open('limber-studio');
          asked.onerror = () => done(false);
          asked.onsuccess = () => {
            const [name] = asked.result.objectStoreNames;
            const all = asked.result.transaction(name).objectStore(name).getAll();
            all.onsuccess = () => done(JSON.stringify(all.result).includes('0.625'));
          };
        }),
    );
  await until(kept, 'nothing is kept by itself');
  const crashed = new Promise((done) => page.once('crash', done));
  page.goto('chrome://crash').catch(() => undefined);
  await crashed;
  const next = await context.newPage();
  await next.goto(stage.server.address);
  await ready(next);
  assert.equal(await next.locator('html').getAttribute('data-ready'), 'restored');
  const state = await next.evaluate(() => {
    const { store, player, session } = window.studio;
    const { file, style } = store.current;
    return { name: file.name, strength: style.strength, time: player.time.value, mine: session.value.layer('mine')[7] };
  });
  assert.deepEqual(
    { ...state, time: Number(state.time.toFixed(3)) },
    { name: 'dog.glb', strength: 0.625, time: 0.2, mine: 0.25 },
  );
  await becomes(() => next.evaluate(() => window.studio.session.value.toon.style.strength), 0.625);
  await context.close();
});
