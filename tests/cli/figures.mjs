// node figures.mjs LIMBER: the pictures of docs/figures.md are what the commands on that page draw. A few each day, taken
// in turn by the day of the year, all of them with LIMBER_TEST_LONG. Pictures are compared small and with a tolerance:
// machines round differently.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

process.env.LIMBER = process.argv[2];
const { draw, figures } = await import('../../docs/figures.mjs');
const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const KEPT = path.join(ROOT, 'docs/images/figures');
const WIDTH = 96, HEIGHT = 72, MEAN = 3, EACH_DAY = 1; // MEAN: of 255

const all = figures();
const names = all.map(({ name }) => `${name}.jpg`).sort();
const faults = [];
if (names.join() !== fs.readdirSync(KEPT).sort().join()) faults.push('the page and its pictures have different names');
if (all.some(({ commands }) => !commands.length)) faults.push('a picture has no command');
if (spawnSync('ffmpeg', ['-version']).error) {
  console.log('skipped: ffmpeg is not installed');
  process.exit(faults.length ? 1 : 77);
}

const pixels = (file) =>
  execFileSync('ffmpeg', ['-loglevel', 'error', '-i', file, '-vf', `scale=${WIDTH}:${HEIGHT}:flags=area`, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']);

function difference(a, b) {
  const [x, y] = [pixels(a), pixels(b)];
  return x.reduce((sum, value, i) => sum + Math.abs(value - y[i]), 0) / x.length;
}

const day = Math.floor(Date.now() / 86400e3);
const long = Boolean(process.env.LIMBER_TEST_LONG);
const today = long ? all : all.filter((_, i) => (i + EACH_DAY * day) % all.length < EACH_DAY);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-figures-'));
try {
  for (const figure of today) {
    const made = path.join(folder, `${figure.name}.jpg`);
    draw(figure, folder, made);
    const off = difference(made, path.join(KEPT, `${figure.name}.jpg`));
    console.log(`${figure.name}: ${off.toFixed(2)}`);
    if (!(off < MEAN)) faults.push(`${figure.name} differs by ${off.toFixed(2)} of 255: node docs/figures.mjs docs/images/figures ${figure.name}`);
  }
  // Another figure is not within the tolerance.
  const [first, second] = all.map(({ name }) => path.join(KEPT, `${name}.jpg`));
  if (!(difference(first, second) > 2 * MEAN)) faults.push('the tolerance lets anything through');
} finally {
  fs.rmSync(folder, { recursive: true });
}
for (const fault of faults) console.log(fault);
process.exit(faults.length ? 1 : 0);
