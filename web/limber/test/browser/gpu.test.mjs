// The vertex shader draws what the engine computes, within 2e-5 of L: every effect, on built-in characters, with ordinary
// materials.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { CHARACTERS, sampleFile, temporary } from '../kit.mjs';
import { allowed, LIMIT, STYLES, THROWN } from '../styles.mjs';
import { stage } from './browser.mjs';

// Of the shader, each compiled when a style first asks for it: see features.ts.
const PARTS = 6;
// Clips are edited only in exact frames.
const LIVE = Object.fromEntries(Object.entries(STYLES).filter(([title]) => !/exaggerate|lines/.test(title)));
const CONE = { 'lift off a cone': { effects: { lift: { angular: 0.05, cone: { joint: 'Skirt*', fit: 'auto' } } } } };
// Clips in which the effect is visible.
const MOTION = {
  flower: [0, 0.4],
  cow: [0, 0.3],
  giraffe: [0, 0.4],
  dancer: [1, 0.3],
  snail: [0, 0.4],
  cylinder: [0, 0.2],
  ball: [0, 0.3],
  toon: [0, 0.3],
  hero: [0, 0.3],
  dog: [0, 0.3],
};

let show, inPage;
before(async () => {
  CHARACTERS.forEach(sampleFile);
  show = await stage(path.dirname(temporary('x')));
  inPage = (name, ...args) =>
    show.page.evaluate(
      async ([call, rest]) => (await import('/limber/test/browser/stage.js'))[call](...rest),
      [name, args],
    );
});
after(() => show.close());

const strongest = {};
// A character costs ten seconds and more, most of them for the shader, which software compiles and draws here.
const TESTED = process.env.LIMBER_TEST_LONG ? CHARACTERS : ['cow', 'dancer', 'flower', 'hero'];

for (const name of TESTED)
  test(`${name}: the graphics card and the engine agree, and nothing is compiled twice`, async () => {
    const [clip, start] = MOTION[name];
    const { rows, compiled, again } = await inPage(
      'compareStyles',
      name,
      { ...LIVE, ...(name === 'dancer' && CONE) },
      { clip, start },
    );
    let worst = 0;
    for (const { title, most, count, moved, on } of rows) {
      assert.ok(most < allowed(title, moved), `${title}: ${most} of L apart, moved by ${moved}`);
      assert.ok(count > 100);
      strongest[title] = Math.max(strongest[title] ?? 0, moved);
      assert.equal(on, /elongate|multiples|smeared/.test(title) ? 'cpu' : 'gpu', title);
      if (title !== THROWN) worst = Math.max(worst, most);
    }
    assert.ok(compiled <= PARTS, `${compiled} programs`);
    assert.equal(again, 0, 'going back to a style compiles');
    assert.deepEqual(show.faults, []);
    console.log(`# ${name}: ${rows.length} styles, at most ${worst.toExponential(1)} of L apart`);
  });

test('every effect moved some character', () => {
  for (const [title, moved] of Object.entries(strongest))
    if (title !== 'plain') assert.ok(moved > 1e-3, `${title}: ${moved}`);
});

for (const name of ['toon', 'hero', 'ball', 'dog', 'cow'])
  test(`${name}: the graphics card stands and lands as the engine does`, async () => {
    const style = {
      contact: 1,
      impact: { gain: 0.8 },
      rigid: 'auto',
      compose: 'chain',
      effects: { overlap: { gain: 3.5, max: 37, linear: 1 }, squash: { linear: 0.08 } },
    };
    const { most, held, on } = await inPage('compareExact', name, style, { contact: 0, impact: { gain: 0 } });
    assert.ok(most < LIMIT, `${most} of L apart`);
    assert.ok(held > 0.01, `contacts and impacts move by ${held} of L only`);
    assert.deepEqual(on, ['gpu']);
    assert.deepEqual(show.faults, []);
  });

for (const name of ['dancer', 'hero', 'cow'])
  test(`${name}: colliders on the graphics card push as the engine does`, async () => {
    const style = {
      colliders: 'auto',
      contact: 1,
      rigid: 'auto',
      compose: 'chain',
      effects: { overlap: { gain: 6, max: 60 } },
    };
    const { most, held, on } = await inPage('compareExact', name, style, { colliders: 'none' });
    assert.ok(most < LIMIT, `${most} of L apart`);
    assert.ok(held > 0.01, `colliders move by ${held} of L only`);
    assert.deepEqual(on, ['gpu']);
    assert.deepEqual(show.faults, []);
  });
