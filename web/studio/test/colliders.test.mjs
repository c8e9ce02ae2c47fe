// Colliders in the studio: drawn as wires where the engine has them, and avatars (.vrm) can be opened.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { character, drop, editedGlb, open, pause, picture, settle, start, until, view } from './help/kit.mjs';

const STRONG = { limber: 1, colliders: 'auto', compose: 'chain', effects: { overlap: { gain: 6, max: 60 } } };

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage);
  ({ page } = app);
  await pause(page);
  await page.evaluate(async () => {
    window.studio.viewer.compare.value = 'off';
    await window.studio.openBuiltIn('hero');
  });
  await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'hero');
  await wear(STRONG);
  await page.evaluate(() => window.studio.player.seek(0.4));
});
after(() => stage?.close());

const wear = async (style) => {
  await page.evaluate((one) => window.studio.changeStyle('Style of the test', () => one), style);
  await settle(page);
};

/** The wires: how many ends of lines, and how far the farthest is from the nearest axis of a collider, in radii. */
const wires = () =>
  page.evaluate(() => {
    const { viewer, session } = window.studio;
    const lines = viewer.helpers.children.find((one) => one.isLineSegments);
    if (!lines.visible) return { count: 0 };
    const places = lines.geometry.getAttribute('position');
    const colliders = session.value.toon.colliders();
    const away = (p, { from, to, radius }) => {
      const along = to.map((value, i) => value - from[i]);
      const square = along.reduce((sum, value) => sum + value * value, 0);
      const part = along.reduce((sum, value, i) => sum + value * (p[i] - from[i]), 0) / (square || 1);
      const clamped = Math.min(Math.max(part, 0), 1);
      return Math.hypot(...p.map((value, i) => value - from[i] - clamped * along[i])) / radius;
    };
    let off = 0;
    for (let u = 0; u < places.count; u++) {
      const p = [places.getX(u), places.getY(u), places.getZ(u)];
      off = Math.max(off, Math.min(...colliders.map((one) => Math.abs(away(p, one) - 1))));
    }
    return { count: places.count, colliders: colliders.length, off };
  });

test('a switch shows colliders as wires around the bones', async () => {
  assert.equal((await wires()).count, 0);
  const before = await view(page);
  await page.getByRole('switch', { name: 'Show colliders' }).click();
  await settle(page);
  const { count, colliders, off } = await wires();
  assert.ok(colliders > 10 && count > 100 * colliders, `${colliders} colliders, ${count} ends`);
  assert.ok(off < 0.02, `a wire is ${off} radii off`);
  assert.notDeepEqual(await view(page), before);
  const list = page.locator('.outliner .section', { has: page.getByRole('switch', { name: 'Show colliders' }) });
  await list.locator('summary').click();
  assert.equal(await list.locator('li').count(), colliders);
  await picture(page, 'colliders');
});

test('they go along with the effects, and the GPU draws the skin', async () => {
  const moved = await page.evaluate(() => {
    const { session, engine } = window.studio;
    const { toon, size } = session.value;
    const styled = toon.colliders();
    const { style } = toon;
    toon.style = engine.parseStyle({ colliders: 'auto' });
    const plain = toon.colliders();
    toon.style = style;
    const most = Math.max(...styled.map(({ to }, i) => Math.hypot(...to.map((v, k) => v - plain[i].to[k]))));
    return { most: most / size, on: toon.computed.on };
  });
  assert.ok(moved.most > 0.003, `${moved.most} of the size`);
  assert.equal(moved.on, 'gpu');
});

test('without colliders in the style, those of "auto" are shown; spheres and planes have wires, too', async () => {
  await wear({ ...STRONG, colliders: 'none' });
  assert.ok((await wires()).count > 1000);
  const joint = 'Head';
  const colliders = [{ sphere: { joint, radius: 0.2 } }, { plane: { point: [0, 0, -0.3], normal: [0, 0, 1] } }];
  await wear({ ...STRONG, colliders });
  const { count, colliders: found } = await wires();
  assert.equal(found, 2);
  assert.ok(count > 100);
  await picture(page, 'colliders-own');
  await page.locator('.viewport').focus();
  await page.keyboard.press('Shift+B');
  await settle(page);
  assert.equal((await wires()).count, 0);
});

test('a dropped .vrm is shown, and the picker accepts it', async () => {
  const avatar = editedGlb(character('toon'), (json) => {
    json.extensionsUsed = [...(json.extensionsUsed ?? []), 'VRM'];
    json.extensions = { ...json.extensions, VRM: { specVersion: '0.0' } };
  });
  await drop(page, 'avatar.vrm', avatar);
  await page.waitForFunction(() => window.studio.session.value?.file.name === 'avatar.vrm');
  await until(async () => (await page.locator('.tree-row').count()) > 20, 'no joints');
  assert.match(await page.locator('input[type=file]').first().getAttribute('accept'), /\.vrm/);
  assert.deepEqual(app.faults(), []);
});
