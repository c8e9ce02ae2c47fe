// Every built-in material, custom shaders, normals, tangents and shadows, in Chromium.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { stage } from './browser.mjs';

let show, inPage;
before(async () => {
  show = await stage();
  inPage = (name, ...args) =>
    show.page.evaluate(
      async ([call, rest]) => (await import('/limber/test/browser/materials.js'))[call](...rest),
      [name, args],
    );
});
after(() => show.close());

const LIMIT = 2e-4;
const all = Boolean(process.env.LIMBER_TEST_LONG);

test('vertices are where the engine has them in every material, with morph targets', async () => {
  const rows = await inPage('compareMaterials', all);
  assert.ok(Object.keys(rows).length === (all ? 14 : 10));
  for (const [title, { most, count }] of Object.entries(rows))
    assert.ok(most < LIMIT && count > 300, `${title}: ${most}, ${count} vertices`);
  assert.deepEqual(show.faults, []);
});

test('hats, several materials, mirrored and detached meshes', async () => {
  for (const [title, { most, count }] of Object.entries(await inPage('compareOthers')))
    assert.ok(most < LIMIT && count > 300, `${title}: ${most}, ${count} vertices`);
  assert.deepEqual(show.faults, []);
});

test("normals follow the surface as the engine's do, tangents lead along it", async () => {
  const { normals, mirrored, tangents } = await inPage('compareFrames');
  assert.ok(normals < 0.01, `${normals} of the normals differ`);
  assert.ok(mirrored < 0.01, `${mirrored} of the mirrored normals differ`);
  assert.ok(tangents < 0.02, `${tangents} of the tangents differ`);
});

for (const kind of ['directional', 'point'])
  test(`shadows of a ${kind} light follow the deformation`, async () => {
    const { shadow, deformed, plain } = await inPage('compareShadow', kind);
    assert.ok(shadow > 300 && deformed > 0.85 && plain < 0.75, JSON.stringify({ shadow, deformed, plain }));
    assert.deepEqual(show.faults, []);
  });

test('what is seen is drawn, what is not is culled', async () => {
  const { there, away } = await inPage('culling');
  assert.ok(there > 0 && away === 0, `${there}, ${away}`);
});
