// What the pages of the reference are made of: text with links, code, lists of members, and pages that know their headings.
import path from 'node:path';

export const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The text of HTML, for the search index. */
export const plain = (html) =>
  html
    .replace(/<\/?(a|code|em|small)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

/** Where names are explained: by language, from a name to a page and an anchor of it. */
export class Names {
  #places = new Map();

  constructor(document = () => undefined) {
    this.document = document; // from the path of a document in the repository to its address, as a page may link to it
  }

  /** The first place of a name stays. */
  add(language, name, page, id = '') {
    const key = `${language} ${name}`;
    if (!this.#places.has(key)) this.#places.set(key, { page, id });
  }

  has(language, name) {
    return this.#places.has(`${language} ${name}`);
  }

  /** The address of a name for a page of the reference, or undefined. */
  href(language, name, from) {
    const place = this.#places.get(`${language} ${name}`);
    if (!place) return undefined;
    const anchor = place.id ? `#${encodeURIComponent(place.id)}` : '';
    if (place.page === from) return anchor || path.posix.basename(from);
    return path.posix.relative(path.posix.dirname(from), place.page) + anchor;
  }
}

/** A page: headings and HTML are added to it in order. */
export class Page {
  #parts = [];
  #ids = new Set();
  headings = [];

  constructor(names, language, path, title, section, group = '') {
    Object.assign(this, { names, language, path, title, section, group });
  }

  add(html) {
    this.#parts.push(html);
  }

  /** An anchor that the page has once; a second one of the same name gets a number. */
  anchor(wanted) {
    let id = wanted;
    for (let n = 2; this.#ids.has(id); n++) id = `${wanted}-${n}`;
    this.#ids.add(id);
    return id;
  }

  /** A heading whose text is a name in code, or words. `kind` is what stands behind the name: "struct", "function". */
  heading(level, text, { id = slug(text), code = false, kind = '' } = {}) {
    const own = this.anchor(id);
    const shown = code ? `<code>${escape(text)}</code>` : escape(text);
    const tag = kind ? ` <small>${escape(kind)}</small>` : '';
    this.headings.push({ id: own, text, level });
    this.add(`<h${level} id="${escape(own)}">${shown}${tag}</h${level}>`);
  }

  /** An entry of a list, for those who search: it has an anchor, but no heading. */
  entry(id, text) {
    this.headings.push({ id, text, level: 4 });
  }

  /** A link to what a name means, or just the name. */
  link(name, language = this.language, shown = escape(name)) {
    const href = this.names.href(language, name, this.path);
    return href ? `<a href="${escape(href)}">${shown}</a>` : shown;
  }

  /** Code in which the names that are known are links, but for those that it explains itself. */
  code(text, own = []) {
    return linked(text, /[A-Za-z_][\w.]*/g, (name) => (own.includes(name) ? name : this.link(name)));
  }

  pre(text, language) {
    this.add(`<pre tabindex="0"><code class="language-${language}">${escape(text)}\n</code></pre>`);
  }

  signature(text, language, own = []) {
    this.add(
      `<pre class="signature" tabindex="0"><code class="language-${language}">${this.code(text, own)}</code></pre>`,
    );
  }

  /** Members with what they mean: [{ id, code, html }]. */
  members(list) {
    if (!list.length) return;
    const rows = list.map(({ id, code, html }) => {
      const own = id ? ` id="${escape(this.anchor(id))}"` : '';
      return `<dt${own}><code>${code}</code></dt>\n<dd>${html}</dd>`;
    });
    this.add(`<dl class="members">\n${rows.join('\n')}\n</dl>`);
  }

  done() {
    const { path, title, section, group, headings } = this;
    const html = `${this.#parts.join('\n')}\n`;
    return { path, title, section, group, html, headings, text: plain(html) };
  }
}

/** With a capital at the start, unless the word has one elsewhere: glTF. */
export const capital = (text) =>
  /^[a-z]+(?![a-zA-Z0-9]*[A-Z])/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;

export const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'section';

export const LINE = 76; // letters of a signature in one line

/** A signature of TypeScript or Python in one line, or with a parameter per line where that is too long. */
export function parametersInLines(text, indent) {
  const open = text.indexOf('(');
  if (text.length <= LINE || open < 0) return text;
  const parameters = [''];
  let depth = 0;
  let i = open;
  for (; i < text.length; i++) {
    const letter = text[i];
    const closes = ')]}'.includes(letter) || (letter === '>' && !'=-'.includes(text[i - 1]));
    if ('([{<'.includes(letter) && depth++ === 0) continue;
    if (closes && --depth === 0) break;
    if (letter === ',' && depth === 1) parameters.push('');
    else parameters[parameters.length - 1] += letter;
  }
  const lines = parameters.map((one) => `${' '.repeat(indent)}${one.trim()},\n`);
  return `${text.slice(0, open)}(\n${lines.join('')}${text.slice(i)}`;
}

/** Escaped text in which everything that matches is replaced by HTML. */
export function linked(text, pattern, html) {
  let out = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    out += escape(text.slice(at, match.index)) + html(match[0], match);
    at = match.index + match[0].length;
  }
  return out + escape(text.slice(at));
}

const INLINE =
  /`([^`]+)`|(?<![\w*])\*([a-z]+(?: [a-z]+)*)\*(?![\w*])|\[([^\]]+)\]\(([^)\s]+)\)|\bdocs\/[\w/]+\.md\b|\b(?:limber|stages)\/[\w/]+\.h\b|\b(?:limber|LIMBER)_\w+(?:\.\w+)*\b/g;

/** A line of a comment: `code`, *words*, [links](docs/x.md), names of C and documents. */
export function inline(page, text) {
  return linked(text, INLINE, (whole, [, code, em, words, target]) => {
    if (code !== undefined) return `<code>${codeLink(page, code)}</code>`;
    if (em !== undefined) return `<em>${escape(em)}</em>`;
    if (words !== undefined) return documentLink(page, target, escape(words));
    if (whole.endsWith('.md')) return documentLink(page, whole, `<code>${escape(whole)}</code>`);
    return `<code>${nameLink(page, whole)}</code>`;
  });
}

function documentLink(page, target, shown) {
  const href = target.startsWith('#') ? target : page.names.document(target, page.path);
  return href ? `<a href="${escape(href)}">${shown}</a>` : shown;
}

// A C name, perhaps with a field behind it; of two the longer one that is known.
function nameLink(page, name) {
  if (page.names.has('c', name)) return page.link(name, 'c');
  const [first] = name.split('.');
  return page.link(first, 'c') + escape(name.slice(first.length));
}

// Code in the text of a page: a name of its language, a key of the style, a name of C.
function codeLink(page, code) {
  const called = code.replace(/\(.*$/s, '');
  for (const [language, name] of [
    [page.language, code],
    [page.language, called],
    ['style', code.includes('.') ? code : ''], // single words are names of the page's own
    ['c', code],
  ])
    if (name && page.names.has(language, name)) return page.link(name, language, escape(code));
  return escape(code);
}

const TERM = /^(\S+(?: \S+)*?(?:, +\S+)?) {2,}(\S.*)$/;
const NAME = /^\w+(?: \[[\w,]+\])?$/; // rows of names, as `limber dump --help` has them
const width = (line) => line.match(/^ */)[0].length;

// Lines of one block as paragraphs, "- " items and terms with explanations in a second column.
function blockHtml(page, lines) {
  const parts = [];
  let last = null;
  const begin = (kind, fields) => parts.push((last = { kind, ...fields }));
  for (const line of lines) {
    const text = line.trim();
    const item = text.match(/^- (.*)$/);
    const term = text.match(TERM);
    const columns = text.split(/ {2,}/);
    if (columns.length > 2 && columns.every((column) => NAME.test(column)))
      begin('li', { text: `\`${text}\``, indent: width(line) });
    else if (item) begin('li', { text: item[1], indent: width(line) });
    else if (term) begin('dt', { term: term[1], text: term[2], indent: width(line) });
    else if (last && (last.kind === 'p' || width(line) > last.indent)) last.text += ` ${text}`;
    else begin('p', { text, indent: width(line) });
  }
  return grouped(page, parts);
}

const WRAPPER = { li: 'ul', dt: 'dl' };

function grouped(page, parts) {
  let html = '';
  parts.forEach((part, i) => {
    const wrapper = WRAPPER[part.kind];
    if (wrapper && parts[i - 1]?.kind !== part.kind) html += `<${wrapper}>`;
    if (part.kind === 'dt')
      html += `<dt><code>${inline(page, part.term).replace(/<\/?code>/g, '')}</code></dt><dd>${inline(page, part.text)}</dd>`;
    else html += `<${part.kind}>${inline(page, part.text)}</${part.kind}>`;
    if (wrapper && parts[i + 1]?.kind !== part.kind) html += `</${wrapper}>`;
  });
  return html;
}

/** A comment as HTML: paragraphs are divided by empty lines. */
export function commentHtml(page, lines) {
  const blocks = [[]];
  for (const line of lines)
    if (line.trim()) blocks.at(-1).push(line);
    else blocks.push([]);
  return blocks
    .filter((block) => block.length)
    .map((block) => blockHtml(page, block))
    .join('\n');
}

/** A comment that may hold examples, which are indented by four more spaces: adds both to the page in order. */
export function addComment(page, lines, language, indent = 4) {
  const isCode = (line) => width(line) >= indent && line.trim();
  let text = [];
  let code = [];
  const flushText = () => text.length && page.add(commentHtml(page, text));
  const flushCode = () => {
    while (code.length && !code.at(-1).trim()) code.pop();
    if (code.length) page.pre(code.map((line) => line.slice(indent)).join('\n'), language);
  };
  lines.forEach((line, i) => {
    const goesOn = code.length && !line.trim() && lines.slice(i).find((next) => next.trim());
    if ((isCode(line) && (code.length || !lines[i - 1]?.trim() || line.endsWith(';'))) || (goesOn && isCode(goesOn))) {
      flushText();
      text = [];
      code.push(line);
    } else {
      flushCode();
      code = [];
      text.push(line);
    }
  });
  flushText();
  flushCode();
}
