// Pages of the C headers, from their text: one page per header. Declarations that follow each other without an empty line
// or another comment share the comment above them, as they do for a reader of the header.
import fs from 'node:fs';
import path from 'node:path';
import { addComment, capital, inline, Page } from './html.mjs';

const COMMENT = /^\/\/ ?(.*)$/;

/** The comment that opens a header, and the lines after it. */
function split(text) {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return { opening: lines.slice(0, end).map((line) => line.match(COMMENT)[1]), lines: lines.slice(end) };
}

// Without includes, the guard and what is for C++ only.
function withoutGuards(lines) {
  const text = lines.join('\n').replace(/^#ifdef __cplusplus\n[^#]*#endif\n?/gm, '');
  const rest = text.replace(/^#include .*\n/gm, '').replace(/^#ifndef (LIMBER_\w*H)\n#define \1\n/m, '');
  return rest.replace(/\n#endif\s*$/, '').split('\n');
}

const count = (text, mark) => text.split(mark).length - 1;
const bare = (line) => line.replace(/"(?:\\.|[^"\\])*"/g, '""').replace(/\/\/.*$/, '');

function isWhole(lines) {
  if (lines[0].startsWith('#if')) return lines.at(-1).startsWith('#endif');
  if (lines[0].startsWith('#')) return !lines.at(-1).endsWith('\\');
  const text = lines.map(bare).join('\n');
  if (count(text, '{') !== count(text, '}') || count(text, '(') !== count(text, ')')) return false;
  return text.trimEnd().endsWith(';') || /^LIMBER_DEFAULT\(/.test(text);
}

/** Declarations with their comments, in order: [{ comment, declarations: [text] } or { title }]. */
function entriesOf(lines) {
  const entries = [];
  let comment = [];
  let open = null; // the entry that further declarations belong to
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    const title = line.match(/^\/\/ --- (.*) ---$/);
    if (title) entries.push({ title: title[1] });
    if (!line.trim() || title) {
      comment = [];
      open = null;
    } else if (COMMENT.test(line)) {
      if (open) comment = [];
      open = null;
      comment.push(line.match(COMMENT)[1]);
    } else {
      const own = [line];
      while (!isWhole(own)) own.push(lines[++i]);
      if (!open) entries.push((open = { comment, declarations: [] }));
      open.declarations.push(own.join('\n'));
    }
  }
  return entries;
}

const note = (text) => text.match(/\/\/ ?(.*)$/)?.[1] ?? '';

function namesOf(field) {
  const functions = [...field.matchAll(/\(\*(\w+)\)\(/g)].map((match) => match[1]);
  if (functions.length) return functions;
  return field
    .replace(/\[[^\]]*\]/g, '')
    .replace(/;\s*$/, '')
    .split(',')
    .map((part) => part.match(/(\w+)\s*$/)[1]);
}

// The lines between the braces as members: code, the comment above or behind, which goes on in lines that are indented
// more than the members.
function membersOf(body, isEnum) {
  const members = [];
  let above = [];
  let code = [];
  let indent = 4;
  let last = null;
  for (const line of body.split('\n')) {
    const text = line.trim();
    const depth = line.length - line.trimStart().length;
    if (!text) {
      above = [];
      last = null;
    } else if (text.startsWith('//') && last && depth > indent) last.comment.push(text.slice(2).trim());
    else if (text.startsWith('//')) above.push(text.replace(/^\/\/ ?/, ''));
    else {
      if (!code.length) indent = depth;
      code.push(bare(line).trim());
      const behind = note(line);
      if (!isEnum && !code.at(-1).endsWith(';')) continue;
      last = { code: code.join(' '), comment: behind ? [...above, behind] : above };
      members.push(last);
      [above, code] = [[], []];
    }
  }
  return isEnum ? members.flatMap(enumerators) : members.map((m) => ({ ...m, names: namesOf(m.code) }));
}

const enumerators = ({ code, comment }) =>
  code
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => ({ code: part, comment, names: [part.match(/^\w+/)[0]] }));

const between = (text) => text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'));

/** What a declaration declares: { kind, name, code, members, notes }. */
function declarationOf(text) {
  const first = text.split('\n')[0];
  const behind = note(text.split('\n').at(-1));
  const notes = behind ? [behind] : [];
  const match = (pattern) => text.match(pattern);
  let found;
  if ((found = match(/^LIMBER_DEFAULT\((\w+)\)/)))
    return { kind: 'default', name: `${found[1]}_default`, of: found[1], notes };
  if (first.startsWith('#')) {
    const name = match(/#define (\w+)/)[1];
    return {
      kind: 'macro',
      name,
      code: first.startsWith('#if')
        ? text
        : bare(first)
            .replace(/\s*\\$/, '')
            .trimEnd(),
      notes,
    };
  }
  if ((found = match(/^(?:typedef )?enum (\w+)?/)))
    return { kind: 'enum', name: found[1] ?? '', members: membersOf(breakLine(between(text)), true), notes: [] };
  if ((found = match(/^typedef struct (\w+) \{/)))
    return { kind: 'struct', name: found[1], members: membersOf(breakLine(between(text)), false), notes: [] };
  if ((found = match(/^typedef struct (\w+) \w+;/))) return { kind: 'handle', name: found[1], notes };
  if ((found = match(/\(\*(\w+)\)\(/))) return { kind: 'function type', name: found[1], code: signature(text), notes };
  if ((found = match(/(\w+)\(/)) && first.startsWith('LIMBER_API'))
    return { kind: 'function', name: withoutMarks(text).match(/(\w+)\(/)[1], code: signature(text), notes };
  throw new Error(`the reference does not understand this declaration:\n${text}`);
}

const breakLine = (body) => (body.includes('\n') ? body : `\n    ${body.trim()}\n`);
const withoutMarks = (text) => text.replace(/^LIMBER_API /, '').replace('LIMBER_MUST_USE ', '');

// In one line, or with a parameter per line where that is too long.
function signature(text) {
  const line = withoutMarks(text.split('\n').map(bare).join(' ')).replace(/\s+/g, ' ').trim();
  if (line.length <= 76) return line;
  const at = line.lastIndexOf('(', line.lastIndexOf(');')) + 1;
  const parameters = line.slice(at, line.lastIndexOf(');')).split(/, (?![^(]*\))/);
  return `${line.slice(0, at)}\n    ${parameters.join(',\n    ')});`;
}

/** A header: { file, opening, entries: [{ comment, declarations }] }. */
export function readHeader(root, file) {
  const { opening, lines } = split(fs.readFileSync(path.join(root, 'include', file), 'utf8'));
  const entries = entriesOf(withoutGuards(lines)).map((entry) =>
    entry.title ? entry : { ...entry, declarations: entry.declarations.map(declarationOf) },
  );
  return { file, opening, entries };
}

/** limber.h and what it includes come first, then the stages in the order of stages.h. */
export function readHeaders(root) {
  const read = (file) => fs.readFileSync(path.join(root, 'include', file), 'utf8');
  const included = (file) => [...read(file).matchAll(/^#include <(limber\/.*)>/gm)].map((match) => match[1]);
  const order = (file) => {
    const words = [...read(file).matchAll(/^\/\/ {5}(\w+) {2,}/gm)].map((match) => `limber/stages/${match[1]}.h`);
    const all = included(file);
    return [...words.filter((name) => all.includes(name)), ...all.filter((name) => !words.includes(name))];
  };
  const most = ['limber/limber.h', ...included('limber/limber.h')];
  const stages = ['limber/stages/stages.h', ...order('limber/stages/stages.h')];
  return [...most, ...stages].map((file) => ({
    ...readHeader(root, file),
    group: most.includes(file) ? 'What most programs need' : 'Stages',
  }));
}

// --- pages ---

const pathOf = (file) => `reference/c/${path.basename(file, '.h')}.html`;

// A handle that another header explains is written with the name of that header behind it.
const isElsewhere = ({ kind, notes }) => kind === 'handle' && /^limber\/[\w/]+\.h$/.test(notes[0] ?? '');

function registerDeclaration(names, page, declaration) {
  const { kind, name, members = [] } = declaration;
  if (isElsewhere(declaration)) return;
  if (name) names.add('c', name, page, name);
  if (kind === 'default') names.add('c', `${declaration.of}_init`, page, name);
  for (const member of members)
    for (const own of member.names) {
      const id = kind === 'enum' ? own : `${name}.${own}`;
      names.add('c', id, page, id);
    }
}

export function register(names, headers) {
  for (const { file, entries } of headers) {
    names.add('c', file, pathOf(file));
    names.add('c', file.replace('limber/stages/', 'stages/'), pathOf(file));
    for (const { declarations = [] } of entries)
      for (const declaration of declarations) registerDeclaration(names, pathOf(file), declaration);
  }
}

const KIND = {
  handle: 'type',
  default: 'function',
  function: 'function',
  macro: 'macro',
  'function type': 'function type',
};

function defaultCode({ of }) {
  return `${of} ${of}_default(void);\nvoid ${of}_init(${of}* given, size_t size);`;
}

function memberRows(page, { kind, name, members }) {
  const shown = members.filter(({ names: [first] }) => first !== 'reserved'); // words that are kept free: limber/base.h
  return shown.map(({ names, code, comment }) => {
    const ids = names.map((own) => (kind === 'enum' ? own : `${name}.${own}`));
    const others = ids.slice(1).map((id) => `<a id="${page.anchor(id)}"></a>`);
    return {
      id: ids[0],
      code: others.join('') + page.code(code, ids),
      html: comment.length ? inline(page, comment.join(' ')) : '',
    };
  });
}

// The values of an enum without comments need no line each.
function addMembers(page, declaration) {
  const { kind, members } = declaration;
  if (kind !== 'enum' || members.some(({ comment }) => comment.length))
    return page.members(memberRows(page, declaration));
  const codes = members.map(({ names: [id], code }) => `<code id="${page.anchor(id)}">${page.code(code, [id])}</code>`);
  page.add(`<p class="values">${codes.join(', ')}</p>`);
}

const codeOf = (declaration) => {
  const { kind, name, code } = declaration;
  if (kind === 'default') return defaultCode(declaration);
  return kind === 'handle' ? `typedef struct ${name} ${name};` : code;
};

const titleOf = ({ name, members }) => name || members.map((member) => member.names[0]).join(', ');

// Declarations that share a comment: all headings, all code, then the comment. A struct or enum among them starts again.
function addEntry(page, { comment, declarations }) {
  const groups = [];
  for (const declaration of declarations.filter((one) => !isElsewhere(one)))
    if (declaration.members || groups.at(-1)?.[0].members !== undefined || !groups.length) groups.push([declaration]);
    else groups.at(-1).push(declaration);
  groups.forEach((group, i) => addTogether(page, group, i ? [] : comment));
}

function addTogether(page, group, comment) {
  const own = group.flatMap(({ name, of, members }) => [name, of && `${of}_init`, members?.[0].names[0]]);
  for (const declaration of group) {
    const { kind, name, members } = declaration;
    page.heading(3, titleOf(declaration), {
      id: name || `enum-${members[0].names[0]}`,
      code: true,
      kind: KIND[kind] ?? kind,
    });
  }
  const code = group.map(codeOf).filter(Boolean).join('\n');
  if (code) page.signature(code, 'c', own);
  if (comment.length) addComment(page, comment, 'c');
  for (const { notes } of group) if (notes.length) page.add(`<p>${inline(page, notes.join(' '))}</p>`);
  if (!comment.length && group[0].kind === 'default' && !group[0].notes.length)
    page.add(`<p>The defaults, by ${page.link('LIMBER_DEFAULT')}.</p>`);
  if (group[0].members) addMembers(page, group[0]);
}

// What a header that only includes others has: a list of them.
function addIncluded(page, headers, group) {
  const rows = headers
    .filter((header) => header.group === group && header.entries.length)
    .map(({ file, opening }) => {
      const end = opening.findIndex((line) => !line.trim());
      const [, about] = opening
        .slice(0, end)
        .join(' ')
        .match(/^\S+: (.*?\.)(?: |$)/);
      return { code: page.link(file), html: inline(page, capital(about)) };
    });
  page.heading(2, 'Headers');
  page.members(rows);
}

function pageOf(names, header, headers) {
  const { file, opening, entries, group } = header;
  const page = new Page(names, 'c', pathOf(file), file, 'C', group);
  const [first, ...rest] = opening;
  const about = first.replace(/^\S+: /, '');
  page.pre(`#include <${file}>`, 'c');
  const text = entries.length ? rest : rest.filter((line) => !/^ {4}\w+ {2,}\w/.test(line) || /[;({]/.test(line));
  addComment(page, [capital(about), ...text], 'c');
  if (!entries.length) addIncluded(page, headers, group);
  if (entries.length && !entries[0].title) page.heading(2, 'Declarations');
  for (const entry of entries)
    if (entry.title) page.heading(2, capital(entry.title));
    else addEntry(page, entry);
  return page.done();
}

export const pages = (names, headers) => headers.map((header) => pageOf(names, header, headers));

// --- what has no sentence ---

const documented = (comment) => comment.some((line) => /[a-z]/i.test(line));

// A field needs no sentence of its own where its name says all (counts of arrays, coordinates), where its type is one of
// ours, which has a sentence, or where the sentence of the struct speaks of it.
function explainsItself({ names, code }, comment) {
  const words = comment.join(' ').match(/\w+/g) ?? [];
  const plain = /^(\w+_count|count|name|reserved|struct_size|[xyzwm])$/;
  return (
    /^(const )?(struct )?limber_(?!vec3|quat|mat4|transform)/.test(code) ||
    names.every((own) => plain.test(own) || words.includes(own))
  );
}

/** Names of what a reader of the headers is left alone with. */
export function undocumented(headers) {
  const found = [];
  for (const { file, entries } of headers)
    for (const { comment = [], declarations = [] } of entries)
      for (const declaration of declarations) {
        const { kind, name, members = [], notes } = declaration;
        const at = `${file}: ${name || members[0].names[0]}`;
        if (kind !== 'default' && !documented([...comment, ...notes])) found.push(at);
        if (kind === 'struct')
          for (const m of members)
            if (!documented(m.comment) && !explainsItself(m, comment)) found.push(`${at}.${m.names.join(', ')}`);
      }
  return found;
}
