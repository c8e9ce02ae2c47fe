#!/usr/bin/env node
// Makes the pictures of docs/figures.md again, from the commands that stand under them in the page:
//   node docs/figures.mjs [FOLDER] [NAME...]      (default: docs/images/figures, all figures)
// A picture is what the commands below it draw, one under the other. LIMBER names the program, build/limber by default.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { street } from './street.mjs';

const DOCS = path.dirname(fileURLToPath(import.meta.url));
const LIMBER = path.resolve(process.env.LIMBER ?? path.join(DOCS, '../build/limber'));

/** [{ name: "vs-5", commands: [["render", ...], ...] }, ...] in the order of the page. */
export function figures(page = path.join(DOCS, 'figures.md')) {
  const found = [];
  for (const line of fs.readFileSync(page, 'utf8').replaceAll('\\\n', ' ').split('\n')) {
    const picture = line.match(/!\[[^\]]*\]\(images\/figures\/([\w-]+)\.jpg\)/);
    if (picture) found.push({ name: picture[1], commands: [] });
    const command = line.match(/^ {4}limber (.*)$/);
    if (command) found.at(-1).commands.push(words(command[1]));
  }
  return found;
}

/** As a shell splits them; quotes are single ones. */
function words(text) {
  return [...text.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]);
}

/** The size in the header of a .png file. */
function size(file) {
  const head = fs.readFileSync(file).subarray(16, 24);
  return { file, width: head.readUInt32BE(0), height: head.readUInt32BE(4) };
}

/** One picture of several: single frames side by side, sheets below each other. */
function compose(rows, file) {
  const width = Math.max(...rows.map((row) => row.reduce((sum, one) => sum + one.width, 0)));
  const inputs = rows.flat();
  const parts = rows.map((row, r) => {
    const names = row.map((one) => `[${inputs.indexOf(one)}]`).join('');
    const joined = row.length > 1 ? `${names}hstack=inputs=${row.length},` : names;
    return `${joined}pad=${width}:ih:0:0:0xfbfaf8[r${r}]`;
  });
  const filter = `${parts.join(';')};${rows.map((_, r) => `[r${r}]`).join('')}${rows.length > 1 ? `vstack=inputs=${rows.length}` : 'null'}`;
  execFileSync('ffmpeg', ['-loglevel', 'error', '-y', ...inputs.flatMap((one) => ['-i', one.file]), '-filter_complex', filter,
                          '-frames:v', '1', '-q:v', '5', file]);
}

/** Draws a figure into `file`; characters are kept in `folder`. */
export function draw({ commands }, folder, file) {
  const rows = [];
  for (const command of commands) {
    const input = command[1];
    if (input === 'street.gltf') street(path.join(folder, input));
    else if (command[0] !== 'sample' && !fs.existsSync(path.join(folder, input)))
      execFileSync(LIMBER, ['sample', path.basename(input, '.glb'), '-o', input], { cwd: folder });
    execFileSync(LIMBER, command, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const output = command[command.indexOf('-o') + 1];
    if (!output.endsWith('.png')) continue;
    const picture = size(path.join(folder, output));
    const single = !command.includes('--sheet');
    if (single && rows.at(-1)?.[0].single) rows.at(-1).push({ ...picture, single });
    else rows.push([{ ...picture, single }]);
  }
  compose(rows, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out = path.join(DOCS, 'images/figures'), ...names] = process.argv.slice(2);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-figures-'));
  fs.mkdirSync(out, { recursive: true });
  for (const figure of figures().filter(({ name }) => !names.length || names.includes(name)))
    draw(figure, folder, path.join(out, `${figure.name}.jpg`));
  fs.rmSync(folder, { recursive: true });
}
