// The puppet tool: grabbing, playing and recording with the mouse.
import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import { choose, difference, open, pause, picture, settle, start, turn, until, vertices } from './help/kit.mjs';

describe('puppet', () => {
  let stage, app, page, size, clips;
  before(async () => {
    stage = await start();
    app = await open(stage);
    ({ page } = app);
    await pause(page);
    await page.evaluate(() => {
      window.studio.viewer.compare.value = 'off';
      window.studio.player.seek(0);
    });
    await choose(page, 'u');
    await settle(page);
    ({ size, clips } = await page.evaluate(() => ({
      size: window.studio.session.value.size,
      clips: window.studio.session.value.clips.length,
    })));
  });
  after(async () => {
    assert.deepEqual(app.faults(), []);
    await app.close();
    await stage.close();
  });

  const jointAt = (name) =>
    page.evaluate((one) => {
      const { session, viewer } = window.studio;
      const { node } = session.value.joints.find((joint) => joint.name === one);
      node.updateWorldMatrix(true, false);
      const { elements: e } = node.matrixWorld;
      const box = viewer.element.getBoundingClientRect();
      const at = viewer.project(node.position.clone().set(e[12], e[13], e[14]));
      return { x: at.x + box.left, y: at.y + box.top };
    }, name);
  const flip = (name) => page.locator('.tool-panel').getByRole('switch', { name, exact: true });

  test('a drag pulls the joint to the hand, its chain follows, others stay', async () => {
    const before = await vertices(page);
    const from = await jointAt('Head');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - 60, from.y - 40, { steps: 5 });
    const left = async () => {
      const to = await jointAt('Head');
      return Math.hypot(to.x - from.x + 60, to.y - from.y + 40);
    };
    await until(async () => (await left()) < 0.9 * Math.hypot(60, 40), 'the head does not come');
    await until(async () => difference(await vertices(page), before) > 0.03 * size, 'the shape does not follow');
    await picture(page, 'puppet-drag-dark');
    await page.mouse.up();
    await settle(page);
  });

  test('let go, it springs back to the clip', async () => {
    await page.waitForFunction(() => !window.studio.activeTool.value.running());
    const there = await vertices(page);
    await choose(page, 'v');
    assert.ok(difference(await vertices(page), there) < 1e-3 * size);
    await choose(page, 'u');
  });

  test('it stays where that is wanted, rotates and twists, and Escape lets go', async () => {
    await turn(flip('Spring back'), false);
    const before = await vertices(page);
    for (const key of ['r', 't']) {
      await page.locator('.viewport').focus();
      await page.keyboard.press(key);
      const at = await jointAt('Head');
      const now = await vertices(page);
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      await page.mouse.move(at.x + 50, at.y, { steps: 4 });
      await page.mouse.up();
      assert.ok(difference(await vertices(page), now) > 0.01 * size, `${key} does nothing`);
    }
    await page.keyboard.press('Escape');
    assert.ok(difference(await vertices(page), before) < 1e-3 * size);
    await turn(flip('Spring back'), true);
  });

  test('a performance becomes a clip that plays, and undo takes it away', async () => {
    await turn(flip('Countdown'), false);
    await page.locator('.viewport').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('Enter');
    const at = await jointAt('Head');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let i = 0; i < 12; i++) {
      await page.mouse.move(at.x + 70 * Math.sin(i), at.y - 30 * Math.cos(i));
      await settle(page); // wait for each frame, so that it is recorded even on a slow machine
    }
    await picture(page, 'puppet-record-dark');
    await page.mouse.up();
    await page.keyboard.press('Enter');
    await page.waitForFunction((count) => window.studio.session.value.clips.length === count + 1, clips);
    const take = await page.evaluate(() => window.studio.store.current.takes[0]);
    assert.equal(take.name, 'puppet 1');
    await pause(page);
    const seen = [];
    for (const part of [0, 0.15, 0.3, 0.45, 0.6, 0.75]) {
      await page.evaluate((t) => window.studio.player.seek(t), part * take.clip.end);
      seen.push(await vertices(page));
    }
    assert.ok(
      Math.max(...seen.slice(1).map((one) => difference(one, seen[0]))) > 0.01 * size,
      'the take does not move',
    );
    await picture(page, 'puppet-take-dark');
    await page.locator('.viewport').focus();
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.studio.store.current.takes.length === 0);
    await page.keyboard.press('Control+Shift+z');
    await page.waitForFunction((count) => window.studio.session.value.clips.length === count + 1, clips);
  });

  test('a take is exported as an animation', async () => {
    await choose(page, 'x');
    await page.getByRole('radio', { name: 'Style only' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save .glb' }).click(),
    ]);
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(await download.path());
    const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
    assert.equal(json.animations.at(-1).name, 'puppet 1');
    assert.ok(json.animations.at(-1).channels.length > 0);
  });
});
