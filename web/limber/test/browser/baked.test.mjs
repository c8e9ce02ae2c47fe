// Files of `limber apply` play in Babylon.js and in PlayCanvas, which know nothing of limber.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { program, sampleFile, temporary } from '../kit.mjs';
import { launch, openPage, serve } from './browser.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const TIMES = [0.1, 0.35, 0.6];
let server, browser, page, faults;

before(async () => {
  const folder = temporary('baked');
  fs.mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: ['babylon', 'playcanvas'].map((name) => path.join(here, `${name}.js`)),
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: folder,
    logLevel: 'error',
  });
  const plain = sampleFile('cylinder');
  fs.copyFileSync(plain, path.join(folder, 'plain.glb'));
  const style = ['--set', 'effects.floppy.angular=0.5'];
  for (const bake of ['none', 'corrective'])
    execFileSync(program, [
      'apply',
      plain,
      ...style,
      '--bake',
      bake,
      '--quiet',
      '-o',
      path.join(folder, `${bake}.glb`),
    ]);
  fs.writeFileSync(path.join(folder, 'index.html'), '<!doctype html><meta charset="utf-8"><title>baked</title>');
  server = await serve({ '/': folder });
  browser = await launch();
  ({ page, faults } = await openPage(browser, server.address));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const play = (engine, file) =>
  page.evaluate(
    async ([script, url, times]) => (await import(script)).play(url, times),
    [`/${engine}.js`, `/${file}.glb`, TIMES],
  );

const moves = (frames) => {
  const [first, ...rest] = frames.map(({ weights }) => weights.map((weight) => weight.toFixed(3)).join());
  assert.ok(frames[0].weights.length > 0, 'there are morph targets');
  for (const other of rest) assert.notEqual(other, first, 'their weights change');
};

test('Babylon.js plays a bake: other vertices than the plain file, and the same skeleton', async () => {
  const [plain, none, baked] = [await play('babylon', 'plain'), await play('babylon', 'none'), await play('babylon', 'corrective')]; // prettier-ignore
  moves(baked);
  for (const i of TIMES.keys()) {
    const apart = (a, b) => Math.max(...a[i].places.map((x, k) => Math.abs(x - b[i].places[k])));
    assert.equal(baked[i].places.length, plain[i].places.length);
    assert.ok(apart(none, plain) < 1e-5, 'nothing baked, nothing changed');
    assert.ok(apart(baked, plain) > 0.01, `${apart(baked, plain)} at ${TIMES[i]} s`);
  }
  assert.deepEqual(faults, []);
});

test('PlayCanvas plays a bake: its morph targets have the weights that Babylon.js gives them', async () => {
  const [plain, baked] = [await play('playcanvas', 'plain'), await play('playcanvas', 'corrective')];
  const other = await play('babylon', 'corrective');
  moves(baked);
  for (const i of TIMES.keys()) {
    assert.deepEqual(plain[i].weights, []);
    assert.equal(baked[i].weights.length, other[i].weights.length);
    baked[i].weights.forEach((weight, k) => assert.ok(Math.abs(weight - other[i].weights[k]) < 1e-3, `target ${k}`));
  }
  assert.deepEqual(faults, []);
});
