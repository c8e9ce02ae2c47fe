// Pages of the npm package, from its type declarations (web/limber/dist/*.d.ts): one page for each entry of the package.
// A name that several entries export is explained where the first of them has it.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { addComment, commentHtml, inline, LINE, Page, parametersInLines } from './html.mjs';

const FOLDER = 'web/limber';
const LAST = '.'; // it only exports what others have

/** The entries of package.json that have types: [{ name, file }], the one without a name last. */
export function entriesOf(root) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, FOLDER, 'package.json'), 'utf8'));
  const typed = Object.entries(exports).filter(([, target]) => target.types);
  typed.sort(([a], [b]) => (a === LAST) - (b === LAST));
  return typed.map(([key, { types }]) => ({
    key,
    name: path.posix.join('limber', key),
    file: path.join(root, FOLDER, types),
  }));
}

// All declarations of the package; what it imports from others is not looked at.
function program(root) {
  const dist = path.join(root, FOLDER, 'dist');
  const files = fs
    .readdirSync(dist, { recursive: true })
    .filter((name) => name.endsWith('.d.ts') && !name.startsWith('cjs'));
  if (!files.length) throw new Error(`${dist} has no declarations; build the package first: ./dev web`);
  return ts.createProgram(
    files.map((name) => path.join(dist, name)),
    {
      noResolve: true,
      noLib: true,
      types: [],
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      module: ts.ModuleKind.ESNext,
    },
  );
}

// The comment that opens the source of an entry.
function openingOf(root, file) {
  const source = path.join(root, FOLDER, 'src', path.basename(file).replace('.d.ts', '.ts'));
  const lines = fs.readFileSync(source, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''));
}

const KINDS = [
  ['function', ts.isFunctionDeclaration],
  ['class', ts.isClassDeclaration],
  ['constant', ts.isVariableDeclaration],
  ['interface', ts.isInterfaceDeclaration],
  ['type', ts.isTypeAliasDeclaration],
];

const isPrivate = (node) =>
  (ts.getCombinedModifierFlags(node) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0;

function docOf(checker, symbol) {
  return ts.displayPartsToString(symbol?.getDocumentationComment(checker) ?? []).replace(/[ \t]+$/gm, '');
}

// Without comments inside, which belong to members that are listed anyway.
const textOf = (node) =>
  node
    .getText()
    .replace(/\/\*\*?[^]*?\*\/\s*/g, '')
    .replace(/^(export |declare |default )+/, '');

function membersOf(checker, node) {
  const list = node.members ?? (node.type && ts.isTypeLiteralNode(node.type) ? node.type.members : []);
  const seen = new Map();
  for (const member of list) {
    if (isPrivate(member) || (member.name && ts.isPrivateIdentifier(member.name))) continue;
    const kind = ts.isConstructorDeclaration(member)
      ? 'constructor'
      : ts.isMethodDeclaration(member) || ts.isMethodSignature(member)
        ? 'method'
        : 'property';
    const name = kind === 'constructor' ? 'constructor' : (member.name?.getText() ?? '');
    const doc = kind === 'constructor' ? jsDoc(member) : docOf(checker, member.symbol) || jsDoc(member);
    const text = textOf(member).replace(/;$/, '');
    const before = seen.get(name);
    if (before && ts.isSetAccessor(member))
      before.texts = before.texts.map((get) => get.replace(/^get (\w+)\(\)/, '$1'));
    else if (before) before.texts.push(text);
    else seen.set(name, { kind, name, doc, texts: [text] });
  }
  const shown = (text) => text.replace(/^get (\w+)\(\)/, 'readonly $1');
  return [...seen.values()].map((one) => ({ ...one, texts: one.texts.map(shown) }));
}

const jsDoc = (node) =>
  (node.jsDoc ?? [])
    .map(({ comment }) => (typeof comment === 'string' ? comment : (ts.getTextOfJSDocComment(comment) ?? '')))
    .join('\n');

function describe(checker, alias) {
  const symbol = alias.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(alias) : alias;
  const nodes = symbol.declarations ?? [];
  const kind = KINDS.find(([, is]) => nodes.some(is))?.[0];
  if (!kind) throw new Error(`the reference does not know what '${alias.name}' is`);
  const node = nodes.find((one) => KINDS.some(([, is]) => is(one)));
  const generated = path.basename(node.getSourceFile().fileName) === 'style.generated.d.ts';
  const texts = nodes.filter((one) => KINDS.some(([, is]) => is(one))).map(textOf);
  const heritage = (node.heritageClauses ?? []).map((clause) => clause.getText()).join(' ');
  const own = symbol.declarations[0].getSourceFile();
  return {
    name: alias.name,
    file: own.fileName,
    symbol,
    kind,
    doc: docOf(checker, symbol),
    texts,
    heritage,
    generated,
    members: membersOf(checker, node),
  };
}

// What an interface says nothing of is explained by the class that implements it.
function fillFromClasses(symbols) {
  for (const { members, heritage } of symbols.filter(({ kind }) => kind === 'class'))
    for (const one of symbols.filter(
      ({ name, kind }) => kind === 'interface' && new RegExp(`implements.*\\b${name}\\b`).test(heritage),
    ))
      for (const member of one.members) member.doc ||= members.find(({ name }) => name === member.name)?.doc ?? '';
}

/** The package: [{ key, name, opening, symbols, others }]; others are names that an earlier entry explains. */
export function readPackage(root) {
  const all = program(root);
  const checker = all.getTypeChecker();
  const homes = new Map();
  return entriesOf(root).map((entry) => {
    const module = checker.getSymbolAtLocation(all.getSourceFile(entry.file));
    const found = checker.getExportsOfModule(module).map((symbol) => describe(checker, symbol));
    const isOwn = ({ file }) => path.resolve(file) === path.resolve(entry.file);
    const symbols = [...found.filter(isOwn), ...found.filter((one) => !isOwn(one))];
    const others = symbols.filter(({ symbol }) => homes.has(symbol));
    const own = symbols.filter(({ symbol }) => !homes.has(symbol));
    for (const { symbol } of own) homes.set(symbol, entry.name);
    fillFromClasses(symbols);
    return {
      ...entry,
      opening: openingOf(root, entry.file),
      symbols: own,
      others,
      all: symbols.map(({ name }) => name),
    };
  });
}

// --- pages ---

const pathOf = ({ key }) => `reference/npm/${key === LAST ? 'limber' : path.basename(key)}.html`;
const lower = (name) => name[0].toLowerCase() + name.slice(1);

export function register(names, entries) {
  for (const entry of entries) {
    const page = pathOf(entry);
    names.add('npm', entry.name, page);
    for (const { name, kind, members } of entry.symbols) {
      names.add('npm', name, page, name);
      for (const member of members)
        if (member.name) {
          const id = `${name}.${member.name}`;
          names.add('npm', id, page, id);
          if (kind === 'class') names.add('npm', `${lower(name)}.${member.name}`, page, id);
        }
    }
  }
}

const GROUPS = [
  ['Functions', ['function']],
  ['Classes', ['class']],
  ['Constants', ['constant']],
  ['Types', ['interface', 'type']],
];

const doc = (page, text) => text && page.add(commentHtml(page, text.split('\n')));

// Types that are made of the table of keys are as long as it: their keys are explained with the style.
const isTable = ({ generated, texts, name }) =>
  generated && texts.join('').length > 600 && !['PresetName', 'StyleKey'].includes(name);
const TABLES = { JointStyle: 'joints.*', MeshStyle: 'meshes.*' };

// A signature; what has no parameters keeps its lines.
function laidOut(text) {
  const line = text.replace(/\s*\n\s*/g, ' ');
  return line.includes('(') || line.length <= LINE ? parametersInLines(line, 2) : text.replace(/^ {4}/gm, '  ');
}

function addMembers(page, { name, kind, members }) {
  const isCall = (member) => kind === 'class' && member.kind !== 'property';
  page.members(
    members
      .filter((member) => !isCall(member))
      .map((member) => ({
        id: `${name}.${member.name}`,
        code: page.code(member.texts.join('; ').replace(/\s*\n\s*/g, ' ')),
        html: memberHtml(page, member),
      })),
  );
  for (const member of members.filter(isCall)) {
    page.heading(4, member.kind === 'constructor' ? `new ${name}` : `${name}.${member.name}`, {
      id: `${name}.${member.name}`,
      code: true,
    });
    page.signature(member.texts.map(laidOut).join('\n'), 'ts');
    doc(page, member.doc);
  }
}

function memberHtml(page, { doc: text }) {
  const html = commentHtml(page, text.split('\n'));
  return html.startsWith('<p>') && html.lastIndexOf('<p>') === 0 && html.endsWith('</p>') ? html.slice(3, -4) : html;
}

// What a class extends, and what it implements that others can name.
function addHeritage(page, { name, kind, heritage }) {
  const bases = heritage.match(/\w+/g) ?? [];
  const isKnown = heritage.includes('extends') || bases.some((base) => page.names.has('npm', base));
  if (isKnown) page.signature(`${kind} ${name} ${heritage}`, 'ts', [name]);
}

function addSymbol(page, symbol) {
  const { name, kind, texts, members } = symbol;
  page.heading(3, name, { id: name, code: true, kind });
  if (isTable(symbol)) {
    doc(page, symbol.doc);
    page.add(`<p>Its keys are those of ${page.link(TABLES[name] ?? '', 'style', 'the style file')}.</p>`);
    return;
  }
  if (kind === 'class' || kind === 'interface') addHeritage(page, symbol);
  else if (kind === 'constant') page.signature(`const ${texts[0]}`, 'ts', [name]);
  else if (!members.length) for (const text of texts) page.signature(laidOut(text), 'ts', [name]);
  doc(page, symbol.doc);
  addMembers(page, symbol);
}

function addOthers(page, entry, entries) {
  if (!entry.others.length) return;
  page.heading(2, 'Also exported here');
  const homes = entries.filter((one) =>
    one.symbols.some(({ name }) => entry.others.some((other) => other.name === name)),
  );
  for (const home of homes) {
    const shared = entry.others.filter(({ name }) => home.symbols.some((one) => one.name === name));
    const links = shared.map(({ name }) => `<code>${page.link(name)}</code>`).join(', ');
    page.add(`<p>Of <code>${page.link(home.name)}</code>: ${links}.</p>`);
  }
}

const sentence = (text) => text.replace(/\s+/g, ' ').split(/(?<=\.) /)[0];

// What the package has, entry by entry.
function addOverview(page, entries) {
  page.add('<p>The package <code>limber</code> has several entries. This one exports all of the first two.</p>');
  for (const { name, opening, symbols } of entries.filter(({ symbols: own }) => own.length)) {
    page.heading(2, name, { code: true });
    const about = opening
      .join(' ')
      .split(/ {5}|(?<=\.) /)[0]
      .replace(/^limber\b/, `\`${name}\``);
    page.add(commentHtml(page, [about.replace(/[:.]? *$/, '.')]));
    const rows = symbols.filter(({ kind }) => kind === 'function' || kind === 'class');
    page.members(rows.map((one) => ({ code: page.link(one.name), html: inline(page, sentence(one.doc)) })));
  }
}

function pageOf(names, entry, entries) {
  const page = new Page(names, 'npm', pathOf(entry), entry.name, 'npm');
  const { opening } = entry;
  if (opening.length)
    addComment(page, [opening[0].replace(/^limber\b/, `\`${entry.name}\``), ...opening.slice(1)], 'js');
  if (entry.key === LAST) addOverview(page, entries);
  for (const [title, kinds] of GROUPS) {
    const own = entry.symbols.filter(({ kind }) => kinds.includes(kind));
    if (own.length) page.heading(2, title);
    for (const symbol of own) addSymbol(page, symbol);
  }
  if (entry.key !== LAST) addOthers(page, entry, entries);
  return page.done();
}

/** The overview comes first. */
export function pages(names, entries) {
  const made = entries.map((entry) => pageOf(names, entry, entries));
  return [...made.slice(-1), ...made.slice(0, -1)];
}

/** Names of what has no comment. */
export function undocumented(entries) {
  const types = new Set(entries.flatMap(({ symbols }) => symbols.map(({ name }) => name)));
  const found = [];
  for (const { name: entry, symbols } of entries)
    for (const symbol of symbols) {
      if (!symbol.doc) found.push(`${entry}: ${symbol.name}`);
      if (isTable(symbol)) continue;
      for (const { name, kind, texts, doc: about } of symbol.members) {
        const words = symbol.doc.match(/\w+/g) ?? [];
        const type = texts[0].match(/: (?:readonly )?(\w+)(?:\[\])?( \| null)?$/)?.[1];
        const isOurs = kind === 'property' && types.has(type);
        if (!about && !isOurs && name !== 'name' && !words.includes(name))
          found.push(`${entry}: ${symbol.name}.${name}`);
      }
    }
  return found;
}
