// The package as users get it: the size of the module, and the result of `npm pack` in plain node and in Vite.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createEngine } from '../dist/engine.js';
import { wasmBytes } from '../dist/inline.js';
import { temporary } from './kit.mjs';
import { tube } from './tube.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bytes = fs.readFileSync(path.join(root, 'dist/limber.wasm'));
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

test('the module has no imports and is under 500 kB gzipped', () => {
  const module = new WebAssembly.Module(bytes);
  const size = gzipSync(bytes, { level: 9 }).length;
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  assert.ok(size < 500_000, `${size} bytes`);
  console.log(`# ${bytes.length} bytes, ${size} gzipped, ${WebAssembly.Module.exports(module).length} exports`);
});

test('it comes from bytes, text in a script, a compiled module, a response, an address, and a broken file is an error', async () => {
  assert.ok(bytes.equals(Buffer.from(wasmBytes())));
  const address = new URL('../dist/limber.wasm', import.meta.url);
  const sources = [
    undefined,
    bytes,
    wasmBytes(),
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    new WebAssembly.Module(bytes),
    new Response(bytes),
    Promise.resolve(new Response(bytes)),
    address,
    address.href,
  ];
  for (const source of sources) assert.equal((await createEngine(source)).version, version);
  await assert.rejects(createEngine(bytes.subarray(0, 1000)));
  await assert.rejects(createEngine(new Response('no', { status: 404 })));
});

test('nothing in it sends anything: the only request fetches the module, without a body', () => {
  const calls = [];
  const names = (folder) => fs.readdirSync(path.join(root, 'dist', folder)).map((name) => path.join(folder, name));
  for (const file of [...names('.'), ...names('three')])
    if (file.endsWith('.js')) {
      const text = fs.readFileSync(path.join(root, 'dist', file), 'utf8');
      for (const [call] of text.matchAll(
        /\bfetch\b[^\n]{0,8}|XMLHttpRequest|sendBeacon|WebSocket|EventSource|RTCPeer/g,
      ))
        calls.push(`${file}: ${call}`);
    }
  assert.deepEqual(calls, ['wasm.js: fetch(url));']);
});

// Everything that a module loads at once, by address; packages by name.
function loaded(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = fs.readFileSync(path.join(root, 'dist', file), 'utf8');
  for (const [, from] of text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)';/gm))
    if (from.startsWith('.')) loaded(path.join(path.dirname(file), from), seen);
    else seen.add(from);
  return seen;
}

test('limber/three loads neither nodes nor WGSL, and limber/webgpu does', () => {
  const webgl = loaded('three.js');
  const webgpu = loaded('webgpu.js');
  for (const name of [
    'three/tsl',
    'nodes.generated.js',
    path.join('three', 'nodes.js'),
    path.join('three', 'webgpu.js'),
  ]) {
    assert.ok(!webgl.has(name), name);
    assert.ok(webgpu.has(name), name);
  }
  assert.ok(webgl.has('three') && webgl.has('shader.generated.js'));
});

const run = (folder, command, ...args) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

let packed;
function tarball() {
  if (!packed) {
    const said = run(root, 'npm', 'pack', '--json', '--pack-destination', temporary('.'));
    packed = path.join(temporary('.'), JSON.parse(said)[0].filename);
  }
  return packed;
}

// Unpacks the result of `npm pack` where `npm install` would put it, without a registry.
function install(name) {
  const folder = temporary(name);
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(path.join(modules, 'limber'), { recursive: true });
  run(folder, 'tar', 'xzf', tarball(), '-C', path.join(modules, 'limber'), '--strip-components=1');
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true, "type": "module"}');
  return folder;
}

const USE = `
import { createEngine } from 'limber/engine';
const engine = await createEngine();
const character = engine.character({
  joints: [{ name: 'A', parent: -1 }], skins: [{ joints: [0], inverseBindMatrices: [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1] }],
  meshes: [{ skin: 0, positions: [0,0,0, 1,0,0, 0,1,0] }],
});
globalThis.answer = [...character.pipeline('cartoon').evaluate(-1, 0).positions].join();
console.log(globalThis.answer);
`;
const ANSWER = '0,0,0,1,0,0,0,1,0';

test('the package works in plain node without three', () => {
  const folder = install('node');
  assert.deepEqual(fs.readdirSync(path.join(folder, 'node_modules/limber')).sort(), [
    'LICENSE',
    'NOTICES.txt',
    'README.md',
    'dist',
    'package.json',
  ]);
  // The C library that is linked into limber.wasm wants its license to travel along.
  assert.match(fs.readFileSync(path.join(folder, 'node_modules/limber/NOTICES.txt'), 'utf8'), /wasi-libc[^]*MIT/);
  fs.writeFileSync(path.join(folder, 'use.mjs'), USE);
  assert.equal(run(folder, process.execPath, 'use.mjs').trim(), ANSWER);
  fs.rmSync(path.join(folder, 'node_modules/limber/dist/limber.wasm'));
  assert.throws(
    () => run(folder, process.execPath, 'use.mjs'),
    /LimberError: there is no limber\.wasm at file:.*: put it there, give its address/,
  );
  fs.writeFileSync(path.join(folder, 'inline.mjs'), `import 'limber/inline';\n${USE}`);
  assert.equal(run(folder, process.execPath, 'inline.mjs').trim(), ANSWER);
  const light = `import { lightEngine } from 'limber/light';\n${USE.replace('createEngine()', 'lightEngine()')}`;
  fs.writeFileSync(path.join(folder, 'light.mjs'), light); // its file is still there
  assert.throws(
    () => run(folder, process.execPath, 'light.mjs'),
    /limber\/light has no vertices on the CPU; use the whole module/,
  );
});

const REQUIRED_ENGINE = `
const { createEngine, LimberError } = require('limber/engine');
const { wasmBytes } = require('limber/inline');
const { LIGHT } = require('limber/light');
(async () => {
  const versions = [await createEngine(), await createEngine(wasmBytes()), await createEngine(LIGHT)].map((e) => e.version);
  console.log(...versions, LimberError.name);
})();
`;
const REQUIRED = `
const assert = require('node:assert');
const path = require('node:path');
const limber = require('limber');
for (const name of ['limber', 'limber/engine', 'limber/three', 'limber/inline', 'limber/light'])
  assert.match(require.resolve(name), /dist.cjs.\\w+\\.js$/, name);
assert.equal(require('limber/engine').LimberError, limber.LimberError);
assert.equal(require('limber/three').limber, limber.limber);
const { Group, Mesh, BoxGeometry, MeshBasicMaterial } = require('three');
(async () => {
  const engine = await limber.createEngine();
  assert.throws(() => engine.character(5), limber.LimberError);
  const toon = await limber.limber(new Group().add(new Mesh(new BoxGeometry(), new MeshBasicMaterial())), 'jelly');
  toon.update(0.01);
  const { wasmBytes } = require('limber/inline');
  console.log(toon.character.vertexCount, (await limber.createEngine(wasmBytes())).version);
})();
`;

test('require() works: the engine without any help from node, as in node 18; with three where three can be required', () => {
  const folder = install('require');
  lend(folder, 'three');
  fs.writeFileSync(path.join(folder, 'use.cjs'), REQUIRED);
  const plain = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
    ? ['--no-experimental-require-module']
    : [];
  fs.writeFileSync(path.join(folder, 'engine.cjs'), REQUIRED_ENGINE);
  assert.equal(
    run(folder, process.execPath, ...plain, 'engine.cjs').trim(),
    `${version} ${version} ${version} LimberError`,
  );
  // three.cjs of today's three.js itself requires a module.
  if (plain.length) assert.equal(run(folder, process.execPath, '--no-warnings', 'use.cjs').trim(), `24 ${version}`);
});

test('scripts have source maps that stand alone', () => {
  const dist = path.join(root, 'dist');
  const scripts = fs.readdirSync(dist).filter((name) => name.endsWith('.js'));
  assert.ok(scripts.includes('engine.js'));
  for (const name of scripts) {
    const map = path.join(dist, `${name}.map`);
    const named = /# sourceMappingURL=(.*)/.exec(fs.readFileSync(path.join(dist, name), 'utf8'))?.[1];
    if (name.endsWith('.generated.js')) {
      assert.deepEqual([named, fs.existsSync(map)], [undefined, false], name);
      continue;
    }
    const { sources, sourcesContent } = JSON.parse(fs.readFileSync(map, 'utf8'));
    assert.equal(named, `${name}.map`);
    assert.equal(sources.length, 1);
    assert.equal(sourcesContent[0], fs.readFileSync(path.join(dist, sources[0]), 'utf8'));
  }
});

test('its README names nothing outside of the package', () => {
  const text = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
  assert.doesNotMatch(text, /docs\/|\.\.\/|in the repository/);
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const [, entry] of text.matchAll(/^\| `limber(\/[\w/.]+)?` \|/gm)) assert.ok(exports[`.${entry ?? ''}`], entry);
  for (const [, link] of text.matchAll(/\]\(([^)]+)\)/g)) assert.ok(fs.existsSync(path.join(root, link)), link);
});

const PAGE = `
import { limber } from 'limber/three';
import { Group } from 'three';
limber(new Group(), 'cartoon').then((toon) => toon.update(0.01));
`;
const INLINED = bytes.toString('base64', 0, 300); // how the inlined module begins

/** Everything that a bundler has written, by the end of its name, and that the inlined module is not in it. */
function expectNoInline(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => fs.statSync(path.join(folder, name)).isFile());
  for (const name of files)
    assert.ok(!fs.readFileSync(path.join(folder, name), 'latin1').includes(INLINED), `${name} has the module as text`);
  return files.map((name) => path.extname(name)).sort();
}

test('the inlined module is not in the output of bundlers that were not asked for it', async () => {
  const { build: vite } = await import('vite');
  const { build: esbuild } = await import('esbuild');
  const folder = install('bundlers');
  lend(folder, 'three');
  fs.writeFileSync(path.join(folder, 'index.html'), '<script type="module" src="/use.js"></script>');
  fs.writeFileSync(path.join(folder, 'use.js'), PAGE);
  const at = (name) => path.join(folder, name);
  await vite({
    root: folder,
    logLevel: 'silent',
    build: { outDir: at('vite'), target: 'es2022', assetsInlineLimit: 0 },
  });
  assert.deepEqual(expectNoInline(at('vite')), ['.html', '.js', '.wasm']);
  const options = {
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    splitting: true,
    logLevel: 'error',
  };
  await esbuild({ ...options, entryPoints: [at('use.js')], outdir: at('esbuild') });
  assert.deepEqual(expectNoInline(at('esbuild')), ['.js']);
  fs.writeFileSync(at('with.js'), `import 'limber/inline';\n${PAGE}`);
  await esbuild({ ...options, entryPoints: [at('with.js')], outdir: at('inline') });
  assert.throws(() => expectNoInline(at('inline')), /has the module as text/);
});

/** With --long only: checking the types of three and React takes most of this file's time. */
const LATER = { skip: !process.env.LIMBER_TEST_LONG && 'with --long' };

const TYPED = `
import { createEngine, type Style, type CharacterDescription } from 'limber/engine';
import { wasmBytes } from 'limber/inline';
const style: Style = { skinning: 'dualquat', effects: { floppy: { angular: '0.4 * height', filter: { type: 'lowpass' } } }, joints: { 'Leg*': { '*': 0 } } };
// @ts-expect-error: no such effect
const wrong: Style = { effects: { flopy: {} } };
// @ts-expect-error: no such word
const other: Style = { skinning: 'cubic' };
export async function use(description: CharacterDescription): Promise<Float32Array> {
  const character = (await createEngine(wasmBytes())).character(description);
  character.pipeline(wrong); character.pipeline(other);
  return character.pipeline(style).evaluate('walk', 0.5).positions;
}
`;

const REQUIRED_TYPES = `
import limber = require('limber');
export const error: limber.LimberError = new limber.LimberError('x');
`;

// What docs show compiles as it stands, and each typo is an error.
const TYPED_THREE = `
import { limber, type PresetName, type Style, type StyleChanges, type StyleSource, type StyleText, type Toon } from 'limber/three';
import { createEngine } from 'limber/engine';
import { Object3D } from 'three';
export async function use(toon: Toon, text: string, name: PresetName, key: 'effects.drag.linear'): Promise<void> {
  console.log(toon.style.effects.floppy.angular);
  const bend: number | string | undefined = toon.style.effects.drag.filter.velocity.gamma;
  const copy: Style = toon.style;
  const source: StyleSource = toon.style;
  toon.style = 'jelly';
  toon.style = name;
  toon.style = copy;
  toon.style = '{ "effects": { "floppy": { "angular": 0.4 } } } // JSON with comments';
  toon.style = text as StyleText;
  toon.style = { effects: { floppy: { angular: '0.4 * height' } } };
  toon.patch({ 'effects.floppy.angular': 0.5, 'effects.squash': { linear: 0.1 }, 'joints.Leg*.*': 0, 'joints.Head.squash.linear': 0.5 });
  toon.patch({ [key]: 0.5, skinning: 'dualquat', 'meshes.Cape*.effects.floppy': 2, 'smear.lines.count': 20 });
  const changes: StyleChanges = { joints: { Head: { '*': 0.5 } } };
  toon.patch(changes);
  await limber(new Object3D(), 'subtle');
  (await createEngine()).parseStyle('cartoon', { 'effects.lift.cone.joint': 'Hips' });
  void [bend, source];
}
export async function typos(toon: Toon, text: string): Promise<void> {
  // @ts-expect-error: no such preset
  toon.style = 'jely';
  // @ts-expect-error: any text may be anything
  toon.style = text;
  // @ts-expect-error: no such preset
  await limber(new Object3D(), 'cartonn');
  // @ts-expect-error: no such effect
  toon.patch({ 'effects.flopy.angular': 0.5 });
  // @ts-expect-error: no such key
  toon.patch({ 'effects.floppy.angulr': 0.5 });
  // @ts-expect-error: no such word
  toon.patch({ skinning: 'cubic' });
  // @ts-expect-error: not a number
  toon.patch({ 'impact.gain': true });
  // @ts-expect-error: no such key of joints
  toon.patch({ 'joints.Leg*.flopy': 0 });
  // @ts-expect-error: no such key of meshes
  toon.patch({ 'meshes.Cape*.effects.flopy': 0 });
  // @ts-expect-error: no such group
  console.log(toon.style.effect);
  // @ts-expect-error: no such effect
  console.log(toon.style.effects.flopy);
  // @ts-expect-error: no such key
  (await createEngine()).parseStyle('cartoon', { 'effects.lift.cone.joins': 'Hips' });
}
`;

function compile(folder, file, ...more) {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  return run(folder, process.execPath, tsc, '--strict', '--noEmit', '--target', 'es2022', ...more, file);
}

/** Makes packages of this repository visible in a folder. */
function lend(folder, ...names) {
  for (const name of names) {
    const to = path.join(folder, 'node_modules', name);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.symlinkSync(path.join(root, '../node_modules', name), to);
  }
}

test('names of presets and paths of keys are types: a typo does not compile, and groups can be read', () => {
  const folder = install('typescript-three');
  lend(folder, 'three', '@types/three', '@dimforge/rapier3d-compat', '@tweenjs/tween.js', '@types/stats.js', 'meshoptimizer', 'fflate'); // prettier-ignore
  fs.writeFileSync(path.join(folder, 'use.ts'), TYPED_THREE);
  compile(folder, 'use.ts', '--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck');
});

test('its types are whole: a program may check those of all packages', LATER, () => {
  const folder = install('typescript-whole');
  lend(folder, 'three', '@types/three', '@dimforge/rapier3d-compat', '@tweenjs/tween.js', '@types/stats.js', 'meshoptimizer', 'fflate', 'react', '@types/react', '@react-three/fiber', 'csstype'); // prettier-ignore
  const entries = ['', '/engine', '/three', '/webgpu', '/react', '/inline', '/light'];
  fs.writeFileSync(path.join(folder, 'use.ts'), entries.map((name) => `import 'limber${name}';\n`).join(''));
  const more = ['--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck', 'false', '--types', '--pretty', 'false']; // prettier-ignore
  let said = '';
  try {
    compile(folder, 'use.ts', ...more);
  } catch (error) {
    said = String(error.stdout ?? error.message);
  }
  const ours = said.split('\n').filter((line) => /limber/.test(line) && /error TS/.test(line));
  assert.deepEqual(ours, []);
});

test('groups of a style are there for readers only', async () => {
  const { limber } = await import('../dist/three.js');
  const toon = await limber(tube().group, { effects: { squash: { linear: 0.1 } } });
  assert.equal(toon.style.effects.squash.linear, 0.1);
  assert.equal(toon.style.effects.floppy.filter.velocity.gamma, undefined);
  assert.equal(toon.style.exaggerate.filter.amount, undefined);
  assert.deepEqual(Object.keys(toon.style.effects), ['squash']);
  assert.equal(JSON.stringify(toon.style), JSON.stringify({ limber: 1, effects: { squash: { linear: 0.1 } } }));
  assert.throws(() => (toon.style.effects.floppy.angular = 1), TypeError);
  toon.style = toon.style; // eslint-disable-line no-self-assign -- it is a style like any other
  assert.equal(toon.style.effects.floppy.angular, undefined);
  toon.dispose();
});

test('its types serve strict TypeScript, with import and with require()', () => {
  const folder = install('typescript');
  const node = ['--module', 'nodenext', '--moduleResolution', 'nodenext'];
  fs.writeFileSync(path.join(folder, 'use.ts'), TYPED);
  if (!LATER.skip) {
    compile(folder, 'use.ts', ...node);
    compile(folder, 'use.ts', '--module', 'esnext', '--moduleResolution', 'bundler');
  } // as bundlers resolve it the typed three.js above does every day
  lend(folder, 'three', '@types/three', '@dimforge/rapier3d-compat', '@tweenjs/tween.js', '@types/stats.js', 'meshoptimizer', 'fflate'); // prettier-ignore
  fs.writeFileSync(path.join(folder, 'use.cts'), REQUIRED_TYPES);
  compile(folder, 'use.ts', 'use.cts', ...node, '--skipLibCheck');
});

test('Vite builds a page of it, and leaves out what is not used', async () => {
  const { build } = await import('vite');
  const folder = install('vite');
  fs.writeFileSync(path.join(folder, 'index.html'), '<script type="module" src="/use.js"></script>');
  fs.writeFileSync(path.join(folder, 'use.js'), USE);
  await build({ root: folder, logLevel: 'silent', build: { target: 'es2022', assetsInlineLimit: 0 } });
  const assets = fs.readdirSync(path.join(folder, 'dist/assets'));
  const wasm = assets.find((name) => name.endsWith('.wasm'));
  const script = assets.find((name) => name.startsWith('index') && name.endsWith('.js'));
  assert.ok(bytes.equals(fs.readFileSync(path.join(folder, 'dist/assets', wasm))));
  const text = fs.readFileSync(path.join(folder, 'dist/assets', script), 'utf8');
  assert.ok(text.length < 60_000, `${text.length} characters`);
  assert.ok(!text.includes('limber_displace'), 'the shader is not used');
  assert.ok(!text.includes('effects.floppy.max_bend'), 'the table of keys is not used');
});
