// limber/react with @react-three/fiber, in StrictMode, in Chromium.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { sampleFile, temporary } from '../kit.mjs';
import { launch, openPage, serve } from './browser.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
let server, browser, page, faults;

before(async () => {
  const folder = temporary('react');
  fs.mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [path.join(here, 'react.js')],
    bundle: true,
    format: 'esm',
    outfile: path.join(folder, 'page.js'),
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  });
  fs.copyFileSync(path.join(here, '../../dist/limber.wasm'), path.join(folder, 'limber.wasm'));
  for (const name of ['cylinder', 'ball']) fs.copyFileSync(sampleFile(name), path.join(folder, `${name}.glb`));
  fs.writeFileSync(path.join(folder, 'index.html'), '<!doctype html><meta charset="utf-8"><title>react</title>');
  server = await serve({ '/': folder });
  // fiber gives its context back when a Canvas goes; a page that does so often is refused another one
  browser = await launch(['--disable-domain-blocking-for-3d-apis']);
  ({ page, faults } = await openPage(browser, server.address, { width: 160, height: 120 }));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const call = (name, ...args) =>
  page.evaluate(async ([what, rest]) => (await import('/page.js'))[what](...rest), [name, args]);

const FLOPPY = { effects: { floppy: { angular: 0.5 } } };

test('useLimber: one Toon in StrictMode, another style is worn at once, and unmounting frees it', async () => {
  await call('show', 'WithHook', { file: '/cylinder.glb', style: {} });
  await call('ready', 1);
  assert.ok((await call('largest', 10)) < 1e-5, 'without effects: the pose of the same frame');
  await call('show', 'WithHook', { file: '/cylinder.glb', style: FLOPPY });
  await call('worn', 'floppy');
  assert.ok((await call('largest', 20)) > 0.01, 'it bends');
  await call('show', 'WithHook', { file: '/cylinder.glb', style: 'jelly' });
  await call('worn', 'overlap');
  const now = await call('look');
  assert.deepEqual([now.made, now.alive, now.faults], [1, 1, []]);
  await call('show', 'WithHook', { file: '/cylinder.glb', style: 'jelly', options: { compute: 'cpu' } });
  await call('ready', 2);
  await call('living', 1); // other options make another one, and the first is gone
  await call('show');
  await page.waitForFunction(() => !document.querySelector('canvas'));
  await call('living', 0);
});

test('<Limber object> below the component that animates sees the pose of the same frame', async () => {
  const { made } = await call('look');
  await call('show', 'WithObject', { file: '/cylinder.glb', style: {} });
  await call('ready', made + 1);
  await call('frames', 2);
  assert.ok((await call('largest', 10)) < 1e-5);
  await call('show', 'WithObject', { file: '/cylinder.glb', style: FLOPPY });
  await call('worn', 'floppy');
  assert.ok((await call('largest', 20)) > 0.01);
  await call('show');
  await page.waitForFunction(() => !document.querySelector('canvas'));
  await call('living', 0);
  const now = await call('look');
  assert.deepEqual([now.made, now.alive, now.faults], [made + 1, 0, []]);
});

test('<Limber> around children waits for them, and follows them when they are replaced', async () => {
  const { made } = await call('look');
  await call('show', 'WithChildren', { file: '/cylinder.glb', style: FLOPPY });
  await call('ready', made + 1);
  assert.ok((await call('largest', 20)) > 0.01);
  await call('show', 'WithChildren', { file: '/ball.glb', style: FLOPPY });
  await call('ready', made + 2);
  await call('living', 1);
  const now = await call('look');
  assert.deepEqual([now.made, now.alive, now.faults], [made + 2, 1, []]);
  await call('show');
  await page.waitForFunction(() => !document.querySelector('canvas'));
});

test('a wrong style goes to the error boundary', async () => {
  // fiber itself says these, and programs that are compiled while it gives up the context of a canvas
  const said = /THREE\.Clock: This module has been deprecated|CONTEXT_LOST_WEBGL|WEBGL_lose_context/;
  const lost = /VALIDATE_STATUS false\n[^]*Program Info Log: \n\s*$|useProgram: program not valid/;
  const own = faults.filter((text) => !said.test(text) && !lost.test(text));
  assert.deepEqual(own, [], 'no fault so far');
  await call('show', 'WithHook', { file: '/ball.glb', style: { effects: { flopy: {} } } });
  await call('failed');
  await call('living', 0);
  assert.match((await call('look')).faults[0], /flopy/);
});
