// Every code example in the documentation of the package and the studio type-checks against the built package.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const at = (name) => path.join(repository, name);
const virtual = at('web/limber/test/examples');

/** What examples may use without declaring it. */
const GLOBALS = `
import type { AnimationMixer, Camera, Scene, WebGLRenderer } from 'three';
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js';
import type { Character, CharacterDescription, Engine, Live, Pack, Pipeline, SmearMesh } from 'limber/engine';
import type { StyleSource, Toon } from 'limber/three';
declare global {
  var gltf: GLTF, mixer: AnimationMixer, dt: number, toon: Toon, style: StyleSource;
  var pipeline: Pipeline, live: Live, pack: Pack, local: Float32Array, now: number, description: CharacterDescription;
  var positions: Float32Array, normals: Float32Array, smearMeshes: SmearMesh[], texels: Float32Array;
  var inverseBindMatrices: Float32Array, triangles: Uint32Array, joints: Uint16Array, weights: Float32Array;
  var scene: Scene, camera: Camera, renderer: WebGLRenderer, engine: Engine, character: Character;
  var floppy: Float32Array, times: number[], values: number[];
}`;

/** As much of drei as the examples need; the package is not installed here. */
const DREI = `
declare module '@react-three/drei' {
  import type { AnimationAction, AnimationClip, Group } from 'three';
  export function useGLTF(url: string): { scene: Group; animations: AnimationClip[] };
  export function useAnimations(clips: AnimationClip[], root: Group): { actions: Record<string, AnimationAction>; names: string[] };
}`;

/** Fenced blocks of a Markdown file: their language, first line and text. */
function fencedBlocks(file) {
  const blocks = [];
  const text = fs.readFileSync(at(file), 'utf8');
  for (const { 1: language, 2: body, index } of text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm))
    blocks.push({ language, line: text.slice(0, index).split('\n').length + 1, body });
  return blocks.filter(({ language }) => ['js', 'jsx', 'ts', 'tsx'].includes(language));
}

/** The indented example in the comment at the top of a source file. */
function headerExample(file) {
  const head = /^(\/\/.*\n)+/.exec(fs.readFileSync(at(file), 'utf8'))[0].split('\n');
  const body = head.filter((line) => line.startsWith('//     ')).map((line) => line.slice('//     '.length));
  return { language: 'js', line: head.findIndex((line) => line.startsWith('//     ')) + 1, body: body.join('\n') };
}

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  jsx: ts.JsxEmit.ReactJSX,
  allowJs: true,
  checkJs: true,
  noImplicitAny: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** Errors of the compiler in some files that are not on disk; names give the folder that imports start from. */
function check(files, options = {}) {
  const settings = { ...OPTIONS, ...options };
  const host = ts.createCompilerHost(settings);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) =>
    files.has(name)
      ? ts.createSourceFile(name, files.get(name), version, true)
      : getSourceFile.call(host, name, version, ...rest);
  const program = ts.createProgram([...files.keys()], settings, host);
  return ts.getPreEmitDiagnostics(program).map((fault) => {
    const text = ts.flattenDiagnosticMessageText(fault.messageText, ' ');
    const line = fault.file ? fault.file.getLineAndCharacterOfPosition(fault.start).line + 1 : 0;
    return `${fault.file && path.basename(fault.file.fileName)}:${line}: ${text}`;
  });
}

/** A module whose lines have the numbers that they have in the document. */
const moduleOf = ({ line, body }) => `${'\n'.repeat(line - 1)}${body}\nexport {};\n`;

const WRONG = {
  language: 'js',
  line: 7,
  body: "import { limber } from 'limber/three';\nconst one = await limber(gltf.scene, 'cartoon');\none.updat(dt);",
};
const documents = ['README.md', 'docs/web.md', 'web/limber/README.md'];
const sources = ['engine', 'inline', 'react', 'three'].map((name) => `web/limber/src/${name}.ts`);
const stemOf = (file) => file.replace(/\W/g, '_');

/** What the compiler says about all examples; at once, as the types of browsers and of three take it seconds. */
const faults = (() => {
  const files = new Map([
    [path.join(virtual, 'globals.d.ts'), GLOBALS],
    [path.join(virtual, 'drei.d.ts'), DREI],
  ]);
  const add = (file, block) =>
    files.set(path.join(virtual, `${stemOf(file)}_${block.line}.${block.language}`), moduleOf(block));
  for (const file of documents) fencedBlocks(file).forEach((block) => add(file, block));
  for (const file of sources) add(file, headerExample(file));
  add('wrong.md', WRONG);
  return check(files);
})();

for (const file of [...documents, ...sources])
  test(`the examples in ${file} compile`, () => {
    if (documents.includes(file)) assert.ok(fencedBlocks(file).length > 0, `${file} has no examples`);
    else assert.notEqual(headerExample(file).body, '', `${file} has no example at the top`);
    assert.deepEqual(
      faults.filter((one) => one.startsWith(`${stemOf(file)}_`)),
      [],
    );
  });

test('an example with a wrong name is found, and nothing is wrong in between', () => {
  const others = faults.filter((one) => ![...documents, ...sources].some((file) => one.startsWith(`${stemOf(file)}_`)));
  assert.equal(others.length, 1, others.join('\n'));
  assert.match(others[0], /^wrong_md_7\.js:9: .*updat/);
});

test('the tool in web/studio/README.md compiles', () => {
  const [block] = fencedBlocks('web/studio/README.md');
  const files = new Map([[at('web/studio/src/tools/readme_example.ts'), moduleOf(block)]]);
  assert.deepEqual(check(files, { strict: true }), []);
});
