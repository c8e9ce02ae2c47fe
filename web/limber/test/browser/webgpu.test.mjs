// With WebGPURenderer, on both of its backends, the vertex shader draws what the engine computes, within 2e-5 of L.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { translations } from '../../../scripts/translate.mjs';
import { CHARACTERS, sampleFile, temporary } from '../kit.mjs';
import { allowed, LIMIT, STYLES, THROWN } from '../styles.mjs';
import { stage, WEBGPU } from './browser.mjs';

const LONG = process.env.LIMBER_TEST_LONG;
// Clips are edited only in exact frames. The quick run has a style for each part of the shader.
const QUICK = ['plain', 'layers', 'lift by floppy parts', 'contacts, impacts and rigid parts, jacobian normals'];
const TITLES = Object.keys(STYLES).filter((title) => (LONG ? !/exaggerate|lines/.test(title) : QUICK.includes(title)));
const LIVE = Object.fromEntries(TITLES.map((title) => [title, STYLES[title]]));
const MOTION = { dancer: { clip: 1, start: 0.3 } };
const motionOf = (name) => MOTION[name] ?? { clip: 0, start: 0.3 };

let show, inPage;
before(async () => {
  CHARACTERS.forEach(sampleFile);
  show = await stage(path.dirname(temporary('x')), WEBGPU);
  inPage = (name, ...args) =>
    show.page.evaluate(
      async ([call, rest]) => (await import('/limber/test/browser/nodes.js'))[call](...rest),
      [name, args],
    );
});
after(() => show.close());

const strongest = {};

for (const backend of ['webgpu', 'webgl'])
  for (const name of LONG ? CHARACTERS : ['cow'])
    test(`${backend}, ${name}: the graphics card and the engine agree`, async () => {
      const rows = await inPage('compareNodes', backend, name, LIVE, motionOf(name), Boolean(LONG));
      let worst = 0;
      for (const { title, most, count, moved, on } of rows) {
        assert.ok(most < allowed(title, moved), `${title}: ${most} of L apart, moved by ${moved}`);
        assert.ok(count > 100, `${title}: ${count} vertices`);
        assert.equal(on, /elongate|multiples|smeared/.test(title) ? 'cpu' : 'gpu', title);
        strongest[title] = Math.max(strongest[title] ?? 0, moved);
        if (title !== THROWN) worst = Math.max(worst, most);
      }
      assert.equal(rows.length, TITLES.length);
      assert.deepEqual(show.faults, []);
      console.log(`# ${backend}, ${name}: ${rows.length} styles, at most ${worst.toExponential(1)} of L apart`);
    });

test('every effect moved some character', () => {
  for (const [title, moved] of Object.entries(strongest))
    if (title !== 'plain') assert.ok(moved > 1e-3, `${title}: ${moved}`);
});

for (const backend of ['webgpu', 'webgl']) {
  test(`${backend}: normals follow`, async () => {
    const style = { effects: { floppy: { angular: 0.6, max_bend: 60 } }, normals: 'jacobian' };
    const { off, turned } = await inPage('compareNormals', backend, 'cow', style, motionOf('cow'));
    assert.ok(off < 1e-3, `${off} of the normals are off`);
    assert.ok(turned > 0.01, `only ${turned} of the normals turn`);
    assert.deepEqual(show.faults, []);
  });

  test(`${backend}: morph targets are added before the effects`, async () => {
    const style = { effects: { floppy: { angular: 0.6, max_bend: 60 } } };
    const { most, moved, count, on } = await inPage('compareMorphs', backend, 'cow', style, motionOf('cow'));
    assert.equal(on, 'gpu');
    assert.ok(count > 100);
    assert.ok(most < LIMIT, `${most} of L apart`);
    assert.ok(moved > 0.01, `the morph target moves by ${moved} of L only`);
    assert.deepEqual(show.faults, []);
  });

  test(`${backend}: shadows follow, and dispose gives the materials back`, async () => {
    const style = { effects: { floppy: { angular: 1, linear: 0.3 } } };
    const { changed, same, restored } = await inPage('compareShadows', backend, 'cow', style, motionOf('cow'));
    assert.ok(changed > 50, `the style changes ${changed} numbers of the shadow`);
    assert.ok(same < 0.2 * changed, `without a style, ${same} numbers differ from the plain skin's`);
    assert.ok(restored);
    assert.deepEqual(show.faults, []);
  });
}

for (const backend of ['webgpu', 'webgl'])
  test(`${backend}: members of a crowd are where the engine has them`, async () => {
    const options = { count: 8, members: [0, 3, 7] };
    const rows = await inPage('compareCrowdNodes', backend, 'cow', 'cartoon', options);
    for (const { member, most, count } of rows) {
      assert.ok(most < LIMIT, `member ${member}: ${most} of L apart`);
      assert.ok(count > 500, `member ${member}: ${count} vertices`);
    }
    assert.deepEqual(show.faults, []);
    console.log(
      `# ${backend}, a crowd: at most ${Math.max(...rows.map(({ most }) => most)).toExponential(1)} of L apart`,
    );
  });

// Drawing software that runs on a CPU may not survive textures in compute shaders, so this one only compiles.
test('the compute shader for other engines compiles in a browser', async () => {
  for (const [name, code] of Object.entries(translations()).filter(([one]) => one.endsWith('.wgsl'))) {
    const errors = await show.page.evaluate(async (text) => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      const { messages } = await device.createShaderModule({ code: text }).getCompilationInfo();
      return messages.filter((one) => one.type === 'error').map((one) => `line ${one.lineNum}: ${one.message}`);
    }, code);
    assert.deepEqual(errors, [], name);
  }
});
