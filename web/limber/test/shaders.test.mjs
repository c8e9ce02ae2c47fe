// limber_deform.glsl in other languages: made by naga, taken by compilers that are not naga.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporary } from './kit.mjs';

const script = fileURLToPath(new URL('../../scripts/shaders.mjs', import.meta.url));
const out = temporary('shaders');
const read = (name) => fs.readFileSync(path.join(out, name), 'utf8');
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
