// The site as visitors use it, drawn in Chromium: the live scene, a dropped file, exhibits, both themes, no network.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { findings } from '../../limber/test/browser/axe.mjs';
import { until } from '../../studio/test/help/kit.mjs';
import { dist, open, shifts, start } from './help/site.mjs';

let stage;
before(async () => (stage = await start()));
after(() => stage.close());

const SMALL = { viewport: { width: 420, height: 320 } };

/** Touches a preset, and waits for the live scene. */
async function begin(page) {
  await page.click('.controls label:has(input[value=snappy])');
  await page.click('.controls label:has(input[value=cartoon])');
  await page.waitForFunction(() => window.show && !document.getElementById('film'));
}

/** Opens the first page and makes its scene live. */
async function openLive(options = SMALL) {
  const visit = await open(stage, '', options);
  await begin(visit.page);
  return visit;
}

const positions = (page, time) =>
  page.evaluate((at) => {
    window.show.seek(at);
    return [...window.show.positions()];
  }, time);

const farthest = (a, b) => a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

const state = (page) => page.evaluate(() => document.getElementById('state').textContent);

/** Drops a file of the site on the first page. */
const drop = (page, name) =>
  page.evaluate(async (address) => {
    const bytes = await (await fetch(address)).blob();
    const data = new DataTransfer();
    data.items.add(new File([bytes], address.split('/').at(-1)));
    for (const kind of ['dragenter', 'dragover', 'drop'])
      document.getElementById('stage').dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true }));
  }, name);

test('the scene is live after a touch: presets and the amount change it', async () => {
  const { page, context, faults } = await openLive();
  const before = await positions(page, 1);
  await page.evaluate(() => {
    document.querySelector('input[value=jelly]').click();
    const amount = document.getElementById('amount');
    amount.value = '2';
    amount.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await until(async () => farthest(before, await positions(page, 1)) > 0.01, 'the preset changes nothing');
  const jelly = await positions(page, 1);
  await page.evaluate(() => {
    const amount = document.getElementById('amount');
    amount.value = '0';
    amount.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await until(async () => farthest(jelly, await positions(page, 1)) > 0.01, 'the amount changes nothing');
  assert.equal(await page.textContent('#percent'), '0 %');
  assert.equal(await page.textContent('#styled'), 'jelly');
  assert.deepEqual(faults, []);
  await context.close();
});

test('a dropped file opens in place and moves, and nothing is sent', async () => {
  const { page, context, faults } = await openLive();
  const before = (await positions(page, 0.2)).length;
  const sent = [];
  context.on('request', (request) => request.postDataBuffer() && sent.push(request.url()));
  await drop(page, 'studio/characters/cow.glb');
  await until(async () => (await positions(page, 0.2)).length !== before, 'the file does not open');
  const [early, late] = [await positions(page, 0.2), await positions(page, 0.5)];
  assert.ok(farthest(early, late) > 0.01, 'the cow stands still');
  assert.equal(await page.locator('#clip-label').isVisible(), true);
  const clips = await page.locator('#clip option').allTextContents();
  assert.ok(clips.includes('jump'), clips.join());
  assert.deepEqual(sent, []);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a file that cannot be read is explained, and the scene stays', async () => {
  const { page, context } = await openLive();
  await drop(page, 'NOTICES.txt');
  await until(async () => /unsupported format/.test(await state(page)), 'nothing is said');
  assert.ok(farthest(await positions(page, 0.3), await positions(page, 0.9)) > 0.01);
  await context.close();
});

test('a click on an exhibit of a page makes it live', async () => {
  const { page, context, faults } = await open(stage, 'docs/effects/squash.html', SMALL);
  await page.click('figure.exhibit a');
  await page.waitForSelector('figure.exhibit [data-drawn]');
  assert.ok((await page.evaluate(shifts)) < 0.02);
  assert.deepEqual(faults, []);
  await context.close();
});

test('every exhibit that a page names is live in it', () => {
  const pages = fs.readdirSync(path.join(dist, 'docs'), { recursive: true }).filter((name) => name.endsWith('.html'));
  const html = pages.map((name) => fs.readFileSync(path.join(dist, 'docs', name), 'utf8')).join('\n');
  assert.ok([...html.matchAll(/data-exhibit="/g)].length > 10);
  assert.doesNotMatch(html, /title="gallery: /); // a link that was not upgraded
});

for (const colorScheme of ['light', 'dark'])
  test(`axe-core has no serious findings (${colorScheme})`, async () => {
    const names = ['', 'docs/', 'docs/effects/floppy.html', 'docs/style.html', 'docs/web.html', 'README.html'];
    for (const name of names) {
      const { page, context } = await open(stage, name, { colorScheme, reducedMotion: 'reduce' });
      assert.deepEqual(await findings(page), [], name);
      await page.keyboard.press('/');
      await page.waitForSelector('dialog.search[open]');
      await page.keyboard.type('spring');
      await page.waitForSelector('.search .result');
      assert.deepEqual(await findings(page), [], `${name} with the search`);
      await context.close();
    }
  });

test('after the first visit everything works offline, under any path', async () => {
  const { page, context, faults, hosts } = await open(stage, '', { ...SMALL, serviceWorkers: 'allow' });
  await page.keyboard.press('Tab'); // the first interaction
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await page.reload();
  await begin(page);
  await page.goto(new URL('docs/smears.html', page.url()).href);
  await page.keyboard.press('/');
  await page.waitForSelector('dialog.search[open]');
  await page.keyboard.type('drybrush');
  await page.waitForSelector('.search .result');
  await page.goto(new URL('../gallery/', page.url()).href);
  await page.waitForFunction(() => window.gallery);
  assert.equal(
    await page.getAttribute('#floppy .words a.quiet', 'href').then((href) => href.startsWith('../studio/?')),
    true,
  );
  assert.deepEqual(faults, []);
  // The studio asks whether `limber studio` serves it, which fails on other hosts.
  await page.goto(new URL('../studio/', page.url()).href);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  assert.equal((await page.evaluate(() => navigator.serviceWorker.getRegistrations())).length, 1);
  assert.equal(hosts.size, 1);
  await context.close();
});
