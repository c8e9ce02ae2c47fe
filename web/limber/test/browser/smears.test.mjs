// Passes on the GPU before anything is drawn are within 2e-5 of L of the engine: vertices that are deformed once per frame,
// and live smears, that is elongation, in-between copies and motion lines.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { sampleFile, temporary } from '../kit.mjs';
import { LIMIT } from '../styles.mjs';
import { stage, WEBGPU } from './browser.mjs';

const LONG = process.env.LIMBER_TEST_LONG;
const WAYS = {
  WebGLRenderer: ['stage.js'],
  'WebGPURenderer, WebGL 2': ['nodes.js', 'webgl'],
  'WebGPURenderer, WebGPU': ['nodes.js', 'webgpu'],
};
const STYLES = {
  'all kinds': {
    smear: {
      motion: { ignore_spin: 'balls' },
      offsets: { smooth: 2, prune_below: 0.15 },
      elongate: { amount: 'offset * smoothstep(0.01, 0.06, speed)', past: 2, future: 0.7, max: 3 },
      multiples: { past: 2, spacing: 1.5, opacity: '0.7 / abs(copy) * smoothstep(0.03, 0.08, speed)', min_speed: 0.03 },
      lines: {
        count: 60,
        from: 'silhouette',
        length: '-6 * smoothstep(0.03, 0.1, speed)',
        gap: 1,
        radius: 0.005,
        point: 1,
        min_speed: 0.03,
      },
    },
  },
  'dry strokes': {
    smear: {
      motion: { ignore_spin: 'balls' },
      offsets: { smooth: 2, prune_below: 0.15 },
      elongate: { amount: '4 * min(offset, 0) * smoothstep(0.01, 0.06, speed) * voronoi(14)', max: 6 },
      lines: {
        count: 300,
        from: 'silhouette',
        length: '-(2 + 5 * rand) * smoothstep(0.03, 0.1, speed)',
        gap: 'rand',
        radius: '0.002 + 0.004 * rand',
        point: 1,
        dry: 0.35,
        min_speed: 0.03,
      },
    },
  },
  'with effects, held poses and standard opacity': {
    compose: 'chain',
    effects: { overlap: { gain: 2, max: 30 } },
    smear: { elongate: { amount: '3 * offset' }, multiples: { past: 3 }, lines: { count: 30 }, step: 2 },
  },
};
const NAMES = LONG ? ['cow', 'toon', 'hero', 'dancer', 'dog'] : ['toon'];

let show;
const FAST = ['toon', 'hero']; // others move too slowly to have lines in all styles

before(async () => {
  NAMES.forEach(sampleFile);
  show = await stage(path.dirname(temporary('x')), WEBGPU);
});
after(() => show.close());

const call = (name, way, ...args) =>
  show.page.evaluate(
    async ([which, [file, ...first], rest]) => (await import(`/limber/test/browser/${file}`))[which](...first, ...rest),
    [name, WAYS[way], args],
  );

for (const way of Object.keys(WAYS))
  test(`${way}: deformed once per frame, vertices are where the engine has them`, async () => {
    const { most, count, moved, on } = await call('compareOnce', way, 'toon', 'cartoon', { clip: 0, start: 0.1 });
    assert.equal(on, 'gpu');
    assert.ok(count > 100);
    assert.ok(moved > 0.01, `moved by ${moved} only`);
    assert.ok(most < LIMIT, `${most} of L apart`);
    assert.deepEqual(show.faults, []);
  });

for (const way of Object.keys(WAYS))
  for (const name of NAMES)
    for (const [title, style] of Object.entries(STYLES).slice(0, LONG || way === 'WebGLRenderer' ? undefined : 1))
      test(`${way}, ${name}, ${title}: smears are where the engine has them`, async (t) => {
        const { on, reason, moved, copies, lines, opacity, seen, smeared, tubes } = await call(
          'compareSmears',
          way,
          name,
          style,
          {
            clip: 0,
            start: 0.1,
            step: title === 'dry strokes' ? 1 / 47 : 1 / 30,
          },
        );
        assert.equal(on, 'gpu', reason);
        t.diagnostic(
          `${moved} ${copies} ${lines} of L apart, ${opacity} of opacity, ${seen} meshes, ${tubes} lines, smeared by ${smeared}`,
        );
        assert.ok(moved < LIMIT, `the character is ${moved} of L apart`);
        assert.ok(copies < LIMIT, `copies are ${copies} of L apart`);
        assert.ok(lines < LIMIT, `lines are ${lines} of L apart`);
        assert.ok(opacity < 1e-3, `opacities differ by ${opacity}`);
        assert.ok(!FAST.includes(name) || smeared > 0.005, `nothing is smeared: ${smeared}`);
        assert.ok(!FAST.includes(name) || seen > 0, 'neither copies nor lines');
        assert.ok(!FAST.includes(name) || tubes > 10, `${tubes} lines`);
        assert.deepEqual(show.faults, []);
      });
