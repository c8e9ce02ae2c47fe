// limber_deform.glsl in other languages: made by naga, taken by compilers that are not naga, and run by Vulkan drivers.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHARACTERS, temporary } from './kit.mjs';
import { allowed, STYLES, THROWN } from './styles.mjs';

const script = fileURLToPath(new URL('../../scripts/shaders.mjs', import.meta.url));
const out = temporary('shaders');
const read = (name) => fs.readFileSync(path.join(out, name), 'utf8');
const LONG = process.env.LIMBER_TEST_LONG;
const NAMES = ['limber_deform', 'limber_deform8'];

before(() => execFileSync(process.execPath, [script, out]));

function compiles(t, program, ...args) {
  const { status, error, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) t.skip(`${program} is not installed`);
  else assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}`);
}

for (const name of NAMES) {
  test(`${name}: glslang compiles the GLSL`, (t) =>
    compiles(t, 'glslangValidator', '-V', path.join(out, `glsl/${name}.comp`), '-o', temporary('glsl.spv')));
  test(`${name}: glslang compiles the HLSL`, (t) =>
    compiles(
      t,
      'glslangValidator',
      ...['-D', '-V', '-S', 'comp', '-e', 'main', path.join(out, `hlsl/${name}.hlsl`), '-o', temporary('hlsl.spv')],
    ));
  test(`${name}: spirv-val accepts the SPIR-V`, (t) => compiles(t, 'spirv-val', path.join(out, `spv/${name}.spv`)));
}

test('all languages have the same bindings', () => {
  for (const name of NAMES) {
    const numbers = (text, pattern) => [...text.matchAll(pattern)].map((match) => Number(match[1])).sort();
    const buffers = [3, 4, 5, 6, 7, 8];
    assert.deepEqual(numbers(read(`glsl/${name}.comp`), /binding = (\d)/g), [0, 1, 2, ...buffers]);
    assert.deepEqual(numbers(read(`wgsl/${name}.wgsl`), /@binding\((\d)\)/g), [0, 1, 2, ...buffers]);
    assert.deepEqual(numbers(read(`hlsl/${name}.hlsl`), /register\([tbu](\d)\)/g), [0, 1, ...buffers]);
    assert.deepEqual(numbers(read(`msl/${name}.metal`), /\[\[buffer\((\d)\)\]\]/g), buffers);
    assert.deepEqual(numbers(read(`msl/${name}.metal`), /\[\[texture\((\d)\)\]\]/g), [0, 1]);
    assert.ok(!/fake|_mslBufferSizes|nagaSampler/.test(read(`msl/${name}.metal`) + read(`hlsl/${name}.hlsl`)));
  }
});

// --- on a Vulkan driver, which may be one without a graphics card (lavapipe) ---

const vulkan = process.env.LIMBER_VULKAN_DEFORM;

/** All effects, normals that follow. Smears come after the shader. */
function writeStyles() {
  const file = temporary('styles.txt');
  const lines = Object.entries(STYLES)
    .filter(([, style]) => !style.smear)
    .map(([title, style]) => `${title}\t${JSON.stringify({ ...style, normals: 'jacobian' })}\n`);
  fs.writeFileSync(file, lines.join(''));
  return file;
}

/** The rows that vulkan_deform prints, and undefined where the test is skipped. */
function run(t, code, influences, characters) {
  if (!vulkan) return void t.skip('vulkan_deform is not built (Debian: libvulkan-dev)');
  const { status, stdout, stderr } = spawnSync(vulkan, [code, influences, writeStyles(), ...characters], {
    encoding: 'utf8',
  });
  if (status === 77) return void t.skip(stdout.trim());
  assert.equal(status, 0, stderr);
  const [[, device], ...rows] = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  t.diagnostic(`on ${device}`);
  return rows.map(([name, title, frames, apart, moved, turned]) => ({
    name: path.basename(name),
    title,
    frames: Number(frames),
    apart: Number(apart),
    moved: Number(moved),
    turned: Number(turned),
  }));
}

function agree(t, rows) {
  for (const name of new Set(rows.map((row) => row.name))) {
    const own = rows.filter((row) => row.name === name);
    const calm = own.filter(({ title }) => title !== THROWN);
    const { apart, title } = calm.reduce((a, b) => (a.apart > b.apart ? a : b));
    const frames = own.reduce((sum, row) => sum + row.frames, 0);
    t.diagnostic(`${name}: ${frames} frames, at most ${apart} of L apart (${title})`);
    assert.ok(Math.max(...own.map((row) => row.moved)) > 1e-4, `nothing moves ${name}`);
  }
  for (const { name, title, apart, moved, turned } of rows) {
    assert.ok(apart < allowed(title, moved), `${name}, ${title}: ${apart} of L apart, moved by ${moved}`);
    // Colliders crush the surface in places, where normals may be anything.
    const off = title.startsWith('colliders') ? 0.05 : 0.005;
    assert.ok(turned < off, `${name}, ${title}: ${turned} of the normals are off`);
  }
}

const assets = () => {
  const folder = process.env.LIMBER_TEST_ASSETS;
  const inside = (one) => (fs.existsSync(one) ? fs.readdirSync(one).map((name) => path.join(one, name)) : []);
  return folder ? [...inside(folder), ...inside(path.join(folder, 'more'))].filter((one) => one.endsWith('.glb')) : [];
};

test('the SPIR-V deforms as the engine does', (t) => {
  const rows = run(t, path.join(out, 'spv/limber_deform.spv'), '4', LONG ? [...CHARACTERS, ...assets()] : ['cow']);
  if (rows) agree(t, rows);
});

for (const [language, args] of [
  ['GLSL', ['-V', path.join(out, 'glsl/limber_deform.comp')]],
  ['HLSL', ['-D', '-V', '-S', 'comp', '-e', 'main', path.join(out, 'hlsl/limber_deform.hlsl')]],
])
  test(`the ${language}, compiled by glslang, deforms as the engine does`, (t) => {
    const code = temporary(`${language}.spv`);
    if (spawnSync('glslangValidator', [...args, '-o', code]).error) return t.skip('glslangValidator is not installed');
    const rows = run(t, code, '4', LONG ? CHARACTERS : ['ball']);
    if (rows) agree(t, rows);
  });
