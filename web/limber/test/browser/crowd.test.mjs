// A crowd in one draw call per mesh: the vertex shader draws each member where the engine has it, within 2e-5 of L.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { program, sampleFile, temporary } from '../kit.mjs';
import { stage } from './browser.mjs';

const LIMIT = 2e-5;

let show, inPage;
before(async () => {
  sampleFile('dancer');
  execFileSync(program, ['sample', 'cow', '--detail', '0.5', '-o', temporary('calf.glb')]); // software draws slowly
  show = await stage(path.dirname(temporary('x')));
  inPage = (name, ...args) =>
    show.page.evaluate(
      async ([call, rest]) => (await import('/limber/test/browser/crowd.js'))[call](...rest),
      [name, args],
    );
});
after(() => show.close());

const LAYERS = { effects: { floppy: { angular: 0.3, layer: 'floppy' }, squash: { linear: 0.1 } }, colliders: 'auto' };
const SOME = [0, 1200, 2700].map((first) => [first, 150]); // first index and number of indices

for (const [name, style, count, ranges] of [
  ['calf', 'cartoon', 500, SOME],
  ['dancer', LAYERS, 6, undefined],
])
  test(`${count} of ${name}: each member is where the engine has it, at its own time`, async () => {
    const members = [0, 1, Math.floor(0.7 * count), count - 1];
    const { rows, differ } = await inPage('compareCrowd', name, style, { count, members, ranges });
    for (const { member, most, told } of rows) {
      assert.ok(most < LIMIT, `member ${member}: ${most} of L apart`);
      assert.ok(told > 100, `member ${member}: ${told} vertices`);
    }
    assert.ok(differ > 0.02, `members differ by ${differ} of L only`);
    assert.deepEqual(show.faults, []);
    console.log(`# ${name}: at most ${Math.max(...rows.map(({ most }) => most)).toExponential(1)} of L apart`);
  });

test('500 cows are one draw call per mesh, none when the camera looks away, and dispose frees the textures', async () => {
  const { calls, parts, drawn, away, freed } = await inPage('countCalls', 'calf', 'cartoon', 500);
  assert.equal(calls, parts);
  assert.ok(drawn > 100, `${drawn} pixels`);
  assert.equal(away, 0);
  assert.ok(freed >= 2, `${freed} textures`);
  assert.deepEqual(show.faults, []);
});

test('shadows follow the members, and hidden members have none', async () => {
  const { both, one } = await inPage('compareShadows', 'calf', 'cartoon');
  assert.ok(both[0] > 8 && both[1] > 8, `${both}`);
  assert.ok(one[0] > 8 && one[1] === 0, `${one}`);
  assert.deepEqual(show.faults, []);
});
