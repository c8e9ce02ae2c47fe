// Pages of the style file, from the table of keys as the library prints it: one page for each group of keys.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentHtml, inline, Page, plain } from './html.mjs';

const SCRIPT = fileURLToPath(new URL('style_table.py', import.meta.url));

/** The table of keys: { markdown, paths }. */
export function readTable(build) {
  const library = path.join(build, 'liblimber.so');
  return JSON.parse(execFileSync('/usr/bin/python3', [SCRIPT, library], { encoding: 'utf8', maxBuffer: 1 << 26 }));
}

const cells = (line) =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replace(/\\([|*])/g, '$1'));

// The parts of a section in order: { text: lines }, { rows }, { code }.
function partsOf(lines) {
  const parts = [];
  let code = null;
  for (const line of lines) {
    const last = parts.at(-1);
    if (code) line.startsWith('```') ? (code = null) : code.push(line);
    else if (line.startsWith('```')) parts.push({ code: (code = []) });
    else if (!line.startsWith('|')) last?.text ? last.text.push(line) : line && parts.push({ text: [line] });
    else if (last?.rows) last.rows.push(cells(line));
    else parts.push({ head: cells(line), rows: [] });
  }
  for (const { rows } of parts) rows?.shift(); // the line of dashes
  return parts;
}

/** Sections: { title, at: the path of its keys, group, parts }. */
export function readSections({ markdown }) {
  const [intro, ...rest] = markdown.replace(/^<!--.*-->\n/, '').split(/^## /m);
  const sections = rest.map((text) => {
    const [title, ...lines] = text.split('\n');
    const at = text.match(/^At `([^`]+)`\. /m)?.[1] ?? '';
    return { title: at || title, at, group: at.split('.')[0], parts: partsOf(lines) };
  });
  return { intro: intro.split('\n').slice(2), sections };
}

const pathOf = (group) => `reference/style/${group || 'style'}.html`;

// The keys of a section by their whole path, or the presets.
function rowsOf({ at }, { head, rows }) {
  if (head[0] !== 'key')
    return rows.map(([name, meaning]) => ({ id: `preset-${bare(name)}`, name: bare(name), meaning }));
  return rows.map(([key, value, start, meaning]) => {
    const name = [at, bare(key)].filter(Boolean).join('.');
    return { id: name, name, value, start, meaning };
  });
}

const bare = (cell) => cell.replaceAll('`', '');

export function register(names, { sections }) {
  names.add('style', '', pathOf(''));
  for (const section of sections) {
    const page = pathOf(section.group);
    if (section.at) names.add('style', section.at, page, section.at);
    if (section.group) names.add('style', section.group, page);
    for (const part of section.parts)
      if (part.rows) for (const { id, name } of rowsOf(section, part)) names.add('style', name, page, id);
  }
}

function addRows(page, section, part) {
  const rows = rowsOf(section, part).map(({ id, name, value, start, meaning }) => {
    const notes = [value && inline(page, value), start && `default ${inline(page, start)}`].filter(Boolean).join('; ');
    const text = inline(page, meaning.replace(/\[(\w+)\]\(#\w+\)/g, '`effects.*.$1`'));
    const shown = value ? `${text}<br><small>${notes}</small>` : text;
    page.entry(page.anchor(id), name);
    return { id, name, shown };
  });
  const list = rows.map(({ id, name, shown }) => `<dt id="${id}"><code>${name}</code></dt>\n<dd>${shown}</dd>`);
  page.add(`<dl class="members">\n${list.join('\n')}\n</dl>`);
}

function addSection(page, section) {
  page.heading(2, section.title, { id: section.at || undefined, code: Boolean(section.at) });
  for (const part of section.parts)
    if (part.code) page.pre(part.code.join('\n'), 'json');
    else if (part.rows) addRows(page, section, part);
    else
      page.add(
        commentHtml(
          page,
          part.text.map((line) => line.replace(/^At `[^`]+`\. /, '')),
        ),
      );
}

const TITLES = { '': 'The style file' };

export function pages(names, { intro, sections }) {
  const groups = [...new Set(sections.map(({ group }) => group))];
  return groups.map((group) => {
    const page = new Page(names, 'style', pathOf(group), TITLES[group] ?? group, 'Style');
    if (!group) {
      page.add(commentHtml(page, intro));
      page.heading(2, 'Groups of keys');
      page.members(groups.filter(Boolean).map((name) => overview(page, name, sections)));
    }
    for (const section of sections.filter((one) => one.group === group)) addSection(page, section);
    return page.done();
  });
}

function overview(page, group, sections) {
  const own = sections.filter((one) => one.group === group);
  const about = plain(commentHtml(page, own[0].parts[0].text)).replace(/^At \S+ ?\. /, '');
  const html =
    own.length > 3 ? own.map(({ at }) => `<code>${page.link(at)}</code>`).join(', ') : `${about.split(/[.:] /)[0]}.`;
  return { code: page.link(group, 'style', group), html: html.replace('..', '.'), group };
}
