// Every preset on every character, on three ways to draw: WebGLRenderer, and WebGPURenderer on both of its backends. The
// vertices that the shader makes are within 2e-5 of L of the engine's. The long run prints the table of docs/web.md.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { PRESETS as ALL } from '../../dist/style.generated.js';
import { CHARACTERS, sampleFile, temporary } from '../kit.mjs';
import { LIMIT } from '../styles.mjs';
import { stage, WEBGPU } from './browser.mjs';

const LONG = process.env.LIMBER_TEST_LONG;
const MOTION = { dancer: { clip: 1, start: 0.3 } };

/** Characters from outside, if there are any. */
function assets() {
  const folder = process.env.LIMBER_TEST_ASSETS;
  if (!folder) return [];
  return [folder, path.join(folder, 'more')]
    .filter((one) => fs.existsSync(one))
    .flatMap((one) => fs.readdirSync(one).map((name) => path.join(one, name)))
    .filter((one) => one.endsWith('.glb'));
}

function assetFile(file) {
  const name = path.basename(file, '.glb');
  if (!fs.existsSync(temporary(`${name}.glb`))) fs.symlinkSync(path.resolve(file), temporary(`${name}.glb`));
  return name;
}

const OUTSIDE = assets().map(assetFile);
const NAMES = LONG ? [...CHARACTERS, ...OUTSIDE] : ['hero', ...OUTSIDE.filter((name) => name === 'Fox')];
const PRESETS = LONG ? ALL.map(({ name }) => name) : ['cartoon', 'rubberhose'];
/**
 * Drivers take most of the time to compile shaders: each day a preset has one character, if there are two, and the
 * second one is drawn in one way.
 */
const presetsOf = (name) =>
  LONG || NAMES.length < 2 ? PRESETS : PRESETS.filter((_, i) => i % NAMES.length === NAMES.indexOf(name));
const SMEARS = new Set(ALL.filter(({ text }) => /"smear":/.test(text)).map(({ name }) => name));
const WAYS = {
  WebGLRenderer: ['stage.js', 'comparePresets'],
  'WebGPURenderer, WebGL 2': ['nodes.js', 'comparePresets', 'webgl'],
  'WebGPURenderer, WebGPU': ['nodes.js', 'comparePresets', 'webgpu'],
};

const waysOf = (name) => Object.entries(WAYS).filter((_, i) => LONG || name === NAMES[0] || i === 0);

let show;
before(async () => {
  NAMES.filter((name) => CHARACTERS.includes(name)).forEach(sampleFile);
  show = await stage(path.dirname(temporary('x')), WEBGPU);
});
after(async () => {
  await show.close();
  if (LONG) console.log(table());
});

const worst = {};

function table() {
  const ways = Object.keys(WAYS);
  const row = (name) => ways.map((way) => worst[name]?.[way]?.toExponential(1) ?? '').join(' | ');
  return [
    `| | ${ways.join(' | ')} |`,
    `|---${'|---'.repeat(ways.length)}|`,
    ...NAMES.map((name) => `| ${name} | ${row(name)} |`),
  ].join('\n');
}

for (const name of NAMES)
  for (const [way, [file, call, ...first]] of waysOf(name))
    test(`${name}, ${way}: presets are where the engine has them`, async (t) => {
      const presets = presetsOf(name);
      const styles = Object.fromEntries(presets.map((one) => [one, one]));
      const rows = await show.page.evaluate(
        async ([from, which, args]) => (await import(`/limber/test/browser/${from}`))[which](...args),
        [file, call, [...first, name, styles, MOTION[name] ?? { clip: 0, start: 0.3 }]],
      );
      if (!rows) return t.skip('it has no clip');
      assert.equal(rows.length, presets.length);
      assert.ok(presets.length > 0);
      worst[name] ??= {};
      worst[name][way] = Math.max(...rows.map(({ most }) => most));
      for (const { title, most, count, moved, on } of rows) {
        t.diagnostic(`${title}: ${most.toExponential(1)} of L apart, moved by ${moved.toFixed(3)}, ${on}`);
        assert.ok(count > 100, `${title}: ${count} vertices`);
        assert.ok(most < LIMIT, `${title}: ${most} of L apart, moved by ${moved}`);
        assert.equal(on, SMEARS.has(title) ? 'cpu' : 'gpu', title);
      }
      assert.ok(Math.max(...rows.filter(({ on }) => on === 'gpu').map(({ moved }) => moved)) > 1e-3, 'nothing moves');
      assert.deepEqual(show.faults, []);
    });
