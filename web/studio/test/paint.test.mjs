// The paint tool.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import {
  character,
  choose,
  difference,
  drop,
  isTold,
  open,
  openTool,
  picture,
  settle,
  start,
  until,
  vertices,
  wearLiteral,
} from './help/kit.mjs';

let stage, app, page;
before(async () => {
  stage = await start();
  app = await openTool(stage, 'p', 0.75);
  ({ page } = app);
  await wearLiteral(page);
  await page.getByRole('radiogroup', { name: 'Layer' }).getByRole('radio', { name: 'floppy' }).click();
});
after(() => stage?.close());

const layer = (name = 'floppy') => page.evaluate((which) => [...window.studio.session.value.layer(which)], name);
const changed = (a, b) => a.reduce((count, value, i) => count + (Math.abs(value - b[i]) > 1e-3), 0);

/** Position of a joint on the screen. */
const onScreen = (name) =>
  page.evaluate((which) => {
    const { session, viewer } = window.studio;
    const { node } = session.value.joints.find((joint) => joint.name === which);
    const at = viewer.project(node.getWorldPosition(viewer.camera.position.clone()));
    const box = viewer.element.getBoundingClientRect();
    return { x: at.x + box.left, y: at.y + box.top };
  }, name);

async function stroke(from, to, keys = []) {
  for (const key of keys) await page.keyboard.down(key);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) {
    await page.mouse.move(from.x + ((to.x - from.x) * i) / 6, from.y + ((to.y - from.y) * i) / 6);
    if (i === 3) await settle(page);
  }
  await page.mouse.up();
  for (const key of keys) await page.keyboard.up(key);
  await settle(page);
}

const undo = async () => {
  await page.keyboard.press('Control+z');
  await settle(page);
};

test('the first stroke on a layer that nobody has painted can be seen, whichever sign', async () => {
  const name = 'squash';
  await page.evaluate(() => window.studio.setKey('effects.squash.layer', 'fresh'));
  await settle(page);
  await page.getByRole('radiogroup', { name: 'Layer' }).getByRole('radio', { name: 'fresh' }).click();
  const at = await onScreen('Head');
  for (const [keys, inside, outside] of [
    [[], 0.5, 0],
    [['Shift'], 0.5, 1],
  ]) {
    await stroke({ x: at.x - 25, y: at.y - 8 }, { x: at.x + 15, y: at.y + 12 }, keys);
    const values = await layer('fresh');
    const most = values.filter((value) => Math.abs(value - outside) < 1e-6).length;
    assert.ok(
      most > values.length / 2 && most < values.length - 20,
      `${values.length - most} of ${values.length} painted`,
    );
    assert.ok(Math.max(...values.map((value) => Math.abs(value - outside))) > inside - 0.1);
    await undo();
  }
  await page.evaluate((layer) => window.studio.setKey('effects.squash.layer', layer), name);
  await page.getByRole('radiogroup', { name: 'Layer' }).getByRole('radio', { name: 'floppy' }).click();
  await settle(page);
});

test('a stroke changes the layer under it and the shape, and is one step back', async () => {
  const at = await onScreen('Head');
  const values = await layer();
  const places = await vertices(page);
  await stroke({ x: at.x - 25, y: at.y - 8 }, { x: at.x + 15, y: at.y + 12 });
  const painted = await layer();
  const count = changed(values, painted);
  assert.ok(count > 20 && count < values.length / 2, `${count} of ${values.length} vertices`);
  assert.ok(
    painted.every((value, i) => value >= values[i] - 1e-6 && value <= 1 && value - values[i] <= 0.5 + 1e-6),
    'no stroke adds more than its strength',
  );
  assert.ok(difference(places, await vertices(page)) > 1e-3, 'the effects see it');
  await picture(page, 'paint-dark');
  await undo();
  assert.equal(changed(values, await layer()), 0);
  assert.ok(difference(places, await vertices(page)) < 1e-5, 'the shape is back');
  await page.keyboard.press('Control+Shift+z');
  await settle(page);
  assert.equal(changed(painted, await layer()), 0, 'done again');
  await undo();
});

/** A hash of the view without brush and messages. */
const bare = async () => {
  await settle(page);
  return page.evaluate(async () => {
    const bytes = new Uint8Array(await (await window.studio.viewer.picture()).arrayBuffer());
    return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join();
  });
};

test('a step of the brush makes no pipeline, and shows the same as a new one', async () => {
  await page.keyboard.press('q'); // the original colors
  const at = await onScreen('Head');
  const plain = await bare();
  await page.mouse.move(at.x - 25, at.y - 8);
  await page.mouse.down();
  await settle(page);
  await page.evaluate(() => {
    const { heap } = window.studio.session.value.engine;
    const { wasm } = heap;
    const counts = { pipeline_create: 0, pipeline_restyle: 0, pipeline_repaint: 0 };
    heap.wasm = { ...wasm, memory: wasm.memory };
    for (const name of Object.keys(counts)) heap.wasm[name] = (...args) => (counts[name]++, wasm[name](...args));
    window.endCount = () => ((heap.wasm = wasm), counts);
  });
  await page.mouse.move(at.x + 15, at.y + 12, { steps: 3 });
  await settle(page);
  const counts = await page.evaluate(() => window.endCount());
  assert.ok(counts.pipeline_repaint > 0 && !counts.pipeline_create && !counts.pipeline_restyle, JSON.stringify(counts));
  await page.mouse.up();
  const painted = await bare();
  assert.notEqual(painted, plain, 'the shader sees it');
  await page.evaluate(() => {
    const { toon } = window.studio.session.value;
    const { style } = toon;
    toon.style = {};
    toon.style = style; // nobody else uses it, so a new pipeline is made
    window.studio.viewer.invalidate();
  });
  assert.equal(await bare(), painted);
  await undo();
  assert.equal(await bare(), plain, 'and undone');
  await page.keyboard.press('q');
});

test('Shift takes away, below 0 in the end; the layer may be cyan', async () => {
  await page.keyboard.press('}');
  const at = await onScreen('Head');
  for (let i = 0; i < 3; i++) await stroke({ x: at.x - 20, y: at.y }, { x: at.x + 10, y: at.y + 4 }, ['Shift']);
  assert.ok(Math.min(...(await layer())) < -0.2);
  for (let i = 0; i < 3; i++) await undo();
  assert.ok(Math.min(...(await layer())) >= 0);
});

test('mirrored, the other side gets the same', async () => {
  const at = await onScreen('EarRight');
  const before = await layer();
  const partners = async () =>
    page.evaluate((first) => {
      const { session } = window.studio;
      const rest = session.value.character.restPositions();
      const now = session.value.layer('floppy');
      let left = 0;
      let right = 0;
      now.forEach((value, u) => {
        const delta = value - first[u];
        if (rest[3 * u] > 0.02) left += delta;
        else if (rest[3 * u] < -0.02) right += delta;
      });
      return { left, right };
    }, before);
  await page.keyboard.press('0'); // towards 0, because the ears are 1
  await stroke(at, { x: at.x + 6, y: at.y + 3 });
  const alone = await partners();
  assert.ok(
    Math.min(Math.abs(alone.left), Math.abs(alone.right)) < 0.1 * Math.max(Math.abs(alone.left), Math.abs(alone.right)),
    `one side only: ${JSON.stringify(alone)}`,
  );
  await undo();
  await page.keyboard.press('Shift+X');
  await stroke(at, { x: at.x + 6, y: at.y + 3 });
  const both = await partners();
  assert.ok(both.left < -1 && both.right < -1 && Math.abs(both.left / both.right - 1) < 0.1, JSON.stringify(both));
  await undo();
  await page.keyboard.press('Shift+X');
  await page.keyboard.press('a');
});

test('keys and wheel change the radius, and Escape takes a stroke back', async () => {
  const radius = page.getByRole('slider', { name: 'Radius' });
  const value = async () => Number(await radius.getAttribute('aria-valuenow'));
  const first = await value();
  const at = await onScreen('Chest');
  await page.keyboard.press(']');
  await until(async () => (await value()) > first, 'the radius does not grow');
  await page.mouse.move(at.x, at.y);
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, 100);
  await page.keyboard.up('Shift');
  await page.waitForFunction(
    (was) =>
      Math.abs(Number(document.querySelector('[role=slider][aria-label=Radius]').getAttribute('aria-valuenow')) - was) <
      0.01,
    first,
  );
  const before = await layer();
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 20, at.y + 5, { steps: 3 });
  await settle(page);
  assert.ok(changed(before, await layer()) > 0);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await settle(page);
  assert.equal(changed(before, await layer()), 0);
});

test('a new layer is filled, smoothed, painted by itself, used by an effect, and goes away', async () => {
  const places = await vertices(page);
  await page.getByRole('textbox', { name: 'Name of a new layer' }).fill('Mine!');
  await page.getByRole('textbox', { name: 'Name of a new layer' }).press('Enter');
  await isTold(page, 'Letters, digits and underscores only');
  await page.getByRole('textbox', { name: 'Name of a new layer' }).fill('mine');
  await page.getByRole('textbox', { name: 'Name of a new layer' }).press('Enter');
  await settle(page);
  assert.ok((await layer('mine')).every((value) => value === 0));
  assert.ok(difference(places, await vertices(page)) < 1e-5, 'a layer that nobody uses changes nothing');
  await page
    .getByRole('group', { name: 'Effects that this layer scales' })
    .getByRole('button', { name: 'Floppy' })
    .click();
  await settle(page);
  assert.equal(await page.evaluate(() => window.studio.store.current.style.effects.floppy.layer), 'mine');
  assert.ok(difference(places, await vertices(page)) > 1e-3, '0 everywhere: floppy is gone');
  await page.getByRole('button', { name: 'Fill', exact: true }).click();
  await settle(page);
  assert.ok((await layer('mine')).every((value) => value === 1));
  await page.getByRole('button', { name: 'Height' }).click();
  await settle(page);
  const height = await layer('mine');
  assert.ok(Math.min(...height) < 0.1 && Math.max(...height) > 0.9);
  await page.locator('.viewport').focus();
  for (let i = 0; i < 4; i++) await undo();
  assert.ok(!(await page.evaluate(() => window.studio.session.value.layerNames)).includes('mine'));
  assert.ok(difference(places, await vertices(page)) < 1e-5);
});

test('a skirt is painted by itself, and a cow has none', async () => {
  const before = await layer();
  await page.getByRole('button', { name: 'Skirt', exact: true }).click();
  await isTold(page, 'There is no skirt');
  assert.deepEqual(await layer(), before);
  const other = await open(stage, { width: 1000, height: 600 });
  await drop(other.page, 'dancer.glb', character('dancer'));
  await other.page.waitForFunction(() => window.studio.session.value?.file.name === 'dancer.glb');
  await choose(other.page, 'p');
  await other.page.getByRole('textbox', { name: 'Name of a new layer' }).fill('hem');
  await other.page.getByRole('textbox', { name: 'Name of a new layer' }).press('Enter');
  await other.page.getByRole('button', { name: 'Skirt', exact: true }).click();
  await settle(other.page);
  const hem = await other.page.evaluate(() => [...window.studio.session.value.layer('hem')]);
  const worn = hem.filter((value) => value > 0.5).length;
  assert.ok(Math.max(...hem) > 0.9 && worn > 50 && worn < 0.5 * hem.length, `${worn} of ${hem.length}`);
  await picture(other.page, 'paint-skirt');
  assert.deepEqual(other.faults(), []);
  await other.close();
});

test('other tools see the character as it was; nothing was said in the console', async () => {
  await choose(page, 'v');
  const worn = await page.evaluate(() =>
    window.studio.session.value.toon.meshes.some((mesh) => mesh.geometry.getAttribute('layer_shown')),
  );
  assert.equal(worn, false);
  assert.deepEqual(app.faults(), []);
});
