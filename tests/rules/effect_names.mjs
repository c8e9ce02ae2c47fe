// node effect_names.mjs [ROOT]: fails where code outside src/deform/effects names an effect, as a constant or as text
// ("overlap", "effects.overlap.max"). What an effect does differently belongs into its description (limberi_effect), so
// that a new one needs no other file. Comments, help and examples may name effects; a text of a key alone is no help.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url)));

/** Files that mean one effect and no other, each for a reason. */
const ALLOWED = {
  'cli/verbs/apply.c': /LIFT/, // tells which cones were fitted
};

/** Words that are also names of effects: measures of the review, and how smears are drawn. */
const OTHER_TEXTS = {
  'cli/explain_json.c': /^"stretch"$/,
  'review/bounds.c': /^"stretch"$/,
  'src/smear/style_keys.c': /^"stretch\.(amount|body)"$/,
};

const header = fs.readFileSync(path.join(ROOT, 'include/limber/stages/deform.h'), 'utf8');
const names = [...header.matchAll(/^ {4}LIMBER_EFFECT_([A-Z]+),$/gm)].map((match) => match[1].toLowerCase());
const constant = new RegExp(`\\bLIMBER_EFFECT_(${names.join('|').toUpperCase()})\\b`, 'g');
const text = new RegExp(`"(effects\\.)?(${names.join('|')})(\\.[a-z_.]+)?"`, 'g');

const files = ['src', 'review', 'fit', 'cli']
  .flatMap((folder) => fs.readdirSync(path.join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${name}`))
  .filter((file) => /\.[ch]$/.test(file) && !file.startsWith('src/deform/effects/'));

const faults = files.flatMap((file) => fs.readFileSync(path.join(ROOT, file), 'utf8').split('\n').map((line) => line.replace(/\/\/.*/, ''))
  .flatMap((line, i) => [
    ...[...line.matchAll(constant)].filter((match) => !ALLOWED[file]?.test(match[0])),
    ...[...line.matchAll(text)].filter((match) => !OTHER_TEXTS[file]?.test(match[0])),
  ].map((match) => `${file}:${i + 1}: ${match[0]}`)));

for (const fault of faults) console.log(fault);
console.log(`${faults.length} names of effects outside src/deform/effects, in ${files.length} files`);
if (names.length < 8 || files.length < 100) console.log('that is too few effects or files: the check is looking in the wrong place');
process.exit(faults.length || names.length < 8 || files.length < 100 ? 1 : 0);
