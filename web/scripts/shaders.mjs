// Writes the compute shader in all languages: `node scripts/shaders.mjs FOLDER`. `./dev shaders` calls it.
import fs from 'node:fs';
import path from 'node:path';
import { translations } from './translate.mjs';

const folder = process.argv[2];
if (!folder) throw new Error('usage: node scripts/shaders.mjs FOLDER');
for (const [name, content] of Object.entries(translations())) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}
