#!/usr/bin/env node
// Measures the presets on the built-in characters and writes the table into docs/presets.md:
//   node docs/presets.mjs [CHARACTER...]      (default: all; other rows stay as they are)
// LIMBER names the program, build/limber by default.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = path.dirname(fileURLToPath(import.meta.url));
const PAGE = path.join(DOCS, 'presets.md');
const LIMBER = process.env.LIMBER ?? path.join(DOCS, '../build/limber');
// `skirt` is for skirts only, and smears are for the eye to judge.
const PRESETS = ['subtle', 'cartoon', 'rubberhose', 'jelly', 'mocap-toon'];
const CHARACTERS = ['toon', 'hero', 'dog', 'ball', 'cow', 'giraffe', 'dancer', 'flower', 'snail', 'cylinder'];
const BEGIN = '<!-- table: begin -->';
const END = '<!-- table: end -->';

const limber = (...words) => execFileSync(LIMBER, words, { encoding: 'utf8', maxBuffer: 1 << 26 });

/** "0.10 to 0.25; 2 of 4: floor 2, slide 1" */
function cell(clips) {
  const strengths = clips.map((clip) => clip.strength.value);
  const counts = {};
  for (const { bound } of clips.flatMap((clip) => clip.broken)) counts[bound] = (counts[bound] ?? 0) + 1;
  const good = clips.filter((clip) => !clip.broken.length).length;
  const broken = Object.entries(counts).map(([bound, count]) => `${bound} ${count}`).join(', ');
  const range = [Math.min(...strengths), Math.max(...strengths)].map((one) => one.toFixed(2)).join(' to ');
  return `${range}; ${good} of ${clips.length}${broken && `: ${broken}`}`;
}

function measure(character, folder) {
  const file = path.join(folder, `${character}.glb`);
  limber('sample', character, '-o', file);
  return PRESETS.map((preset) => {
    process.stderr.write(`${character} ${preset}\n`);
    return cell(JSON.parse(limber('info', file, '--style', preset, '--json', '--quiet')).clips);
  });
}

/** Rows of the table that is there: character to cells. */
function rowsOf(table) {
  const rows = table.split('\n').map((line) => line.split('|').slice(1, -1).map((text) => text.trim()));
  return Object.fromEntries(rows.filter(([name]) => CHARACTERS.includes(name)).map(([name, ...cells]) => [name, cells]));
}

/** "38 of 40" over all characters. */
function total(rows, column) {
  const pairs = Object.values(rows).map((cells) => cells[column].match(/; (\d+) of (\d+)/).slice(1).map(Number));
  return pairs.reduce(([good, all], [a, b]) => [good + a, all + b], [0, 0]).join(' of ');
}

function write(rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const names = CHARACTERS.filter((name) => rows[name]);
  return [line(['character', ...PRESETS.map((name) => `\`${name}\``)]), `|---|${PRESETS.map(() => '---|').join('')}`,
    ...names.map((name) => line([name, ...rows[name]])),
    line(['**all**', ...PRESETS.map((_, column) => `**${total(rows, column)}**`)])].join('\n');
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !CHARACTERS.includes(name));
if (unknown) {
  console.error(`presets.mjs: no character '${unknown}'; there are ${CHARACTERS.join(', ')}`);
  process.exit(2);
}
const page = fs.readFileSync(PAGE, 'utf8');
const [first, last] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
const rows = wanted.length ? rowsOf(page.slice(first, last)) : {};
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
try {
  for (const name of wanted.length ? wanted : CHARACTERS) rows[name] = measure(name, folder);
} finally {
  fs.rmSync(folder, { recursive: true });
}
fs.writeFileSync(PAGE, `${page.slice(0, first)}\n${write(rows)}\n${page.slice(last)}`);
