// Running the program under test, and reporting.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readNpy } from './npy.mjs';

export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-test-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Samples are kept in the folder LIMBER_MODELS, if there is one, as long as the program stays the same.
function copySample(program, name, file) {
  const kept = path.join(process.env.LIMBER_MODELS, `${name}.glb`);
  if (!fs.existsSync(kept) || fs.statSync(kept).mtimeMs < fs.statSync(program).mtimeMs) {
    const part = path.join(process.env.LIMBER_MODELS, `${process.pid}-${name}.glb`); // tests run side by side
    start(program, 'sample', name, '-o', part);
    fs.renameSync(part, kept);
  }
  fs.copyFileSync(kept, file);
  return '';
}

export function run(program, ...args) {
  const isSample = args.length === 4 && args[0] === 'sample' && args[2] === '-o' && args[3].endsWith('.glb');
  if (isSample && process.env.LIMBER_MODELS) return copySample(program, args[1], args[3]);
  return start(program, ...args);
}

function start(program, ...args) {
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(`${path.basename(program)} ${args.join(' ')}: status ${done.status}: ${done.stderr}`);
  return done.stdout;
}

// Runs `limber dump` and gives its arrays on demand: dump.array('skinned').
export function dump(program, file, folder, ...options) {
  run(program, 'dump', file, '-o', folder, '--quiet', ...options);
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
  return { manifest, array: (name) => readNpy(path.join(folder, `${name}.npy`)) };
}

// Lines of what was measured; ends the process with status 1 when a limit was broken.
export class Report {
  constructor() {
    this.failures = 0;
    this.checks = 0;
  }

  check(what, value, limit) {
    this.checks++;
    const good = value <= limit; // false for NaN
    if (!good) this.failures++;
    console.log(`${good ? 'ok  ' : 'FAIL'} ${what}: ${value.toExponential(2)} (limit ${limit.toExponential(0)})`);
  }

  expect(what, good, detail = '') {
    this.checks++;
    if (!good) this.failures++;
    console.log(`${good ? 'ok  ' : 'FAIL'} ${what}${good || !detail ? '' : `: ${detail}`}`);
  }

  end() {
    console.log(`${this.checks} checks, ${this.failures} failed`);
    if (!this.checks) console.log('FAIL nothing was checked');
    process.exit(this.failures || !this.checks ? 1 : 0);
  }
}

export function largestDistance(a, b) {
  if (a.length !== b.length) return NaN;
  let worst = 0;
  for (let i = 0; i < a.length; i += 3) {
    const d = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(d <= worst)) worst = d;
  }
  return worst;
}
