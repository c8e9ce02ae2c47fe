// Writes the built-in characters as .glb files into public/characters: `node scripts/characters.mjs path/to/limber`.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../public/characters', import.meta.url));
const program = process.argv[2];
if (!program) throw new Error('usage: node scripts/characters.mjs path/to/limber');

fs.mkdirSync(folder, { recursive: true });
for (const name of ['toon', 'hero', 'dog', 'cow', 'dancer', 'giraffe', 'flower', 'snail', 'ball', 'cylinder']) {
  const file = path.join(folder, `${name}.glb`);
  if (fs.existsSync(file) && fs.statSync(file).mtimeMs > fs.statSync(program).mtimeMs) continue;
  execFileSync(path.resolve(program), ['sample', name, '-o', file], { stdio: ['ignore', 'ignore', 'inherit'] });
}
