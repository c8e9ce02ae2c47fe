// The what-if tool: dragging arrows and rings.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { difference, openTool, picture, settle, start, vertices, wearLiteral } from './help/kit.mjs';

const RING = 46;
let stage, app, page;
before(async () => {
  stage = await start();
  app = await openTool(stage, 'w', 0);
  ({ page } = app);
  await wearLiteral(page);
  await page.getByText('Drag a joint for velocity').waitFor();
  await settle(page);
});
after(() => stage?.close());

const onScreen = (name) =>
  page.evaluate((which) => {
    const { session, viewer } = window.studio;
    const { node } = session.value.joints.find((joint) => joint.name === which);
    const at = viewer.project(node.getWorldPosition(viewer.camera.position.clone()));
    const box = viewer.element.getBoundingClientRect();
    return { x: at.x + box.left, y: at.y + box.top };
  }, name);
const motions = () => page.locator('.motion-list li').allTextContents();
const numbers = (title) =>
  page.evaluate(
    (name) => ['x', 'y', 'z'].map((axis) => Number(document.querySelector(`[aria-label="${name} ${axis}"]`).value)),
    title,
  );

/** The ghost and the paths in the scene. */
const scene = () =>
  page.evaluate(() => {
    let ghost = 0;
    let lines = 0;
    window.studio.viewer.helpers.traverseVisible((one) => {
      if (one.isLineSegments2) lines = one.geometry.getAttribute('instanceStart').count;
      else if (one.isMesh) ghost += one.geometry.getAttribute('position').count;
    });
    return { ghost, lines };
  });

async function drag(from, ...to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const place of to) await page.mouse.move(place.x, place.y, { steps: 4 });
  await page.mouse.up();
  await settle(page);
}

test('an arrow dragged from a joint bends what hangs on it; the ghost stays', async () => {
  const plain = await vertices(page);
  const at = await onScreen('Head');
  const before = await page.evaluate(() => window.studio.store.current);
  await drag(at, { x: at.x + 80, y: at.y - 40 });
  assert.deepEqual((await motions()).length, 1);
  assert.match((await motions())[0], /^Head.*L\/s/);
  const moved = await vertices(page);
  const shown = await scene();
  assert.ok(difference(plain, moved) > 1e-2, `${difference(plain, moved)}`);
  assert.equal(3 * shown.ghost, plain.length);
  assert.ok(shown.lines > 50, `${shown.lines} pieces of lines`);
  await picture(page, 'what-if-dark');
  const ghostly = await page.evaluate((first) => {
    let most = 0;
    window.studio.viewer.helpers.traverse((one) => {
      if (!one.isMesh || one.isLineSegments2) return;
      const { array } = one.geometry.getAttribute('position');
      array.forEach((value, i) => (most = Math.max(most, Math.abs(value - first[i]))));
    });
    return most;
  }, plain);
  assert.ok(ghostly < 1e-4, 'the ghost is the plain shape');
  assert.equal(
    JSON.stringify((await page.evaluate(() => window.studio.store.current)).style),
    JSON.stringify(before.style),
    'the document knows nothing of it',
  );
});

test('Shift drags along the view, a second joint joins in, and undo takes one after the other', async () => {
  const first = await numbers('Velocity');
  const at = await onScreen('Head');
  const tip = { x: at.x + 80, y: at.y - 40 };
  await page.keyboard.down('Shift');
  await drag(tip, { x: tip.x, y: tip.y - 40 });
  await page.keyboard.up('Shift');
  const second = await numbers('Velocity');
  const away = await page.evaluate(() =>
    window.studio.viewer.camera.getWorldDirection(window.studio.viewer.camera.position.clone()).toArray(),
  );
  const change = second.map((value, i) => value - first[i]);
  const length = Math.hypot(...change);
  assert.ok(length > 0.1 && change.reduce((sum, value, i) => sum + value * away[i], 0) > 0.98 * length, `${change}`);
  const tail = await onScreen('Tail2');
  await drag(tail, { x: tail.x + 30, y: tail.y - 50 });
  assert.equal((await motions()).length, 2);
  await page.keyboard.press('Control+z');
  await settle(page);
  assert.equal((await motions()).length, 1);
  await page.keyboard.press('Shift+Delete');
  await settle(page);
  assert.equal((await motions()).length, 0);
  assert.equal((await scene()).lines <= 1, true);
});

test('a ring around the joint spins it about the view axis', async () => {
  await page.locator('.tree-row', { hasText: 'Head' }).first().click();
  await settle(page);
  const plain = await vertices(page);
  const at = await onScreen('Head');
  const on = (angle) => ({ x: at.x + RING * Math.cos(angle), y: at.y + RING * Math.sin(angle) });
  await drag(on(0.5), on(0.8), on(1.1), on(1.4));
  const spin = await numbers('Spin');
  const toward = await page.evaluate(() =>
    window.studio.viewer.camera.getWorldDirection(window.studio.viewer.camera.position.clone()).toArray(),
  );
  const size = Math.hypot(...spin);
  const along = spin.reduce((sum, value, i) => sum + value * toward[i], 0);
  assert.ok(Math.abs(size - (0.9 * 180 * 4) / Math.PI) < 20, `${size} degrees a second`);
  assert.ok(along > 0.97 * size, 'clockwise is into the screen');
  assert.ok(difference(plain, await vertices(page)) > 1e-2);
});

test("numbers are typed, the clip's motion is taken, and another tool shows the clip again", async () => {
  const input = page.getByRole('spinbutton', { name: 'Velocity y' });
  await input.fill('1.5');
  await input.press('Enter');
  await settle(page);
  assert.equal((await numbers('Velocity'))[1], 1.5);
  await page.evaluate(() => window.studio.player.seek(0.7));
  await page.getByRole('button', { name: 'All joints' }).click();
  await settle(page);
  assert.ok((await motions()).length > 2, `${(await motions()).length} joints move`);
  await page.locator('.viewport').focus();
  await page.keyboard.press('v');
  await settle(page);
  assert.deepEqual(await scene(), { ghost: 0, lines: 0 });
  assert.deepEqual(app.faults(), []);
});
