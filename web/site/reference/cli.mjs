// Pages of the command line, from what `limber --help` and `limber COMMAND --help` print.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { commentHtml, escape, inline, Page } from './html.mjs';

/** The helps: [{ name, summary, text }], that of the program itself first. */
export function readHelps(build) {
  const help = (...words) =>
    execFileSync(path.join(build, 'limber'), [...words, '--help'], { encoding: 'utf8' }).split('\n');
  const program = help();
  const commands = section(program, 'Commands').map((line) => line.trim().match(/^(\S+) +(.*)$/));
  return [
    { name: '', summary: '', lines: program },
    ...commands.map(([, name, summary]) => ({ name, summary, lines: help(name) })),
  ];
}

// The indented lines below a title.
function section(lines, title) {
  const at = lines.indexOf(`${title}:`);
  const end = lines.findIndex((line, i) => i > at && !line.trim());
  return at < 0 ? [] : lines.slice(at + 1, end < 0 ? undefined : end);
}

/** Options with their help: [{ words, name, help }]. */
export const optionsOf = (lines) =>
  section(lines, 'Options').map((line) => {
    const [, words, help] = line.match(/^ {2}(-\S+(?: [^a-z ]\S*)?(?: \S+(?= {2}))?) +(.*)$/);
    return { words, name: words.split(' ')[0], help };
  });

const pathOf = (name) => `reference/cli/${name || 'limber'}.html`;
const idOf = (option) => `option${option.replace(/^-{1,2}/, '-')}`;

export function register(names, helps) {
  for (const { name, lines } of helps) {
    names.add('cli', `limber ${name}`.trim(), pathOf(name));
    if (name) names.add('cli', name, pathOf(name));
    for (const option of optionsOf(lines)) names.add(`cli ${name}`, option.name, pathOf(name), idOf(option.name));
  }
}

// Options in the text of a command are links to their line.
function optionLinks(page, language, html) {
  return html.replace(/(?<![\w-])--[a-z][a-z-]*/g, (name) => page.link(name, language));
}

function addOptions(page, options, language) {
  if (!options.length) return;
  page.heading(2, 'Options');
  const rows = options.map(({ words, name, help }) => ({
    id: idOf(name),
    code: escape(words),
    html: optionLinks(page, language, inline(page, help)),
  }));
  for (const { name } of options) page.entry(idOf(name), name);
  page.members(rows);
}

// What stands between the usage and the options.
function textOf(lines) {
  const titles = ['Options:', 'Commands:', 'Examples:'];
  const end = lines.findIndex((line) => titles.includes(line));
  return lines.slice(0, end < 0 ? undefined : end);
}

function addText(page, lines, language) {
  const usage = lines.find((line) => line.startsWith('Usage: ')).slice('Usage: '.length);
  const [first, ...rest] = textOf(lines).filter((line) => !line.startsWith('Usage: '));
  page.add(`<p>${inline(page, first.replace(/^limber \S+: c/, 'C').replace(/([^.])$/, '$1.'))}</p>`);
  page.pre(usage, 'sh');
  page.add(optionLinks(page, language, commentHtml(page, rest)));
}

function pageOf(names, { name, lines }, helps) {
  const language = `cli ${name}`;
  const page = new Page(names, 'cli', pathOf(name), `limber ${name}`.trim(), 'Command line');
  addText(page, lines, language);
  if (!name) {
    page.heading(2, 'Commands');
    page.members(helps.slice(1).map((one) => ({ code: page.link(one.name), html: inline(page, one.summary) })));
    const at = lines.findIndex((line) => line.startsWith('limber COMMAND --help'));
    page.add(
      commentHtml(page, lines.slice(at, lines.indexOf('', at))).replace(
        'limber help style',
        page.link('', 'style', 'limber help style'),
      ),
    );
  }
  addOptions(page, optionsOf(lines), language);
  page.heading(2, 'Examples');
  page.pre(
    section(lines, 'Examples')
      .map((line) => line.trim())
      .join('\n'),
    'sh',
  );
  return page.done();
}

export const pages = (names, helps) => helps.map((help) => pageOf(names, help, helps));
