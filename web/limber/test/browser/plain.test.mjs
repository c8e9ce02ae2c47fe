// Pages without a build: the one in the README, with an import map; and Vite's development server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { sampleFile, temporary } from '../kit.mjs';
import { launch, openPage, PATIENCE_MS, serve } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
let browser, packed;
before(async () => {
  const folder = temporary('packed');
  fs.mkdirSync(folder);
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, encoding: 'utf8' });
  packed = path.join(folder, JSON.parse(said)[0].filename);
  browser = await launch();
});
after(() => browser?.close());

/** A folder with the packed package and three in node_modules, and a character. */
function folderWith(name, files) {
  const folder = temporary(name);
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(path.join(modules, 'limber'), { recursive: true });
  execFileSync('tar', ['xzf', packed, '-C', path.join(modules, 'limber'), '--strip-components=1']);
  fs.symlinkSync(path.join(root, '../node_modules/three'), path.join(modules, 'three'));
  fs.copyFileSync(sampleFile('cylinder'), path.join(folder, 'character.glb'));
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, file), text);
  return folder;
}

/** Pixels of the canvas that are not empty. */
const drawn = (page) =>
  page.evaluate(async () => {
    const canvas = document.querySelector('canvas');
    const bitmap = await createImageBitmap(canvas);
    const copy = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    copy.drawImage(bitmap, 0, 0);
    const { data } = copy.getImageData(0, 0, bitmap.width, bitmap.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  });

test('the page of the README draws a character from an import map', async () => {
  const [, html] = /^```html\n([\s\S]*?)^```$/m.exec(fs.readFileSync(path.join(root, 'README.md'), 'utf8'));
  const folder = folderWith('import-map', {
    'index.html': html.replace('antialias: true', 'preserveDrawingBuffer: true'),
  });
  const server = await serve({ '/': folder });
  const { page, faults } = await openPage(browser, server.address, { width: 160, height: 120 });
  await page.waitForSelector('canvas');
  const end = Date.now() + PATIENCE_MS;
  while ((await drawn(page)) < 100 && Date.now() < end) await page.waitForTimeout(100);
  assert.ok((await drawn(page)) >= 100, 'something is drawn');
  assert.deepEqual(faults, []);
  await page.close();
  await server.close();
});

test('the page of the README draws with the light module alone', async () => {
  const [, html] = /^```html\n([\s\S]*?)^```$/m.exec(fs.readFileSync(path.join(root, 'README.md'), 'utf8'));
  const light = html
    .replace(/"limber\/three": "(.*)three.js"/, '$&, "limber/light": "$1light.js"')
    .replace("import { limber } from 'limber/three';", "import { lightEngine } from 'limber/light';\n$&")
    .replace(/limber\(gltf\.scene, '(\w+)'\)/, "limber(gltf.scene, '$1', { engine: await lightEngine() })");
  assert.match(light, /"limber\/light"[^]*from 'limber\/light'[^]*await lightEngine/);
  const folder = folderWith('import-map-light', {
    'index.html': light.replace('antialias: true', 'preserveDrawingBuffer: true'),
  });
  fs.rmSync(path.join(folder, 'node_modules/limber/dist/limber.wasm')); // nobody asks for it
  const server = await serve({ '/': folder });
  const { page, faults } = await openPage(browser, server.address, { width: 160, height: 120 });
  const end = Date.now() + PATIENCE_MS;
  while (!(await page.$('canvas')) && !faults.length && Date.now() < end) await page.waitForTimeout(100);
  assert.deepEqual(faults, []);
  while ((await drawn(page)) < 100 && Date.now() < end) await page.waitForTimeout(100);
  assert.ok((await drawn(page)) >= 100, 'something is drawn');
  assert.deepEqual(faults, []);
  await page.close();
  await server.close();
});

test("Vite's development server finds the module, without any setting", async () => {
  const folder = folderWith('vite-dev', {
    'package.json': '{ "private": true, "type": "module" }',
    'index.html': '<!doctype html><script type="module" src="/use.js"></script>',
    'use.js': `import { sharedEngine } from 'limber/three';
globalThis.ready = sharedEngine().then((engine) => engine.parseStyle('cartoon').limber);`,
  });
  const server = await createServer({ root: folder, logLevel: 'silent', server: { port: 0, host: '127.0.0.1' } });
  await server.listen();
  const { page } = await openPage(browser, server.resolvedUrls.local[0]);
  await page.waitForFunction(() => globalThis.ready);
  assert.equal(await page.evaluate(() => globalThis.ready), 1);
  await page.close();
  await server.close();
});
