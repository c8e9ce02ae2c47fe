// A hundred characters are created and disposed without a leak.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { sampleFile, temporary } from '../kit.mjs';
import { stage } from './browser.mjs';

let show, inPage;
before(async () => {
  sampleFile('cylinder');
  show = await stage(path.dirname(temporary('x')));
  inPage = (name, ...args) =>
    show.page.evaluate(
      async ([call, rest]) => (await import('/limber/test/browser/life.js'))[call](...rest),
      [name, args],
    );
});
after(() => show.close());

test('a page that loads, disposes and reloads a character 100 times does not grow', async () => {
  const styles = ['cartoon', { smear: { elongate: { amount: 1 }, multiples: { past: 2 } } }];
  const { before: start, after: end } = await inPage('comeAndGo', 'cylinder', styles, 100, 4, 1e6);
  console.log(`# ${JSON.stringify(start)} -> ${JSON.stringify(end)}`);
  for (const what of ['geometries', 'textures', 'programs', 'wasm'])
    assert.ok(end[what] <= start[what], `${what}: ${start[what]}, then ${end[what]}`);
  assert.ok(end.heap - start.heap < 1e6, `${end.heap - start.heap} bytes`);
  assert.deepEqual(show.faults, []);
});
