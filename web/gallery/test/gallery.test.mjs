// The gallery in Chromium, as any static host would serve it: from a folder below the root.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findings } from '../../limber/test/browser/axe.mjs';
import { launch, openPage, serve } from '../../limber/test/browser/browser.mjs';
import { becomes, until } from '../../studio/test/help/kit.mjs';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const FOLDER = '/some/where/';
let server;
let browser;
before(async () => {
  if (!fs.existsSync(path.join(dist, 'sw.js')))
    throw new Error('web/gallery/dist is not there: build it with ./dev web');
  server = await serve({ [FOLDER]: dist });
  browser = await launch();
});
after(async () => {
  await browser.close();
  await server.close();
});

/** Opens the gallery with a tile per screen: drawing without a graphics card is slow. Nothing plays by itself. */
async function open(options = {}) {
  const viewport = { width: 300, height: 260 };
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...options });
  const hosts = new Set();
  context.on('request', (request) => hosts.add(new URL(request.url()).host));
  const { page, faults } = await openPage(context, new URL(FOLDER, server.address).href);
  await page.waitForFunction(() => window.gallery);
  return { context, page, faults, hosts };
}

const slider = (page, id) => page.locator(`#${id} [role=slider]`);
const wipeOf = async (page, id) => Number(await slider(page, id).getAttribute('aria-valuenow'));

/** Scrolls to a tile and waits until it has been drawn. */
async function visit(page, id) {
  await page.evaluate(
    (one) => document.getElementById(one).scrollIntoView({ block: 'center', behavior: 'instant' }),
    id,
  );
  await page.waitForSelector(`#${id}[data-drawn], #${id}[data-state=failed]`);
  assert.equal(await page.getAttribute(`#${id}`, 'data-state'), 'ready', await page.textContent(`#${id}`));
}

/** Which pixels of a tile are not its background, as the character and its shadow. */
const figure = (page, id) =>
  page.evaluate((one) => {
    const canvas = document.querySelector(`#${one} canvas`);
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const differs = (_, i) => [0, 1, 2].some((k) => Math.abs(data[4 * i + k] - data[k]) > 12);
    return Array.from({ length: width * height }, (_, i) => (differs(_, i) ? 1 : 0));
  }, id);

test('each exhibit shows a character, and the style changes its shape', async () => {
  const { page, faults, context } = await open();
  const ids = await page.evaluate(() => window.gallery.tiles.map(({ element }) => element.id));
  assert.ok(ids.length > 20);
  for (const id of ids) {
    await visit(page, id);
    await slider(page, id).focus();
    await page.keyboard.press('End');
    await becomes(() => wipeOf(page, id), 100); // which is said when it is drawn
    const plain = await figure(page, id);
    await page.keyboard.press('Home');
    await becomes(() => wipeOf(page, id), 0);
    const styled = await figure(page, id);
    const seen = plain.reduce((sum, value) => sum + value, 0);
    const changed = plain.reduce((sum, value, i) => sum + (value !== styled[i] ? 1 : 0), 0);
    assert.ok(seen > 0.03 * plain.length, `${id}: no character in ${seen} of ${plain.length} pixels`);
    assert.ok(changed > 0.002 * plain.length, `${id}: the style changes ${changed} of ${plain.length} pixels`);
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test('every capability has its exhibit; the dog of a rig with inverse kinematics has paws on its root', async () => {
  const { page, context } = await open();
  const ids = await page.evaluate(() => window.gallery.tiles.map(({ element }) => element.id));
  const wanted = ['timing', 'pose', 'body', 'stone', 'rigged', 'animals', 'borrowed', 'drawn'];
  assert.deepEqual(
    wanted.filter((id) => !ids.includes(id)),
    [],
  );
  await visit(page, 'rigged');
  const { nodes } = await page.evaluate(async () => {
    const bytes = await (await fetch('./studio/characters/rigged.glb')).arrayBuffer();
    const length = new DataView(bytes).getUint32(12, true);
    return JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length)));
  });
  const below = nodes.find(({ name }) => name === 'Root').children.map((child) => nodes[child].name);
  assert.equal(below.filter((name) => /Paw/.test(name)).length, 4);
  await context.close();
});

test('a poster is there before a scene is drawn, and no code is cut off at 420 pixels', async () => {
  const { page, context } = await open({ viewport: { width: 420, height: 700 } });
  const ids = await page.evaluate(() => window.gallery.tiles.map(({ element }) => element.id));
  const missing = ids.filter((id) => !fs.existsSync(path.join(dist, 'posters', `${id}.webp`)));
  assert.deepEqual(missing, []); // scripts/posters.mjs makes them
  await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('pre')]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.ariaLabel),
  );
  assert.deepEqual(cut, []);
  await visit(page, 'timing');
  assert.equal(await page.locator('#timing .poster').count(), 0); // the picture itself is there
  assert.equal(await page.locator('#lines .poster').count(), 1); // nobody has looked at it yet
  await context.close();
});

test('the wipe follows the mouse, a finger and the arrow keys', async () => {
  const { page, context } = await open({ hasTouch: true });
  await visit(page, 'squash');
  const box = await slider(page, 'squash').boundingBox();
  const at = (part) => [box.x + part * box.width, box.y + box.height / 2];
  const isNear = (part) =>
    until(async () => Math.abs((await wipeOf(page, 'squash')) - part) <= 1, `the wipe is not at ${part} %`);
  await page.mouse.move(...at(0.25));
  await isNear(25);
  await page.touchscreen.tap(...at(0.75));
  await isNear(75);
  await slider(page, 'squash').focus();
  const before = await wipeOf(page, 'squash');
  await page.keyboard.press('ArrowLeft');
  await becomes(() => wipeOf(page, 'squash'), before - 5);
  await context.close();
});

test('with reduced motion nothing plays until asked', async () => {
  const { page, context } = await open();
  await visit(page, 'impact');
  const drawn = () => page.getAttribute('#impact', 'data-drawn');
  const frames = (count) =>
    page.evaluate(async (n) => {
      for (let i = 0; i < n; i++) await new Promise((next) => requestAnimationFrame(next));
    }, count);
  await frames(3);
  const still = await drawn();
  await frames(5);
  assert.equal(await drawn(), still);
  await page.click('#impact .play');
  await page.waitForFunction((old) => Number(document.getElementById('impact').dataset.drawn) > old + 3, Number(still));
  await context.close();
});

test('after the first visit it works offline, and no request leaves the host', async () => {
  const { page, context, hosts, faults } = await open();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await page.reload();
  await page.waitForFunction(() => window.gallery);
  await visit(page, 'wind');
  const link = await page.getAttribute('#wind .words a.quiet', 'href');
  const kept = await page.evaluate(
    (names) => Promise.all(names.map((name) => fetch(name).then(({ ok }) => ok))),
    [link, 'studio/characters/giraffe.glb', 'NOTICES.txt'],
  );
  assert.deepEqual(kept, [true, true, true]);
  assert.deepEqual([...hosts], [new URL(server.address).host]);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a link of the gallery opens its character, clip and style in the studio', async () => {
  const { page, context } = await open();
  const link = await page.getAttribute('#floppy .words a.quiet', 'href');
  await page.goto(new URL(link, page.url()).href);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  const found = await page.evaluate(() => {
    const { file, clip, style } = window.studio.store.current;
    return [file.builtIn, window.studio.session.value.clips[clip].name, style.effects, window.location.search];
  });
  assert.deepEqual(found, ['giraffe', 'neck-swing-stop', { floppy: { angular: 0.35, max_bend: 60 } }, '']);
  await context.close();
});

for (const colorScheme of ['light', 'dark'])
  test(`axe-core has no serious findings (${colorScheme})`, async () => {
    const { page, context } = await open({ colorScheme, viewport: { width: 800, height: 300 } });
    await visit(page, 'squash');
    await page.click('#squash summary');
    await page.waitForSelector('#squash details[open]');
    assert.deepEqual(await findings(page), []);
    await context.close();
  });
