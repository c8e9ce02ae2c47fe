// Sharing: links to styles, style files that are dropped or pasted, comparison of two styles, before-and-after films.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../limber/test/browser/browser.mjs';
import {
  becomes,
  choose,
  difference,
  drop,
  isTold,
  open,
  pause,
  picture,
  ready,
  settle,
  start,
  turn,
  until,
} from './help/kit.mjs';

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage);
  ({ page } = app);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await pause(page);
});
after(async () => {
  assert.deepEqual(app?.faults(), []);
  await stage?.close();
});

const style = (from = page) => from.evaluate(() => window.studio.store.current.style);
const wear = (one) => page.evaluate((next) => window.studio.changeStyle('Style of the test', () => next), one);
const message = (kind) => page.locator(`.message.${kind}`);
const short = { limber: 1, effects: { floppy: { angular: 0.25 } } };
const long = () => page.evaluate(() => window.studio.engine.parseStyle('rubberhose'));

/** Copies the link with the menu of the file button. */
async function copyLink() {
  await page.locator('.file-button').click();
  await page.getByRole('menuitem', { name: 'Copy link to style' }).click();
  await isTold(page, 'Link copied');
  return page.evaluate(() => navigator.clipboard.readText());
}

for (const [name, how, mark] of [
  ['short', () => short, '#style='],
  ['long', long, '#style-z='],
])
  test(`a link to a ${name} style opens the studio with it, and a reload keeps later edits`, async () => {
    const wanted = await how();
    await wear(wanted);
    const link = await copyLink();
    assert.ok(link.includes(mark), link);
    assert.ok(link.length < 2000, `${link.length} characters`);
    const other = await page.context().newPage();
    const asked = [];
    other.on('request', (request) => asked.push(request.url()));
    await other.goto(link);
    await ready(other);
    assert.deepEqual(await style(other), wanted);
    assert.equal(new URL(other.url()).hash, '');
    assert.ok(asked.every((url) => !url.includes('style')));
    await other.evaluate(async () => {
      window.studio.player.playing.value = false;
      window.studio.setKey('effects.floppy.angular', 0.125);
      await window.studio.saveNow();
    });
    await other.reload();
    await ready(other);
    assert.equal((await style(other)).effects.floppy.angular, 0.125);
    await other.close();
  });

test('a wrong link gives one clear line and changes nothing', async () => {
  const before = JSON.stringify(await style());
  for (const [hash, why] of [
    ['#style=%7B%22limber', /effects|expected|end|JSON|object|cannot/i],
    ['#style-z=AAAA', /link cannot be read/],
    ['#style-z=%%%', /link cannot be read/],
    [`#style=${encodeURIComponent('{"effects": {"flopy": {}}}')}`, /flopy/],
  ]) {
    await page.evaluate((next) => (window.location.hash = next), hash);
    await becomes(
      () =>
        message('error')
          .allTextContents()
          .then((all) => all.join('|')),
      why,
    );
    assert.equal(await message('error').count(), 1);
    assert.equal(JSON.stringify(await style()), before);
    await message('error').getByRole('button', { name: 'Close' }).click();
    await message('error').waitFor({ state: 'detached' });
  }
});

test('a wrong style in the address gives one clear line, and the character is there', async () => {
  const other = await page.context().newPage();
  await other.goto(`${stage.server.address}?character=ball&style=${encodeURIComponent('{"effects": {"flopy": {}}}')}`);
  await ready(other);
  await other.locator('.message.error').getByText('The style in the address cannot be used').waitFor();
  assert.equal(await other.evaluate(() => window.studio.store.current.file.name), 'ball.glb');
  await other.close();
});

test('a style file can be dropped, with comments; a wrong one is refused; a link can be pasted', async () => {
  const text = '// of a friend\n{"limber": 1, "effects": {"squash": {"linear": 0.2}}}';
  await drop(page, 'friend.style.json', Buffer.from(text));
  await until(async () => (await style()).effects?.squash?.linear === 0.2, 'the style is not applied');
  assert.equal(await page.evaluate(() => window.studio.store.history.value.undo), 'Apply friend.style.json');
  await drop(page, 'wrong.json', Buffer.from('{"effects": {"squish": {}}}'));
  await message('error').getByText('wrong.json cannot be used').waitFor();
  assert.equal((await style()).effects.squash.linear, 0.2);
  // What it says about joints of another character is left out.
  const foreign = { limber: 1, effects: { floppy: { angular: 0.5 } }, joints: { Tentacle7: { floppy: 2 } } };
  await drop(page, 'foreign.json', Buffer.from(JSON.stringify(foreign)));
  await until(async () => (await style()).effects?.floppy?.angular === 0.5, 'the style is not applied');
  assert.equal((await style()).joints, undefined);
  await page.evaluate(
    (pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', pasted);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    },
    `https://elsewhere.example/studio/#style=${encodeURIComponent(JSON.stringify(short))}`,
  );
  await until(async () => (await style()).effects?.floppy?.angular === 0.25, 'the link is not applied');
});

/** Vertices of the compared character and of a style on the same frame. */
const compared = (wanted) =>
  page.evaluate((one) => {
    const { session, store, player } = window.studio;
    const { pipeline, clip } = session.value.pipeline(store.current.clip);
    const trial = pipeline.character.pipeline(one);
    const { positions } = trial.evaluate(clip, player.time.value);
    trial.dispose();
    return { shown: [...session.value.plainToon.positions()], wanted: [...positions] };
  }, wanted);

test('two styles are compared side by side; the label says with what', async () => {
  await page.evaluate(() => {
    window.studio.viewer.compare.value = 'split';
    window.studio.player.seek(0.4);
  });
  await until(() => page.evaluate(() => window.studio.session.value.plainReady), 'there is no plain character');
  await settle(page);
  const plain = await compared({});
  assert.ok(difference(plain.shown, plain.wanted) < 1e-4);
  await page.getByRole('button', { name: 'Plain' }).click();
  await page.getByRole('menuitem', { name: 'jelly' }).click();
  await becomes(() => page.locator('.view-label.plain').textContent(), 'jelly');
  await until(() => page.evaluate(() => 'effects' in window.studio.session.value.comparison), 'still plain');
  await settle(page);
  const jelly = await compared('jelly');
  assert.ok(difference(jelly.shown, jelly.wanted) < 1e-4);
  assert.ok(difference(jelly.shown, plain.shown) > 1e-3);
  await picture(page, 'compare-styles');
  // The comparison follows to another character.
  await page.evaluate(() => window.studio.openBuiltIn('flower'));
  await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'flower');
  await until(
    () => page.evaluate(() => JSON.stringify(window.studio.session.value.comparison) !== '{}'),
    'the comparison is plain again',
  );
  await page.locator('.view-label.plain').click();
  await page.getByRole('menuitem', { name: 'Plain animation' }).click();
  await becomes(() => page.locator('.view-label.plain').textContent(), 'Plain');
});

test('what is shown can be copied as code, and the C compiles', async () => {
  await choose(page, 'x');
  const copied = async (name) => {
    await page.getByRole('button', { name: 'Copy as code' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
    await isTold(page, `${name} copied`);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  assert.deepEqual(JSON.parse(await copied('Style as JSON')), await style());
  const three = await copied('three.js');
  assert.match(three, /from 'limber\/three'[^]*loadAsync\("\w+\.glb"\)[^]*toon\.update\(dt\)/);
  const c = await copied('C');
  const checked = spawnSync(
    'cc',
    ['-std=c11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-Iinclude', '-xc', '-'],
    {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      input: c,
    },
  );
  assert.equal(checked.status, 0, `${checked.stderr}\n${c}`);
});

test('the page is an app that works offline, under any path', async () => {
  const dist = process.env.LIMBER_STUDIO_DIST ?? fileURLToPath(new URL('../dist', import.meta.url));
  const server = await serve({ '/deep/down': dist });
  const context = await stage.browser.newContext({ reducedMotion: 'reduce', viewport: { width: 500, height: 400 } });
  const other = await context.newPage();
  await other.goto(`${server.address}deep/down/?offline`);
  await ready(other);
  const manifest = await other.evaluate(async () => {
    const { href } = document.querySelector('link[rel=manifest]');
    return { ...(await (await fetch(href)).json()), href };
  });
  assert.equal(new URL(manifest.start_url, manifest.href).pathname, '/deep/down/');
  assert.equal(manifest.display, 'standalone');
  await other.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active !== null));
  await until(
    () => other.evaluate(() => navigator.serviceWorker.controller !== null),
    'the service worker does not take over',
  );
  await server.close();
  await context.setOffline(true);
  await other.reload();
  await ready(other);
  assert.equal(await other.evaluate(() => window.studio.openBuiltIn('ball')), true);
  await context.close();
});

test('a film of before and after has both panes, whatever the view shows, and leaves the view as it was', async () => {
  await page.evaluate(() => {
    const { studio } = window;
    studio.viewer.compare.value = 'off';
    studio.changeStyle('Style of the test', () => studio.engine.parseStyle('jelly'));
    window.comparisons = [];
    studio.viewer.compare.listen((now) => window.comparisons.push(now));
  });
  await choose(page, 'x');
  await page.getByRole('radio', { name: /Frames as PNG/ }).click();
  await turn(page.getByRole('switch', { name: 'Before and after' }), true);
  await page.getByRole('slider', { name: 'Frame rate' }).last().focus();
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save film' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /-before-after-frames\.zip$/);
  const bytes = fs.readFileSync(await download.path());
  assert.equal(bytes.readUInt32LE(0), 0x04034b50);
  await becomes(() => page.evaluate(() => window.comparisons.join()), 'split,off');
});
