// Writes the built-in characters as .glb files into public/characters: `node scripts/characters.mjs path/to/limber`.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withIk } from './ik.mjs';

const folder = fileURLToPath(new URL('../public/characters', import.meta.url));
const program = process.argv[2];
if (!program) throw new Error('usage: node scripts/characters.mjs path/to/limber');

const run = (...args) => execFileSync(path.resolve(program), args, { stdio: ['ignore', 'ignore', 'inherit'] });
const isNew = (file) => fs.existsSync(file) && fs.statSync(file).mtimeMs > fs.statSync(program).mtimeMs;
const fileOf = (name) => path.join(folder, `${name}.glb`);

fs.mkdirSync(folder, { recursive: true });
for (const name of ['toon', 'hero', 'dog', 'cow', 'horse', 'dancer', 'giraffe', 'flower', 'snail', 'ball', 'cylinder'])
  if (!isNew(fileOf(name))) run('sample', name, '-o', fileOf(name));
// For the gallery: a dog whose paws hang on the root, and a dancer with a motion that is not hers.
const PAWS = ['Front', 'Hind'].flatMap((end) => ['Left', 'Right'].map((side) => `Leg${end}Paw${side}`));
if (!isNew(fileOf('rigged')))
  fs.writeFileSync(fileOf('rigged'), await withIk(fs.readFileSync(fileOf('dog')), 'Root', PAWS));
if (!isNew(fileOf('borrowed')))
  run('convert', fileOf('dancer'), '--motion', `${fileOf('hero')}#swing`, '-o', fileOf('borrowed'), '--quiet');
