// The hold tool: contacts and rigid parts are shown, and a click corrects them.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { becomes, choose, isTold, open, pause, picture, settle, start, until } from './help/kit.mjs';

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage);
  ({ page } = app);
  await pause(page);
  await page.evaluate(() => (window.studio.viewer.compare.value = 'off'));
  await character('toon', 'run');
  await choose(page, 'h');
});
after(async () => {
  assert.deepEqual(app?.faults(), []);
  await stage?.close();
});

const style = () => page.evaluate(() => window.studio.store.current.style);
const wear = (one) => page.evaluate((next) => window.studio.changeStyle('Style of the test', () => next), one);

async function character(name, clip) {
  await page.evaluate((one) => window.studio.openBuiltIn(one), name);
  await page.waitForFunction((one) => window.studio.session.value?.file.builtIn === one, name);
  await page.evaluate((one) => {
    const { studio } = window;
    studio.setClip(
      Math.max(
        studio.session.value.clips.findIndex((each) => each.name === one),
        0,
      ),
    );
    studio.viewer.frame();
  }, clip);
  await settle(page);
}

/** What stands in the clip with the style, by joint name: [[from, to], ...]. */
const contacts = () =>
  page.evaluate(() => {
    const { session, store } = window.studio;
    const { pipeline, clip } = session.value.pipeline(store.current.clip);
    const holds = pipeline.holds(clip);
    const found = {};
    for (const { joint, from, to } of holds.contacts) (found[session.value.joints[joint].name] ??= []).push([from, to]);
    holds.dispose();
    return found;
  });

/**
 * A point of the view (CSS pixels of the page) where the surface belongs to a vertex that `wanted` (a function) accepts:
 * well inside of it, if there is such a point.
 */
const place = (wanted, argument) =>
  page.evaluate(
    ([text, value]) => {
      const { viewer, picker } = window.studio;
      const accept = new Function('vertex', 'studio', 'value', `return (${text})(vertex, studio, value)`);
      const box = viewer.element.getBoundingClientRect();
      const fits = (x, y) => {
        const hit = picker.hit(viewer.ray(x, y));
        return hit && accept(hit.vertex, window.studio, value);
      };
      let first;
      for (let y = 4; y < box.height - 40; y += 5)
        for (let x = 4; x < box.width; x += 5) {
          if (!fits(x, y)) continue;
          first ??= [box.left + x, box.top + y];
          if (fits(x - 4, y) && fits(x + 4, y) && fits(x, y - 4) && fits(x, y + 4)) return [box.left + x, box.top + y];
        }
      return first;
    },
    [wanted.toString(), argument],
  );

const OF_JOINT = (vertex, studio, name) =>
  studio.session.value.joints[studio.picker.jointOfVertex(vertex)].name === name;

/** Colors of the vertices as the tool shows them. */
const shown = (vertexOf) =>
  page.evaluate((text) => {
    const { session, picker } = window.studio;
    const accept = new Function('vertex', 'studio', `return (${text})(vertex, studio)`);
    const { toon, character } = session.value;
    void picker;
    const colors = new Set();
    toon.meshes.forEach((mesh, i) => {
      const values = mesh.geometry.getAttribute('hold_shown');
      for (let u = 0; values && u < values.count; u++)
        if (accept(character.meshes[i].firstVertex + u, window.studio))
          colors.add([values.getX(u), values.getY(u), values.getZ(u)].map((one) => one.toFixed(2)).join());
    });
    return [...colors];
  }, vertexOf.toString());

const row = (text) => page.locator('.corrections li', { hasText: text });

test('what stands is colored, with a legend and its times on the timeline', async () => {
  const found = await contacts();
  const [name] = Object.keys(found);
  const [from, to] = found[name][0];
  await page.evaluate((time) => window.studio.player.seek(time), (from + to) / 2);
  await settle(page);
  const colors = (await shown(() => true)).map((one) => one.split(',').map(Number));
  assert.ok(colors.some(([r, g]) => r > g + 0.3)); // red: held
  assert.ok(colors.some(([r, g]) => Math.abs(r - g) < 0.02)); // gray: free
  await becomes(() => page.locator('.hold-tool .legend:visible').textContent(), /stands on the ground/);
  await page.locator('.lane', { hasText: 'Stands' }).waitFor();
  await picture(page, 'hold-contacts');
});

test('a click says that a foot does not stand, a second one takes that back, and undo works', async () => {
  await wear({ limber: 1, contact: 1, effects: { overlap: {} } });
  const found = await contacts();
  const name = Object.keys(found).find((one) => /Foot|Toe/.test(one));
  const time = found[name][0][0] / 2 + found[name][0][1] / 2;
  await page.evaluate((at) => window.studio.player.seek(at), time);
  await settle(page);
  const at = await place(OF_JOINT, name);
  assert.ok(at, `${name} is in view`);
  await page.mouse.click(...at);
  await until(async () => (await style()).contacts, 'no correction');
  const [correction] = (await style()).contacts;
  assert.equal(correction.joint, name);
  assert.equal(correction.clip, 'run');
  assert.equal(correction.amount, 0);
  const stands = async () => ((await contacts())[name] ?? []).some(([from, to]) => time > from && time < to);
  assert.equal(await stands(), false);
  await row('does not stand').waitFor();
  await picture(page, 'hold-corrected');
  await page.mouse.click(...at);
  await until(async () => !(await style()).contacts, 'the correction stays');
  assert.equal(await stands(), true);
  await page.keyboard.press('Control+z');
  await until(async () => (await style()).contacts?.length === 1, 'not undone');
  await page.keyboard.press('Control+z');
  await until(async () => !(await style()).contacts, 'not undone');
});

test('a click on a hand says that it holds on, for the clip or for all clips; contacts are switched on', async () => {
  await wear({ limber: 1, effects: { overlap: {} } });
  const joint = await page.evaluate(
    () => window.studio.session.value.joints.find(({ name }) => /Hand|LowerArm|Arm/i.test(name)).name,
  );
  const at = await place(OF_JOINT, joint);
  await page.getByRole('radio', { name: 'All clips' }).click();
  await page.mouse.click(...at);
  await until(async () => (await style()).contacts, 'no correction');
  assert.deepEqual((await style()).contacts, [{ joint, amount: 1 }]);
  assert.equal((await style()).contact, 1);
  assert.ok((await contacts())[joint]);
  await row(joint).getByRole('button').click();
  await until(async () => !(await style()).contacts, 'the correction stays');
  await page.getByRole('radio', { name: 'This contact only' }).click();
});

test('corrections outlive a preset and a reload', async () => {
  await wear({ limber: 1, contact: 1, contacts: [{ joint: 'Leg*', clip: 'run', amount: 0 }] });
  await page.locator('[data-preset=jelly]').click();
  await until(async () => (await style()).effects?.overlap, 'no preset');
  assert.equal((await style()).contacts.length, 1);
  await page.evaluate(() => window.studio.saveNow());
  await page.reload();
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  await pause(page);
  assert.equal((await style()).contacts[0].clip, 'run');
  await choose(page, 'h');
  await row('does not stand').waitFor();
});

test('rigid parts are colored; a click lets one bend, and a second one keeps it stiff again', async () => {
  await character('cow');
  await wear({ limber: 1, rigid: 'auto', effects: { overlap: {} } });
  await page.getByRole('radio', { name: /Parts that keep/ }).click();
  await settle(page);
  const count = () =>
    page.evaluate(() => {
      const { session, store } = window.studio;
      return session.value.pipeline(store.current.clip).pipeline.rigidParts().parts.length;
    });
  const all = await count();
  assert.ok(all > 1);
  const RIGID = (vertex, { session, store }) =>
    session.value.pipeline(store.current.clip).pipeline.rigidParts().ofVertex[vertex] >= 0;
  const at = await place(RIGID);
  await picture(page, 'hold-rigid');
  await page.mouse.click(...at);
  await until(async () => typeof (await style()).rigid === 'object', 'nothing is excluded');
  assert.equal((await style()).rigid.except.length, 1);
  assert.ok((await count()) < all);
  await picture(page, 'hold-rigid-loose');
  await page.mouse.click(...at);
  await until(async () => (await style()).rigid === 'auto', 'still excluded');
  assert.equal(await count(), all);
  await wear({ limber: 1, effects: { overlap: {} } });
  await page.mouse.click(...at);
  await until(async () => (await style()).rigid?.only?.length === 1, 'not chosen');
  assert.ok((await count()) > 0 && (await count()) <= all);
});

test('what a part is can be corrected in the list; a click with Shift finds it there', async () => {
  await character('toon', 'jump');
  await wear({ limber: 1, rigid: 'auto', effects: { overlap: { gain: 3 } } });
  await page.getByRole('radio', { name: /Parts that keep/ }).click();
  await settle(page);
  const kinds = () =>
    page.evaluate(() => {
      const { session, store } = window.studio;
      const { pipeline } = session.value.pipeline(store.current.clip);
      return pipeline.rigidParts().parts.map(({ joint, kind }) => `${session.value.joints[joint].name} ${kind}`);
    });
  const found = await kinds();
  assert.ok(found.includes('Hat mass') && found.includes('HandLeft prop') && found.includes('Hips rider'), `${found}`);
  const hat = page.getByLabel(/^What .* on Hat is$/).first();
  /** A point in the view on the part of a joint. */
  const onPart = async (joint) => {
    const vertices = await page.evaluate((name) => {
      const { session, store } = window.studio;
      const { parts, ofVertex } = session.value.pipeline(store.current.clip).pipeline.rigidParts();
      return [...ofVertex].map((one) => one >= 0 && session.value.joints[parts[one].joint].name === name);
    }, joint);
    return place((vertex, studio, all) => all[vertex], vertices);
  };
  const at = await onPart('Hat');
  await page.mouse.click(...at);
  await until(async () => typeof (await style()).rigid === 'object', 'it does not bend');
  await page.mouse.click(...at);
  await until(async () => (await style()).rigid === 'auto', 'it bends');
  await page.keyboard.down('Shift');
  await page.mouse.click(...at);
  await page.keyboard.up('Shift');
  await becomes(() => hat.evaluate((one) => one === document.activeElement), true);
  assert.equal((await style()).rigid, 'auto', 'it is only found');
  await hat.selectOption('appendage');
  await until(async () => (await kinds()).includes('Hat appendage'), 'it is what it was');
  assert.deepEqual((await style()).rigid, { appendage: ['Hat'] });
  await becomes(() => hat.locator('option').first().textContent(), 'Found: mass');
  await picture(page, 'hold-kinds');
  const hand = page.getByLabel(/^What .* on HandLeft is$/);
  await hand.selectOption('mass');
  await until(async () => (await kinds()).includes('HandLeft mass'), 'it is what it was');
  assert.deepEqual((await style()).rigid, { mass: ['HandLeft'], appendage: ['Hat'] });
  await page.locator('.viewport').focus();
  await page.keyboard.press('Control+z');
  await until(async () => (await kinds()).includes('HandLeft prop'), 'not undone');
  await page.mouse.click(...(await onPart('HandRight')));
  await until(async () => (await style()).rigid.except, 'it does not bend');
  assert.deepEqual((await style()).rigid, { except: ['HandRight'], appendage: ['Hat'] });
  await hat.selectOption('');
  await until(async () => (await kinds()).includes('Hat mass'), 'it is not what was found');
  assert.deepEqual((await style()).rigid, { except: ['HandRight'] });
  await character('cow');
});

test('the body is not made stiff by a click', async () => {
  const before = JSON.stringify(await style());
  const SKIN = (vertex, { session, store }) =>
    session.value.pipeline(store.current.clip).pipeline.character.rigidParts().ofVertex[vertex] < 0;
  await page.mouse.click(...(await place(SKIN)));
  await isTold(page, 'This is the body');
  assert.equal(JSON.stringify(await style()), before);
});

test('colliders have a switch and wires; leaving the tool restores the view', async () => {
  await page.locator('.viewport').focus();
  await page.keyboard.press('3');
  await page.getByRole('switch', { name: 'Skin stays out' }).click();
  await until(async () => (await style()).colliders === 'auto', 'no colliders');
  assert.equal(await page.evaluate(() => window.studio.showColliders.value), true);
  await picture(page, 'hold-colliders');
  await page.keyboard.press('v');
  await settle(page);
  assert.equal(await page.evaluate(() => window.studio.showColliders.value), false);
  assert.deepEqual(await shown(() => true), []);
});

test('keys of the ground, of rigid parts and the strength have rows in the style panel', async () => {
  const missing = await page.evaluate(() => {
    const shown = new Set([...document.querySelectorAll('.style-panel .key-row')].map((one) => one.dataset.path));
    return [
      'strength',
      'rigid',
      'contact',
      'floor',
      'contacts',
      'impact.gain',
      'impact.min_speed',
      'colliders',
      'wind',
      'gravity',
      'compose',
    ].filter((path) => !shown.has(path));
  });
  assert.deepEqual(missing, []);
});
