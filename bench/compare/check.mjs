// node check.mjs COMPARE_TAIL: limber's own side of docs/compare.md, and that the page has the tables of the script.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Report } from '../../tests/js/run.mjs';
import { checkPage } from './check_page.mjs';
import { allRuns, measure } from './runs.mjs';
import { page, parts, readTables, TOOLS } from './tables.mjs';
import { limber } from './tools.mjs';

const LIMIT = 1e-4; // lengths of the tail
const report = new Report();
const text = fs.readFileSync(fileURLToPath(new URL('../../docs/compare.md', import.meta.url)), 'utf8');
const clip = measure(limber(process.argv[2], 'clip').play(allRuns()));
const live = measure(limber(process.argv[2], 'live').play(allRuns()));

report.expect('the tail swings', clip.swing > 0.3 && clip.swing < 1.5, String(clip.swing));
report.check('clip: between frame rates', clip.rate, LIMIT);
report.check('clip: started there', clip.jump, LIMIT);
report.check('clip: jumped back', clip.back, LIMIT);
clip.loop.forEach((gap, i) => report.check(`clip: seam ${i + 1}`, gap, LIMIT));
clip.scale.forEach((difference, i) => report.check(`clip: size ${i + 1}`, difference, LIMIT));
live.scale.forEach((difference, i) => report.check(`live poses: size ${i + 1}`, difference, LIMIT));
report.check('live poses: settled seam', live.loop.at(-1), LIMIT);
report.check('live poses: swing as in the clip', Math.abs(live.swing - clip.swing), 0.02);

// Only names and columns are compared: the other tools are measured with --long.
const any = { measured: clip, cost: { joint: 1, vertex: 1, plain: 1, start: 1 }, settings: { a: 1 } };
checkPage(report, page(Object.fromEntries(Object.keys(TOOLS).map((key) => [key, any])), ''), text, Infinity);
const row = readTables(parts(text).inside)[1]?.find((cells) => cells[0] === TOOLS.clip) ?? [];
report.expect("the page's differences of limber are none", row.slice(2).length > 0 && row.slice(2).every((cell) => cell === '0' || cell === '< 0.0001'), String(row));
report.end();
