// Curves of a motion: smooth where the clip is keyed, and blows where something fast stops.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { transformSync } from 'esbuild';

const source = fs.readFileSync(new URL('../src/core/speeds.ts', import.meta.url), 'utf8');
const { code } = transformSync(source, { loader: 'ts', format: 'esm' });
const { blowsIn, motionOf, smoothed } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const STEP = 1 / 120;
/** A circle of radius 1, once in 2 s, keyed every 1/15 s with straight lines between. */
const keyed = Float32Array.from({ length: 3 * 241 }, (_, k) => {
  const at = (Math.floor(k / 3) * STEP * 15) % 30;
  const [a, b] = [Math.floor(at), Math.floor(at) + 1].map((key) => (key * Math.PI) / 15);
  const part = at - Math.floor(at);
  const of = [Math.cos, Math.sin, () => 0][k % 3];
  return (1 - part) * of(a) + part * of(b);
});
const comb = (values) => {
  let sum = 0;
  for (let i = 21; i < values.length - 20; i++) sum += Math.abs(values[i] - values[i - 1]);
  return sum;
};

test('speed and acceleration of a keyed clip are smooth and as large as those of the motion', () => {
  const rough = motionOf(keyed, STEP, 1);
  const smooth = motionOf(smoothed(keyed, STEP), STEP, 1);
  assert.ok(comb(smooth.acceleration) < 0.02 * comb(rough.acceleration));
  const middle = smooth.speed[120];
  assert.ok(Math.abs(middle - Math.PI) < 0.05, `${middle} instead of pi`);
  assert.ok(Math.abs(smooth.acceleration[120] - Math.PI ** 2) < 0.6);
});

test('a straight way keeps its speed, to its ends', () => {
  const line = Float32Array.from({ length: 300 }, (_, k) => (k % 3 ? 0 : Math.floor(k / 3) * STEP * 4));
  for (const speed of motionOf(smoothed(line, STEP), STEP, 2).speed) assert.ok(Math.abs(speed - 2) < 1e-3);
});

test('a blow is where something fast stops at once; a run, a slow stop and a wave have none', () => {
  const bump = (top, rise, fall) =>
    Float32Array.from({ length: 240 }, (_, i) => {
      const t = (i - 100) * STEP;
      return top * Math.exp(-((t / (t < 0 ? rise : fall)) ** 2));
    });
  const [hit, ...more] = blowsIn(bump(5, 0.2, 0.06), STEP);
  assert.deepEqual(more, []);
  assert.ok((hit - 100) * STEP > 0.04 && (hit - 100) * STEP < 0.16);
  assert.deepEqual(blowsIn(bump(5, 0.2, 0.5), STEP), []); // it slows down
  assert.deepEqual(blowsIn(bump(1, 0.2, 0.06), STEP), []); // it is slow
  assert.deepEqual(blowsIn(new Float32Array(240).fill(5), STEP), []);
  const swing = Float32Array.from({ length: 240 }, (_, i) => Math.abs(5 * Math.sin(i * STEP * 10)));
  assert.deepEqual(blowsIn(swing, STEP), []); // it swings back
});
