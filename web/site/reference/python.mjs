// Pages of the Python module, from its sources: one page for each module that has something in limber.__all__.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentHtml, inline, Page, parametersInLines } from './html.mjs';

const SCRIPT = fileURLToPath(new URL('python_module.py', import.meta.url));

/** The package: { modules: [{ name, doc, entries }] }, where entries are what users get, and the names of __all__. */
export function readPackage(root) {
  const folder = path.join(root, 'python/limber');
  const modules = JSON.parse(
    execFileSync('/usr/bin/python3', [SCRIPT, folder], { encoding: 'utf8', maxBuffer: 1 << 26 }),
  );
  const main = modules.find(({ name }) => name === '__init__');
  const home = { ...main.imports };
  const own = (module, name) =>
    module.name === 'cache' ? module.all.includes(name) : main.all.includes(name) && home[name] === module.name;
  const kept = modules
    .map((module) => ({
      ...module,
      entries: inOrder(
        module,
        module.entries.filter((one) => own(module, one.name)),
      ),
    }))
    .filter(({ entries }) => entries.length)
    .map((module) => ({ ...module, aliases: module.aliases.filter(({ doc }) => doc) }));
  return { doc: main.doc, all: main.all, modules: ORDER(kept) };
}

// As the module's own __all__ has them, which begins with what it is for.
const inOrder = ({ all }, entries) => [...entries].sort((a, b) => all.indexOf(a.name) - all.indexOf(b.name));

// In the order in which a program meets them; modules that are not named come last.
const FIRST = ['file', 'style', 'pipeline', 'live', 'character', 'build'];
const place = ({ name }) =>
  FIRST.includes(name) ? FIRST.indexOf(name) : name === '_library' || name === 'errors' ? 99 : 50;
const ORDER = (modules) => [...modules].sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));

const prefix = (module) => (module.name === 'cache' ? 'limber.cache' : 'limber');
const titleOf = ({ name }) => `limber.${name.replace(/^_/, '')}`;
const pathOf = (module) => `reference/python/${module.name.replace(/^_/, '')}.html`;
const MAIN = 'reference/python/limber.html';

export function register(names, { modules }) {
  names.add('python', 'limber', MAIN);
  for (const module of modules) {
    if (module.name === 'cache') names.add('python', 'cache', pathOf(module));
    for (const { name } of module.aliases) names.add('python', name, pathOf(module), name);
    for (const entry of module.entries) {
      const id = `${prefix(module)}.${entry.name}`;
      for (const name of module.name === 'cache' ? [id, `cache.${entry.name}`] : [id, entry.name])
        names.add('python', name, pathOf(module), id);
      for (const member of entry.members ?? [])
        names.add('python', `${entry.name}.${member.name}`, pathOf(module), `${id}.${member.name}`);
    }
  }
}

const withoutQuotes = (text) =>
  text.replace(/'([^']*\[[^']*|[A-Z]\w*)'/g, '$1').replaceAll('np.ndarray[Any, Any]', 'np.ndarray');

const laidOut = (text) => parametersInLines(withoutQuotes(text), 4);

// Docstrings: examples begin with >>>, tables of parameters have their names in a column.
function addDoc(page, doc) {
  let lines = [];
  let example = [];
  const flush = () => {
    if (lines.some((line) => line.trim()))
      page.add(
        commentHtml(
          page,
          lines.map((line) => line.replaceAll('``', '`')),
        ),
      );
    if (example.length) page.pre(example.map((line) => line.slice(example[0].search(/\S/))).join('\n'), 'python');
    lines = [];
    example = [];
  };
  for (const line of doc.split('\n')) {
    const isExample = /^ *>>>/.test(line) || (example.length > 0 && line.trim() !== '');
    if (isExample !== example.length > 0) flush();
    (isExample ? example : lines).push(line);
  }
  flush();
}

const isData = ({ bases, decorators }) =>
  bases.includes('NamedTuple') || decorators.some((one) => one.startsWith('dataclass'));

// A class that only other functions make has a constructor that is not for programs.
function constructorOf(entry) {
  const init = entry.members.find(({ name }) => name === '__init__');
  if (init) return init.doc && !init.doc.startsWith('Not for programs') ? init : null;
  if (!isData(entry) || !entry.decorators.length) return null;
  const fields = entry.members.filter(({ kind }) => kind === 'attribute');
  const values = fields.map(
    ({ name, signature, value }) =>
      `${name}: ${signature}${value ? ` = ${value.includes('field(') ? '...' : value}` : ''}`,
  );
  return { signature: `(${values.join(', ')})`, doc: '' };
}

const attributes = (entry) => entry.members.filter(({ kind }) => kind === 'attribute' || kind === 'property');
const methods = (entry) =>
  entry.members.filter(
    ({ kind, name }) => !['attribute', 'property', 'setter'].includes(kind) && !name.startsWith('__'),
  );

// What a table in the docstring of a class says of a field.
const inTable = (entry, name) => new RegExp(`^${name}\\s+\\S|\`${name}\``, 'm').test(entry.doc);

function addAttributes(page, id, entry) {
  const rows = attributes(entry).map(({ kind, name, signature, doc }) => {
    const type = withoutQuotes(kind === 'property' ? signature.replace(/^.*-> /, '') : signature);
    const text = doc.replace(/\s+/g, ' ').replaceAll('``', '`');
    return { id: `${id}.${name}`, code: `${name}${type ? `: ${page.code(type)}` : ''}`, html: inline(page, text) };
  });
  page.members(rows);
}

function addClass(page, module, entry) {
  const id = `${prefix(module)}.${entry.name}`;
  const made = constructorOf(entry);
  const bases = entry.bases.filter((base) => !base.startsWith('m.') && base !== 'NamedTuple');
  page.heading(2, entry.name, { id, code: true, kind: bases.length ? `class, a ${bases.join(' and a ')}` : 'class' });
  if (made) page.signature(laidOut(`${id}${made.signature.replace(/ -> None$/, '')}`), 'python', [id]);
  addDoc(page, entry.doc);
  if (made?.doc) addDoc(page, made.doc);
  if (!attributes(entry).every(({ name, doc }) => !doc && inTable(entry, name))) addAttributes(page, id, entry);
  for (const one of methods(entry)) {
    page.heading(3, `${entry.name}.${one.name}`, {
      id: `${id}.${one.name}`,
      code: true,
      kind: one.kind === 'function' ? '' : one.kind,
    });
    page.signature(laidOut(`${one.name}${one.signature}`), 'python', [id]);
    addDoc(page, one.doc);
  }
}

function addFunction(page, module, entry) {
  const id = `${prefix(module)}.${entry.name}`;
  page.heading(2, entry.name, { id, code: true, kind: 'function' });
  page.signature(laidOut(`${id}${entry.signature}`), 'python', [id]);
  addDoc(page, entry.doc);
}

function pageOf(names, module) {
  const page = new Page(names, 'python', pathOf(module), titleOf(module), 'Python');
  addDoc(page, module.doc);
  for (const entry of module.entries)
    if (entry.kind === 'class') addClass(page, module, entry);
    else addFunction(page, module, entry);
  addAliases(page, module);
  return page.done();
}

// Types that signatures name: they have no name in limber itself.
function addAliases(page, { aliases }) {
  if (aliases.length) page.heading(2, 'Types in signatures');
  const rows = aliases.map(({ name, value, doc }) => ({
    id: name,
    code: `${name} = ${page.code(value)}`,
    html: inline(page, doc),
  }));
  page.members(rows);
}

function mainPage(names, { doc, modules }) {
  const page = new Page(names, 'python', MAIN, 'limber', 'Python');
  addDoc(page, doc);
  for (const module of modules) {
    page.heading(2, module.doc.split('\n')[0].replace(/\.$|`/g, ''));
    const rows = module.entries.map(({ name, doc: about }) => ({
      code: page.link(`${prefix(module)}.${name}`),
      html: inline(page, about.replaceAll('``', '`').split(/\n\n|(?<=\.)\s/)[0]),
    }));
    page.members(rows);
  }
  return page.done();
}

export const pages = (names, all) => [mainPage(names, all), ...all.modules.map((module) => pageOf(names, module))];

/** Names of what has no docstring and no `#:` comment. */
export function undocumented({ modules }) {
  const found = [];
  for (const module of modules)
    for (const entry of module.entries) {
      const id = `${prefix(module)}.${entry.name}`;
      if (!entry.doc) found.push(id);
      if (entry.kind !== 'class') continue;
      for (const { name, doc } of attributes(entry))
        if (!doc && !inTable(entry, name) && name !== 'name') found.push(`${id}.${name}`);
      for (const { name, doc } of methods(entry)) if (!doc) found.push(`${id}.${name}`);
    }
  return found;
}
