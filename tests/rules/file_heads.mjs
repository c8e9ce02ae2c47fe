// node file_heads.mjs [ROOT]: fails where a .c file does not begin with a comment that says what the file is for.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url)));

/** Files made by builds are nobody's to comment. */
const MADE = /^(\..*|build.*|out|node_modules|dist|generated)$/;

function sources(folder) {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return MADE.test(entry.name) ? [] : sources(file);
    return entry.name.endsWith('.c') ? [file] : [];
  });
}

const files = sources('.');
const faults = files.filter((file) => !/^\/\/ \S/.test(fs.readFileSync(path.join(ROOT, file), 'utf8')));
for (const file of faults) console.log(`${file}:1: begins without a line on what the file is for: // ...`);
console.log(`${faults.length} of ${files.length} .c files have no head`);
if (files.length < 500) console.log('that is too few files: the check is looking in the wrong place');
process.exit(faults.length || files.length < 500 ? 1 : 0);
