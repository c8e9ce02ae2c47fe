// The joints tool: selecting in the view, gains, switching off, moving the center.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import {
  becomes,
  difference,
  openTool,
  picture,
  says,
  settle,
  start,
  until,
  vertices,
  wearLiteral,
} from './help/kit.mjs';

let stage, app, page;
before(async () => {
  stage = await start();
  app = await openTool(stage, 'j', 0.7);
  ({ page } = app);
  await wearLiteral(page);
  await page.getByText('Click a part of the character').waitFor();
});
after(() => stage?.close());

const joints = () => page.evaluate(() => window.studio.store.current.style.joints);
const jointsBecome = (wanted) => becomes(async () => JSON.stringify(await joints()), JSON.stringify(wanted));
const undo = async () => {
  await page.locator('.viewport').focus();
  await page.keyboard.press('Control+z');
  await settle(page);
};

/** Position of a joint or its center on the screen. */
const onScreen = (name, centre = false) =>
  page.evaluate(
    ([which, middle]) => {
      const { session, viewer, store } = window.studio;
      const { node, index } = session.value.joints.find((joint) => joint.name === which);
      const offset = store.current.style.joints?.[which]?.centroid_offset ?? [0, 0, 0];
      const place = viewer.camera.position.clone().set(0, 0, 0);
      if (middle)
        place.fromArray([...session.value.character.joints[index].centroid].map((value, i) => value + offset[i]));
      node.updateWorldMatrix(true, false);
      const at = viewer.project(place.applyMatrix4(node.matrixWorld));
      const box = viewer.element.getBoundingClientRect();
      return { x: at.x + box.left, y: at.y + box.top };
    },
    [name, centre],
  );

test('a click on the character chooses the joint under it', async () => {
  const at = await onScreen('Head');
  await page.mouse.click(at.x, at.y);
  await says(page.locator('.joint-title'), 'Head');
  await says(page.locator('.tree-row[aria-selected=true]'), 'Head');
  await says(page.locator('.meter output').last(), /^[1-9]\d*°\/s$/); // it spins now
});

test('a gain acts at once, and can be undone', async () => {
  const before = await vertices(page);
  const gain = page.getByRole('slider', { name: 'Gain of floppy', exact: true });
  await gain.focus();
  await page.keyboard.press('0');
  await page.keyboard.press('Enter');
  await jointsBecome({ Head: { floppy: 0 } });
  assert.ok(difference(before, await vertices(page)) > 1e-3);
  const box = await gain.boundingBox();
  await page.mouse.move(box.x + 5, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 45, box.y + 10, { steps: 5 });
  await page.mouse.up();
  await until(async () => (await joints()).Head.floppy > 0.5, 'the gain does not grow');
  await undo();
  assert.deepEqual(await joints(), { Head: { floppy: 0 } }, 'a drag is one step');
  await undo();
  assert.equal(await joints(), undefined);
  assert.ok(difference(before, await vertices(page)) < 1e-5);
});

test('a formula that is wrong says so, and changes nothing', async () => {
  const row = page.locator('.gain-row[data-gain=squash]');
  await row.getByRole('slider').focus();
  await page.keyboard.press('Enter');
  await row.getByRole('textbox').fill('2 * speeed');
  await row.getByRole('alert').waitFor();
  assert.equal(await joints(), undefined);
  await row.getByRole('textbox').fill('2 * t');
  await page.keyboard.press('Enter');
  await jointsBecome({ Head: { squash: '2 * t' } });
  await undo();
});

test('the centre is dragged by its handle, and squash follows', async () => {
  const before = await vertices(page);
  const from = await onScreen('Head', true);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, from.y - 25, { steps: 6 });
  await page.mouse.up();
  await settle(page);
  const { centroid_offset: offset } = (await joints()).Head;
  const to = await onScreen('Head', true);
  assert.ok(Math.hypot(...offset) > 0.05, `${offset}`);
  assert.ok(Math.hypot(to.x - from.x - 40, to.y - from.y + 25) < 1.5, 'it is where it was put');
  assert.ok(difference(before, await vertices(page)) > 1e-4);
  await picture(page, 'joints-dark');
  await undo();
  assert.equal(await joints(), undefined);
});

/** Direction of the axis on the screen, from the joint to its handle. */
const tipOnScreen = () =>
  page.evaluate(() => {
    const { session, viewer, store, joint } = window.studio;
    const { node, name } = session.value.joints[joint.value];
    const center = viewer.camera.position.clone().fromArray(session.value.character.joints[joint.value].centroid);
    const axis = center.clone().fromArray(store.current.style.joints?.[name]?.axis ?? center.toArray());
    node.updateWorldMatrix(true, false);
    const length = center
      .applyMatrix4(node.matrixWorld)
      .distanceTo(center.clone().setFromMatrixPosition(node.matrixWorld));
    const tip = axis
      .transformDirection(node.matrixWorld)
      .multiplyScalar(Math.max(1.6 * length, 0.12 * session.value.size));
    const at = viewer.project(tip.add(center.setFromMatrixPosition(node.matrixWorld)));
    const box = viewer.element.getBoundingClientRect();
    return { x: at.x + box.left, y: at.y + box.top };
  });

test('the axis is turned by its ring or by numbers, and squash follows', async () => {
  const before = await vertices(page);
  const from = await tipOnScreen();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x - 50, from.y - 60, { steps: 6 });
  await page.mouse.up();
  await settle(page);
  const { axis, ...others } = (await joints()).Head;
  assert.deepEqual(others, {});
  assert.ok(Math.abs(Math.hypot(...axis) - 1) < 1e-3, `${axis}`);
  assert.ok(difference(before, await vertices(page)) > 1e-4);
  await picture(page, 'joints-axis');
  await undo();
  assert.equal(await joints(), undefined, 'a drag is one step');
  await page.getByRole('spinbutton', { name: 'Axis x' }).fill('1');
  await page.getByRole('spinbutton', { name: 'Axis x' }).press('Enter');
  await jointsBecome({ Head: { axis: [1, 0, 0] } });
  await page.locator('[data-vector=axis] .reset').click();
  await jointsBecome(undefined);
});

test('a branch goes off under one name where it has one, and comes back', async () => {
  await page.locator('.tree-row', { hasText: 'Tail1' }).click();
  await says(page.locator('.joint-title'), 'Tail1');
  await page.locator('.viewport').focus();
  await page.keyboard.press('o');
  await jointsBecome({ 'Tail*': { '*': 0 } });
  await page.getByRole('button', { name: 'Switch on' }).click();
  await jointsBecome(undefined);
  await page.locator('.tree-row', { hasText: 'Neck' }).click();
  await says(page.locator('.joint-title'), 'Neck');
  const before = await vertices(page);
  await page.getByRole('button', { name: /Switch off branch/ }).click();
  await until(joints, 'nothing is off');
  const off = await joints();
  assert.deepEqual(Object.keys(off).sort(), ['EarLeft', 'EarRight', 'Head', 'Horns', 'Neck']);
  assert.ok(Object.values(off).every((entry) => entry['*'] === 0));
  assert.ok(difference(before, await vertices(page)) > 1e-3);
  await page.keyboard.press('Escape');
  await settle(page);
});

test('one joint of a branch that is off can be on again, and it has the last word', async () => {
  await page.evaluate(() =>
    window.studio.changeStyle('Test', (style) => ({
      ...style,
      joints: { EarLeft: { floppy: 2 }, 'Ear*': { '*': 0 } },
    })),
  );
  await page.locator('.tree-row', { hasText: 'EarLeft' }).click();
  await says(page.locator('.joint-title'), 'EarLeft');
  const gain = page.locator('.gain-row[data-gain="*"]');
  assert.ok(await gain.evaluate((row) => row.classList.contains('inherited')));
  await gain.getByRole('slider').focus();
  await page.keyboard.press('1');
  await page.keyboard.press('Enter');
  await jointsBecome({ 'Ear*': { '*': 0 }, EarLeft: { floppy: 2, '*': 1 } });
  assert.deepEqual(app.faults(), []);
});
