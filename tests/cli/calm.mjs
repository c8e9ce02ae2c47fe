// node calm.mjs LIMBER: no preset may pop on a built-in character, by the figures of `limber info --style` (docs/calm.md).
// Two presets each day, taken in turn, on the characters that come closest; all of them on all with LIMBER_TEST_LONG.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run as runKept } from '../js/run.mjs';

const limber = process.argv[2];
const POP = 2.5, SEAM = 0.004; // review/bounds.h
const LONG = Boolean(process.env.LIMBER_TEST_LONG);
const CHARACTERS = ['ball', 'cow', 'flower', 'dog', 'hero', 'giraffe', ...(LONG ? ['cylinder', 'dancer', 'snail', 'toon'] : [])];
const PRESETS = LONG ? ['subtle', 'cartoon', 'rubberhose', 'jelly', 'mocap-toon'] : ['cartoon', 'jelly'];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-calm-'));
const run = (...words) => execFileSync(limber, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
const worst = Object.fromEntries(PRESETS.map((preset) => [preset, { clips: 0, pop: 0, seam: 0 }]));
let faults = 0;
try {
  for (const [i, character] of CHARACTERS.entries()) {
    const file = path.join(folder, `${character}.glb`);
    runKept(limber, 'sample', character, '-o', file);
    for (const preset of LONG ? PRESETS : [PRESETS[i % 2]])
      for (const clip of JSON.parse(run('info', file, '--style', preset, '--json')).clips) {
        const row = worst[preset], pop = clip.pop.value, seam = clip.closes ? clip.seam.value : 0;
        Object.assign(row, { clips: row.clips + 1, pop: Math.max(row.pop, pop), seam: Math.max(row.seam, seam) });
        if (pop <= POP && seam <= SEAM) continue;
        faults++;
        console.log(`${character}, ${clip.name}, ${preset}: pop ${pop.toFixed(2)}, seam ${seam.toFixed(4)}`);
      }
  }
} finally {
  fs.rmSync(folder, { recursive: true });
}
for (const [preset, { clips, pop, seam }] of Object.entries(worst)) {
  console.log(`${preset}: ${clips} clips, worst pop ${pop.toFixed(2)}, worst seam ${seam.toFixed(4)}`);
  if (clips < (LONG ? CHARACTERS.length : CHARACTERS.length / 2) || pop < 0.1) faults++; // nothing was measured
}
process.exit(faults ? 1 : 0);
