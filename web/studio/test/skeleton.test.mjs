// The skeleton tool: dragging a joint at a frame; the edit stays within its window.
import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import { becomes, choose, difference, open, pause, picture, settle, start, until, vertices } from './help/kit.mjs';

describe('skeleton', () => {
  let stage, app, page, size;
  const MOMENTS = [0.2, 1, 1.8]; // before, at and after the edit
  before(async () => {
    stage = await start();
    app = await open(stage);
    ({ page } = app);
    await pause(page);
    await page.evaluate(() => {
      window.studio.viewer.compare.value = 'off';
    });
    size = await page.evaluate(() => window.studio.session.value.size);
    await choose(page, 'e');
  });
  after(async () => {
    assert.deepEqual(app.faults(), []);
    await app.close();
    await stage.close();
  });

  const seek = async (time) => {
    await page.evaluate((t) => window.studio.player.seek(t), time);
    await settle(page);
  };
  const poses = async () => {
    const out = [];
    for (const time of MOMENTS) {
      await seek(time);
      out.push(
        await page.evaluate(() =>
          window.studio.session.value.joints.slice(1).flatMap(({ node }) => {
            node.updateWorldMatrix(true, false);
            return [...node.matrixWorld.elements.slice(12, 15)];
          }),
        ),
      );
    }
    return out;
  };
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
  const constraints = () => page.evaluate(() => window.studio.store.current.style.exaggerate?.constraints);
  /** Position of a time on the lane of edits. */
  const laneAt = async (time) => {
    const box = await page.locator('.lane', { hasText: 'Edits' }).locator('canvas').boundingBox();
    const { start: from, end } = await page.evaluate(() => window.studio.player.span.value);
    return { x: box.x + 10 + ((time - from) / (end - from)) * (box.width - 20), y: box.y + 14 };
  };
  async function dragLane(from, to) {
    const a = await laneAt(from);
    const b = await laneAt(to);
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    await page.mouse.move(b.x, b.y, { steps: 3 });
    await page.mouse.up();
    await settle(page);
  }
  let plain;

  test('a dragged joint goes with the hand, the pose follows, and nothing changes outside the window', async () => {
    plain = await poses();
    await seek(1);
    const from = await jointAt('Head');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - 40, from.y - 50, { steps: 4 });
    await settle(page);
    await page.mouse.up();
    await settle(page);
    const to = await jointAt('Head');
    assert.ok(
      Math.hypot(to.x - from.x + 40, to.y - from.y + 50) < 8,
      `the head is at ${to.x - from.x}, ${to.y - from.y}`,
    );
    await picture(page, 'skeleton-dark');
    const edited = await poses();
    assert.ok(difference(edited[1], plain[1]) > 0.05 * size);
    for (const outside of [0, 2])
      assert.ok(
        difference(edited[outside], plain[outside]) < 1e-3 * size,
        `${difference(edited[outside], plain[outside]) / size} L at ${MOMENTS[outside]}`,
      );
    const [edit] = await constraints();
    assert.equal(edit.joint, 'Head');
    assert.equal(edit.keys.length, 1);
  });

  test('its window and its time are dragged on the timeline', async () => {
    const [{ window, keys }] = await constraints();
    const [[time]] = keys;
    await dragLane(1 + window, 1.7);
    assert.ok(Math.abs((await constraints())[0].window - 0.7) < 0.05);
    await dragLane(1, 1.2);
    assert.ok(Math.abs((await constraints())[0].keys[0][0] - 1.2) < 0.05);
    for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z');
    await becomes(async () => (await constraints())[0].window, window);
    assert.equal((await constraints())[0].keys[0][0], time);
  });

  test('an edit is deleted with a key, and all of it can be undone', async () => {
    const at = await laneAt(1);
    await page.mouse.click(at.x, at.y);
    await page.locator('.viewport').focus();
    await page.keyboard.press('Delete');
    await becomes(constraints, undefined);
    assert.ok(difference((await poses())[1], plain[1]) < 1e-5 * size);
    await page.keyboard.press('Control+z');
    await becomes(async () => (await constraints())?.length, 1);
    await page.keyboard.press('Control+z');
    await becomes(constraints, undefined);
    await vertices(page);
  });

  test('the keyboard alone can do it', async () => {
    await seek(1);
    await page.evaluate(() => {
      window.studio.joint.value = window.studio.session.value.joints.find((joint) => joint.name === 'Head').index;
    });
    await page.keyboard.press('k');
    await page.getByRole('slider', { name: 'Offset y' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await until(async () => (await constraints())[0].keys[0][1][1] > 0.05, 'the keys do not move it');
    await picture(page, 'skeleton-keys-dark');
  });
});
