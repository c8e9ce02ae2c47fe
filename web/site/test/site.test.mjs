// The built site: every link, every anchor, valid HTML, and its first page in Chromium before anybody touches it.
// Nothing is drawn here; visit.test.mjs has what is.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { HtmlValidate } from 'html-validate';
import { resolve } from '../scripts/navigation.mjs';
import { wordsOf } from '../scripts/search_index.mjs';
import { FOLDER, dist, filesOf, open, root, shifts, start } from './help/site.mjs';

const LONG = Boolean(process.env.LIMBER_TEST_LONG);
const MOST_BYTES = 1_000_000;
const MOST_SHIFT = 0.02;
const SAMPLE = 24; // every day, one in so many pages is validated

const isHtml = (name) => name.endsWith('.html');
const read = (name) => fs.readFileSync(path.join(dist, name), 'utf8');
const values = (html, name) => [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value]) => value);
const decode = (text) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

let stage;
before(async () => (stage = await start()));
after(() => stage.close());

test('every link, picture and anchor leads somewhere', () => {
  const files = filesOf();
  const there = new Set(files);
  const pages = files.filter(isHtml);
  const ids = new Map(pages.map((name) => [name, new Set(values(read(name), 'id'))]));
  const faults = [];
  let count = 0;
  for (const page of pages)
    for (const href of [...values(read(page), 'href'), ...values(read(page), 'src')].map(decode)) {
      if (/^(https?:|data:|mailto:)/.test(href)) continue;
      count++;
      const [name, hash] = href.split('#');
      const bare = name.split('?')[0];
      const to = bare ? resolve(page, bare) : page;
      if (!there.has(to)) faults.push(`${page}: ${href}`);
      // The gallery makes its rooms when it starts.
      else if (hash && isHtml(to) && !to.startsWith('gallery/') && !ids.get(to).has(decodeURIComponent(hash)))
        faults.push(`${page}: ${href}: no such anchor`);
    }
  assert.deepEqual(faults, []);
  assert.ok(count > 1000, `${count} links only`);
});

test('every page is valid HTML', async () => {
  const validator = new HtmlValidate({
    extends: ['html-validate:recommended'],
    rules: {
      'void-style': 'off',
      'no-trailing-whitespace': 'off',
      'long-title': 'off',
      'valid-id': ['error', { relaxed: true }],
      'no-inline-style': ['error', { allowedProperties: ['--rows'] }],
    },
  });
  const pages = filesOf().filter((name) => isHtml(name) && !/^(studio|gallery)\//.test(name));
  const chosen = pages.filter(
    (name, i) => LONG || i % SAMPLE === 0 || /^(index|docs\/index|docs\/style)\.html/.test(name),
  );
  const faults = [];
  for (const name of chosen) {
    const { results } = await validator.validateString(read(name), name);
    for (const { messages } of results)
      faults.push(...messages.map(({ ruleId, message, line }) => `${name}:${line}: ${ruleId}: ${message}`));
  }
  assert.deepEqual(faults.slice(0, 20), []);
});

test('docs/README.md lists every page of docs', () => {
  const index = read('docs/index.html').match(/<article[\s\S]*<\/article>/)[0];
  const listed = new Set(values(index, 'href').map((href) => resolve('docs/index.html', href.split('#')[0])));
  const pages = fs.readdirSync(path.join(root, 'docs'), { recursive: true }).filter((name) => name.endsWith('.md'));
  const missing = pages.filter((name) => name !== 'README.md' && !listed.has(`docs/${name.replace(/\.md$/, '.html')}`));
  assert.deepEqual(missing, []);
});

test('every page says what it is, and pictures have their size', () => {
  for (const name of filesOf().filter((one) => isHtml(one) && !/^(studio|gallery)\//.test(one))) {
    const html = read(name);
    const description = /<meta name="description" content="([^"]+)"/.exec(html)?.[1] ?? '';
    assert.ok(description.length > 10, `${name}: no description`);
    assert.match(html, /<title>[^<]+<\/title>/, name);
    assert.match(html, /<meta property="og:image" content="[^"]+"/, name);
    for (const [image] of html.matchAll(/<img [^>]*>/g))
      assert.match(image, /width="\d+" height="\d+"/, `${name}: ${image}`);
  }
});

test('the words of the index are those that the search looks for', () => {
  assert.deepEqual(wordsOf('The limber_pipeline_create of effects.floppy.angular, 0.5'), [
    'limber_pipeline_create',
    'limber',
    'pipeline',
    'create',
    'effects',
    'floppy',
    'angular',
  ]);
});

test('the first page: less than 1 MB before the first interaction, nothing from elsewhere, nothing jumps', async () => {
  const { page, context, faults, hosts, bytes } = await open(stage, '', { viewport: { width: 1440, height: 900 } });
  await page.waitForLoadState('networkidle');
  assert.equal(await page.evaluate(() => document.getElementById('film').paused), false);
  assert.ok(bytes() > 20_000 && bytes() < MOST_BYTES, `${bytes()} bytes`);
  assert.ok((await page.evaluate(shifts)) < MOST_SHIFT);
  assert.equal(await page.evaluate(() => 'show' in window), false);
  assert.deepEqual([...hosts], [new URL(stage.server.address).host]);
  assert.deepEqual(faults, []);
  await context.close();
});

test('the divider of the first page follows pointer and keys over the film, and loads nothing heavy', async () => {
  const options = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', colorScheme: 'light' };
  const { page, context, faults, bytes } = await open(stage, '', options);
  await page.waitForFunction(() => document.getElementById('film').readyState > 1);
  const middle = () =>
    page.evaluate(() => {
      const canvas = document.getElementById('picture');
      const pixel = new OffscreenCanvas(1, 1).getContext('2d');
      pixel.drawImage(canvas, canvas.width / 2, 8, 1, 1, 0, 0, 1, 1);
      return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
    });
  const { x, y, width, height } = await page.locator('#stage').boundingBox();
  const drag = async (from, to) => {
    await page.mouse.move(x + from * width, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + to * width, y + height / 2, { steps: 4 });
    await page.mouse.up();
  };
  const place = () => page.evaluate(() => document.getElementById('wipe').valueAsNumber / 100);
  await drag(0.5, 0.8);
  assert.ok(Math.abs((await place()) - 0.8) < 0.01, `the divider is at ${await place()}`);
  const plain = await middle();
  await drag(0.3, 0.2);
  assert.ok(Math.abs((await place()) - 0.2) < 0.01, `the divider is at ${await place()}`);
  assert.notEqual(await middle(), plain);
  for (let i = 0; i < 4; i++) await page.keyboard.press('PageUp');
  assert.ok((await place()) > 0.5, `the divider is at ${await place()}`);
  assert.equal(await middle(), plain);
  assert.equal(await page.evaluate(() => document.getElementById('film').paused), true);
  await page.click('#play');
  assert.equal(await page.evaluate(() => document.getElementById('film').paused), false);
  await page.click('#play');
  assert.equal(await page.evaluate(() => document.getElementById('film').paused), true);
  assert.equal(await page.evaluate(() => 'show' in window), false);
  assert.ok(bytes() < MOST_BYTES, `${bytes()} bytes`);
  assert.deepEqual(faults, []);
  await context.close();
});

test('the search finds a page with the keyboard alone, and no page jumps while its pictures come', async () => {
  const { page, context, faults } = await open(stage, 'docs/effects/floppy.html');
  await page.hover('.code');
  assert.equal(await page.locator('.code:hover .copy').textContent(), 'Copy');
  await page.keyboard.press('/');
  await page.waitForSelector('dialog.search[open]');
  await page.keyboard.type('twelve princip');
  await page.waitForSelector('.search .result[aria-selected=true]');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${FOLDER}docs/principles.html**`);
  await page.evaluate(async () => {
    const pictures = [...document.querySelectorAll('.prose img')];
    for (const one of pictures) {
      one.scrollIntoView();
      if (!one.complete) await new Promise((done) => one.addEventListener('load', done));
    }
  });
  assert.ok((await page.evaluate(shifts)) < MOST_SHIFT);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a link into a long page leads to its heading, though the tables above are not laid out; nothing jumps', async () => {
  const { page, context } = await open(stage, 'docs/style.html#smearlines', { viewport: { width: 1440, height: 900 } });
  const top = (id) => page.evaluate((name) => document.getElementById(name).getBoundingClientRect().top, id);
  assert.ok(Math.abs((await top('smearlines')) - 84) < 2, `the heading is at ${await top('smearlines')}`);
  await page.click('.contents a[href="#body"]');
  assert.ok(Math.abs((await top('body')) - 84) < 2, `the heading is at ${await top('body')}`);
  await page.mouse.move(700, 450);
  for (let i = 0; i < 10; i++) {
    await page.mouse.wheel(0, i < 5 ? 700 : -700);
    await page.evaluate(shifts);
  }
  assert.ok((await page.evaluate(shifts)) < MOST_SHIFT);
  await context.close();
});
