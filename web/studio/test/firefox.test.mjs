// The studio and the gallery in Firefox.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../limber/test/browser/browser.mjs';
import { launchFirefox, missing } from '../../limber/test/browser/firefox.mjs';

const skip = missing();
/** The site of the gallery has the studio, too. */
const site = fileURLToPath(new URL('../../gallery/dist', import.meta.url));
let server, firefox;
before(async () => {
  if (skip) return;
  server = await serve({ '/': site });
  firefox = await launchFirefox();
});
after(async () => {
  await firefox?.close();
  await server?.close();
});

/** The picture of the view, as text. */
const picture = () => firefox.evaluate(() => window.studio.viewer.shoot().toDataURL());

test('the studio opens a character and plays it', { skip }, async () => {
  await firefox.goto(`${server.address}studio/?character=dog&clip=jump&style=cartoon`);
  await firefox.until(() => document.documentElement.dataset.ready);
  const first = await firefox.evaluate(() => [window.studio.store.current.file.name, window.studio.player.time.value]);
  assert.equal(first[0], 'dog.glb');
  const before = await picture();
  await firefox.evaluate(() => document.querySelector('.viewport').focus());
  await firefox.evaluate(() => (window.studio.player.playing.value = true));
  await firefox.until((time) => window.studio.player.time.value > time + 0.2, first[1]);
  await firefox.evaluate(() => (window.studio.player.playing.value = false));
  const after = await picture();
  assert.ok(before.length > 1000 && before !== after, 'the picture stays the same');
  assert.deepEqual(await firefox.faults(), []);
});

test('the gallery draws what is on the screen', { skip }, async () => {
  await firefox.goto(server.address);
  await firefox.until(() => document.getElementById('face').dataset.drawn);
  const seen = await firefox.evaluate(() => window.gallery.tiles.filter(({ visible }) => visible).length);
  assert.ok(seen > 0 && seen < 10);
  assert.deepEqual(await firefox.faults(), []);
});
