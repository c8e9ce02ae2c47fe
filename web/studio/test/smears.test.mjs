// The smears tool.
import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import { becomes, choose, difference, open, pause, picture, settle, start, turn, vertices, view } from './help/kit.mjs';

describe('smears', () => {
  let stage, app, page;
  before(async () => {
    stage = await start();
    app = await open(stage);
    ({ page } = app);
    await pause(page);
    await page.evaluate(() => {
      window.studio.viewer.compare.value = 'off';
      window.studio.player.seek(0.75);
    });
    await choose(page, 'm');
  });
  after(async () => {
    assert.deepEqual(app.faults(), []);
    await app.close();
    await stage.close();
  });

  const flip = (name) => page.locator('.tool-panel').getByRole('switch', { name, exact: true });
  /** Number of clearly red and clearly blue pixels in the view. */
  const tints = async () => {
    const png = await view(page);
    return page.evaluate(async (list) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(list), (c) => c.charCodeAt(0))]));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let red = 0;
      let blue = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] > data[i + 1] + 60 && data[i] > data[i + 2] + 60) red++;
        if (data[i + 2] > data[i] + 60) blue++;
      }
      return { red, blue };
    }, png.toString('base64'));
  };

  test('offsets are red in front and blue behind', async () => {
    const on = await tints();
    assert.ok(on.red > 500 && on.blue > 500, JSON.stringify(on));
    await picture(page, 'smears-offsets-dark');
    await turn(flip('Show offsets'), false);
    const off = await tints();
    assert.ok(off.blue < on.blue / 4, JSON.stringify(off));
  });

  test('elongation stretches the character, and undo takes it back', async () => {
    const before = await vertices(page);
    const size = await page.evaluate(() => window.studio.session.value.size);
    await turn(flip('Elongation'), true);
    assert.ok(difference(await vertices(page), before) > 0.003 * size);
    await page.locator('.viewport').focus();
    await page.keyboard.press('Control+z');
    assert.ok(difference(await vertices(page), before) < 1e-6 * size);
  });

  test('only the command line subdivides: the row and a note say so, the number is kept', async () => {
    const part = page.locator('[data-part="smear.elongate"]');
    const row = page.locator('.panel.right .key-row[data-path="smear.elongate.subdivide"]');
    const note = page.locator('.style-note');
    await turn(flip('Elongation'), true);
    if (!(await part.evaluate((one) => one.open))) await part.locator('> summary').click();
    await becomes(() => part.evaluate((one) => one.open), true);
    assert.match(await row.locator('.key-name').getAttribute('data-tip'), /Only limber apply/);
    await note.waitFor({ state: 'hidden' });
    await row.locator('[role=slider]').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    await note.filter({ hasText: 'the original mesh' }).waitFor();
    await page.waitForFunction(() => window.studio.store.current.style.smear.elongate.subdivide === 2);
    await row.scrollIntoViewIfNeeded();
    await row.locator('.key-name').hover();
    await page.locator('.tooltip').filter({ hasText: 'Only limber apply' }).waitFor();
    await picture(page, 'smears-subdivide');
    await page.locator('.viewport').focus();
    await page.keyboard.press('Control+z');
    await note.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+z');
    await becomes(() => flip('Elongation').isChecked(), false);
  });

  test('copies and lines are meshes in the view, as the engine gives them', async () => {
    const plain = await view(page);
    await turn(flip('In-between copies'), true);
    await turn(flip('Motion lines'), true);
    await settle(page);
    const seen = await page.evaluate(() => {
      const { session, store, player } = window.studio;
      const { pipeline, clip } = session.value.pipeline(store.current.clip);
      const wanted = pipeline.evaluateSmeared(clip, player.time.value).smearMeshes.filter((one) => one.visible);
      const group = session.value.loaded.object.getObjectByName('limber smears');
      return wanted.map((one) => {
        const mesh = group.children.find(
          (child) =>
            child.visible &&
            child.name === one.name &&
            child.geometry.getAttribute('position').array.length === one.positions.length,
        );
        return mesh
          ? one.positions.reduce(
              (most, value, i) => Math.max(most, Math.abs(value - mesh.geometry.getAttribute('position').array[i])),
              0,
            )
          : Infinity;
      });
    });
    assert.ok(seen.length >= 2, `${seen.length} smear meshes`);
    assert.ok(Math.max(...seen) < 1e-6);
    assert.notDeepEqual(await view(page), plain);
    await picture(page, 'smears-copies-dark');
  });

  test('the onion skin shows the frames around', async () => {
    await page.locator('.viewport').focus();
    await page.keyboard.press('o');
    await settle(page);
    const count = await page.evaluate(
      () => window.studio.viewer.helpers.getObjectByName('onion skin').children.filter((one) => one.visible).length,
    );
    assert.equal(count, 4);
    await picture(page, 'smears-onion-dark');
    await page.evaluate(() => {
      document.documentElement.dataset.theme = 'light';
    });
    await picture(page, 'smears-onion-light');
    await page.evaluate(() => {
      document.documentElement.dataset.theme = 'dark';
    });
    await page.keyboard.press('v');
    await page.waitForFunction(() => !window.studio.viewer.helpers.getObjectByName('onion skin'));
  });
});
