// The reference: everything has a sentence, every link leads somewhere, and nothing is left out. What there is comes from
// elsewhere than the pages: the shared library, a compiler, the modules themselves.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as c from '../reference/c.mjs';
import { optionsOf } from '../reference/cli.mjs';
import { namesOf, pages, read } from '../reference/index.mjs';
import * as npm from '../reference/npm.mjs';
import * as python from '../reference/python.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const build = process.env.LIMBER_PROGRAM ? path.dirname(process.env.LIMBER_PROGRAM) : path.join(root, 'build');
const all = read(root, build);
const made = await pages(root, build, (document) => `/${document}`);
const run = (program, words, options = {}) =>
  execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });

const idsOf = (html) => [...html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
const ids = new Map(made.map((page) => [page.path, idsOf(page.html)]));
const anchors = (section) =>
  new Set(made.filter((page) => page.section === section).flatMap((page) => ids.get(page.path)));
const missing = (wanted, found) => [...wanted].filter((name) => !found.has(name));

// --- sentences ---

test('every function, type and field of the headers has a sentence', () => {
  assert.deepEqual(c.undocumented(all.headers), []);
});

test('everything that the npm package exports has a sentence', () => {
  assert.deepEqual(npm.undocumented(all.entries), []);
});

test('everything that the Python module exports has a sentence', () => {
  assert.deepEqual(python.undocumented(all.package), []);
});

test('every option has a help, and every key a meaning', () => {
  for (const { name, lines } of all.helps)
    for (const { words, help } of optionsOf(lines)) assert.ok(help.trim(), `limber ${name} ${words}`);
  const rows = all.table.markdown.split('\n').filter((line) => line.startsWith('| `'));
  for (const row of rows) assert.match(row, /\| [^|]*\w[^|]* \|$/, row);
});

test('a declaration without a comment, a property and an attribute are noticed', () => {
  const declaration = { kind: 'function', name: 'limber_f', notes: [] };
  const header = { file: 'limber/x.h', entries: [{ comment: [], declarations: [declaration] }] };
  assert.deepEqual(c.undocumented([header]), ['limber/x.h: limber_f']);
  const field = { names: ['length'], code: 'float length;', comment: [] };
  const struct = { kind: 'struct', name: 'limber_s', notes: [], members: [field] };
  header.entries = [{ comment: ['A struct.'], declarations: [struct] }];
  assert.deepEqual(c.undocumented([header]), ['limber/x.h: limber_s.length']);
  const member = { kind: 'property', name: 'length', texts: ['length: number'], doc: '' };
  const type = { name: 'T', kind: 'interface', doc: 'A type.', texts: [''], members: [member] };
  assert.deepEqual(npm.undocumented([{ name: 'limber/x', symbols: [type] }]), ['limber/x: T.length']);
  const attribute = { kind: 'attribute', name: 'length', doc: '' };
  const entry = { kind: 'class', name: 'C', doc: 'A class.', members: [attribute] };
  assert.deepEqual(python.undocumented({ modules: [{ name: 'x', entries: [entry] }] }), ['limber.C.length']);
});

// --- nothing is left out ---

test('the functions of the headers are those of the shared library', () => {
  const symbols = run('nm', ['-D', '--defined-only', path.join(build, 'liblimber.so')]);
  const exported = [...symbols.matchAll(/ T (limber_\w+)$/gm)].map((match) => match[1]);
  const declared = all.headers
    .flatMap(({ entries }) => entries.flatMap(({ declarations = [] }) => declarations))
    .flatMap(({ kind, name, of }) => (kind === 'function' ? [name] : kind === 'default' ? [`${of}_init`] : []));
  assert.ok(exported.length > 200, `${exported.length}`);
  assert.deepEqual([...declared].sort(), exported.sort());
});

/** Structs with their fields, and the values of enums, as a compiler sees them. */
function compiled() {
  const input = '#include <limber/limber.h>\n#include <limber/stages/stages.h>\n';
  const words = ['-Xclang', '-ast-dump=json', '-fsyntax-only', `-I${path.join(root, 'include')}`, '-x', 'c', '-'];
  const found = [];
  for (const node of JSON.parse(run('clang', words, { input })).inner) {
    if (!/^(limber|LIMBER)_/.test(node.name ?? node.inner?.[0]?.name ?? '')) continue;
    if (node.kind === 'TypedefDecl') found.push(node.name);
    const parts = (node.inner ?? []).filter(({ kind }) => kind === 'FieldDecl' || kind === 'EnumConstantDecl');
    for (const { kind, name } of parts)
      if (name !== 'reserved') found.push(kind === 'FieldDecl' ? `${node.name}.${name}` : name);
  }
  return found;
}

test('every type, field and value that a compiler finds in the headers has an anchor', (t) => {
  try {
    run('clang', ['--version']);
  } catch {
    return t.skip('no clang');
  }
  const found = compiled();
  assert.ok(found.length > 900, `${found.length}`);
  assert.deepEqual(missing(found, anchors('C')), []);
});

test('every macro of the headers has an anchor', () => {
  const found = all.headers.flatMap(({ file }) => {
    const text = fs.readFileSync(path.join(root, 'include', file), 'utf8');
    return [...text.matchAll(/^#define (LIMBER_\w+)\b(?!_H$).+/gm)].map((match) => match[1]);
  });
  assert.ok(found.includes('LIMBER_TO_END'));
  assert.deepEqual(missing(found, anchors('C')), []);
});

test('every header of include/ has a page that opens with its example', () => {
  const files = fs.readdirSync(path.join(root, 'include'), { recursive: true }).filter((name) => name.endsWith('.h'));
  assert.deepEqual(all.headers.map(({ file }) => file).sort(), files.sort());
  for (const { file, opening } of all.headers) {
    const page = made.find(({ title }) => title === file);
    const code = opening.filter((line) => /^ {4}.*[;{]$/.test(line));
    for (const line of code) assert.ok(page.html.includes(escapeHtml(line.slice(4))), `${file}: ${line}`);
  }
});

const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

test('what the modules of the npm package export when they run has an anchor', async () => {
  const found = new Set();
  for (const { file } of all.entries) {
    // Node 18 cannot load limber/react: what it imports asks for three, which has ES modules only, by require().
    if (parseInt(process.versions.node) < 20 && file.endsWith('react.d.ts')) continue;
    const module = await import(pathToFileURL(file.replace(/\.d\.ts$/, '.js')));
    for (const name of Object.keys(module)) found.add(name);
  }
  assert.ok(found.size > 15, `${found.size}`);
  assert.deepEqual(missing(found, anchors('npm')), []);
});

const INSPECT = `
import inspect, json, sys
sys.path.insert(0, sys.argv[1])
import limber
found = []
for name in limber.__all__:
    thing = getattr(limber, name)
    if inspect.ismodule(thing):
        found += [f"limber.{name}.{one}" for one in thing.__all__]
    elif not name.startswith("__"):
        found.append(f"limber.{name}")
    if inspect.isclass(thing):
        public = [k for k in vars(thing) if not k.startswith("_")]
        notes = [k for k in vars(thing).get("__annotations__", {}) if not k.startswith("_")]
        own = [one for one in {*public, *notes} if not any(one in vars(base) for base in thing.__mro__[1:])]
        found += [f"limber.{name}.{one}" for one in own]
print(json.dumps(found))
`;

test('what the Python module has when it runs has an anchor', () => {
  const words = ['-c', INSPECT, path.join(root, 'python')];
  const env = { ...process.env, LIMBER_LIBRARY: path.join(build, 'liblimber.so') };
  const found = JSON.parse(run('/usr/bin/python3', words, { env }));
  assert.ok(found.length > 150, `${found.length}`);
  const known = anchors('Python');
  const inTables = all.package.modules.flatMap(({ entries }) =>
    entries.flatMap(({ name, doc, members = [] }) =>
      members.filter((one) => new RegExp(`^${one.name}\\s`, 'm').test(doc)).map((one) => `limber.${name}.${one.name}`),
    ),
  );
  assert.deepEqual(missing(found, new Set([...known, ...inTables])), []);
});

test('every key of the table has an anchor', () => {
  const known = [...anchors('Style')];
  assert.ok(all.table.paths.length > 150, `${all.table.paths.length}`);
  // Filters of single quantities have the keys of the common one; the page says so once.
  const shown = (key) => key.replace(/^(effects\.\*\.filter\.\w+)\.\w+$/, '$1');
  const patterns = all.table.paths.map(
    (key) =>
      new RegExp(
        `^${shown(key)
          .replace(/[.[\]$^]/g, '\\$&')
          .replaceAll('*', '.*')}$`,
      ),
  );
  assert.deepEqual(
    all.table.paths.filter((_, i) => !known.some((id) => patterns[i].test(id))),
    [],
  );
});

test('every command and every option has an anchor', () => {
  const table = fs.readFileSync(path.join(root, 'cli/main.c'), 'utf8');
  const verbs = [...table.matchAll(/^ {4}\{"(\w+)", "/gm)].map((match) => match[1]);
  assert.deepEqual(
    all.helps.slice(1).map(({ name }) => name),
    verbs,
  );
  for (const verb of verbs) {
    const help = run(path.join(build, 'limber'), [verb, '--help']);
    const options = [...help.slice(help.indexOf('\nOptions:')).matchAll(/^ {2}--?([a-z][a-z-]*)/gm)];
    assert.ok(options.length > 1, verb);
    const known = new Set(ids.get(`reference/cli/${verb}.html`));
    for (const [, option] of options) assert.ok(known.has(`option-${option}`), `limber ${verb} --${option}`);
  }
});

// --- the pages ---

test('every link leads to a page and to an anchor of it', () => {
  let count = 0;
  for (const page of made)
    for (const [, href] of page.html.matchAll(/ href="([^"]*)"/g)) {
      if (href.startsWith('http')) continue;
      if (href.startsWith('/docs/')) {
        assert.ok(fs.existsSync(path.join(root, href)), `${page.path}: ${href}`);
        continue;
      }
      const [file, id] = href.split('#');
      const target = file ? path.posix.join(path.posix.dirname(page.path), file) : page.path;
      assert.ok(ids.has(target), `${page.path}: ${href}`);
      if (id) assert.ok(ids.get(target).includes(decodeURIComponent(id)), `${page.path}: ${href}`);
      count++;
    }
  assert.ok(count > 1500, `${count}`);
});

test('pages have different paths, anchors occur once, and headings are anchors', () => {
  assert.equal(new Set(made.map((page) => page.path)).size, made.length);
  for (const { path: file, headings } of made) {
    const own = ids.get(file);
    assert.deepEqual(
      own.filter((id, i) => own.indexOf(id) !== i),
      [],
      file,
    );
    for (const { id, text, level } of headings) {
      assert.ok(own.includes(id), `${file}: ${id}`);
      assert.ok(text && level >= 2, `${file}: ${id}`);
    }
  }
});

const VOID = ['br'];

test('elements are closed in order, and no comment mark is left in the text', () => {
  for (const { path: file, html, text } of made) {
    const open = [];
    for (const [, end, name] of html.matchAll(/<(\/?)(\w+)[^>]*>/g))
      if (end) assert.equal(open.pop(), name, `${file}: ${html.slice(0, 0)}${name}`);
      else if (!VOID.includes(name)) open.push(name);
    assert.deepEqual(open, [], file);
    assert.ok(text.length > 40, file);
    assert.doesNotMatch(html.replace(/<pre[^]*?<\/pre>/g, ''), /`|\/\*\*|[>"]undefined|\[object/, file);
  }
});

// --- documents that are written by hand ---

const documents = [
  'README.md',
  'web/limber/README.md',
  ...fs.readdirSync(path.join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));
const VARIABLES = {
  toon: ['Toon'],
  crowd: ['ToonCrowd', 'Crowd'],
  member: ['ToonMember'],
  character: ['Character'],
  engine: ['Engine'],
  pipeline: ['Pipeline'],
  live: ['Live'],
  pack: ['Pack'],
};
const names = namesOf(all);

/** Members of the package's classes in texts for the web, names of the module in those for Python, keys, options. */
function* used(file, text) {
  const isPython = file === 'docs/python.md';
  if (/web/.test(file))
    for (const [whole, variable, member] of text.matchAll(/(?<![\w/'-])(\w+)\.([a-z]\w*)(?![\w-]|\.\w)/g))
      if (variable in VARIABLES && !['glb', 'gltf'].includes(member))
        yield [whole, VARIABLES[variable].some((name) => names.has('npm', `${name}.${member}`))];
  if (isPython)
    for (const [whole] of text.matchAll(/\blimber\.[A-Za-z]\w*/g))
      yield [whole, names.has('python', whole) || whole === 'limber.cache'];
  if (file !== 'docs/shader.md' && file !== 'docs/engines.md')
    for (const [whole] of text.matchAll(/\blimber_\w+(?=\()/g)) yield [whole, names.has('c', whole)];
  for (const [, key] of text.matchAll(/`((?:effects|smear|timing|pose|body|exaggerate|morphs|impact)\.[\w.]+)`/g))
    yield [key, names.has('style', key)];
  for (const [, verb, rest] of text.matchAll(/\blimber ([a-z]+)((?: [^\n`|#]*)?)/g))
    if (names.has('cli', verb))
      for (const [option] of rest.matchAll(/(?<= )--[a-z][a-z-]*/g))
        yield [`limber ${verb} ${option}`, names.has(`cli ${verb}`, option) || option === '--help'];
}

test('what documents call, set and type is in the reference', () => {
  let count = 0;
  const wrong = documents.flatMap((file) => {
    const text = fs.readFileSync(path.join(root, file), 'utf8').replace(/^## Babylon\.js[^]*?(?=^## )/m, ''); // their own API
    const found = [...used(file, text)];
    count += found.length;
    return found.filter(([, is]) => !is).map(([name]) => `${file}: ${name}`);
  });
  assert.ok(count > 500, `${count}`);
  assert.deepEqual(wrong, []);
});
