// node circles_modules.mjs [ROOT]: fails when modules of TypeScript, JavaScript or Python import each other in a circle.
// Imports of types count, and so do those inside functions, which only hide a circle.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './graph.mjs';

const ROOT = path.resolve(process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url)));
const FOLDERS = ['web', 'python', 'blender', 'docs', 'release', 'tests'];
const SKIPPED = new Set(['dist', 'node_modules', 'public', 'build', '__pycache__']);

function list(folder) {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : list(name);
    return /\.(ts|tsx|js|mjs|py)$/.test(name) ? [name] : [];
  });
}

const files = FOLDERS.flatMap(list), known = new Set(files);
const first = (...candidates) => candidates.map((name) => path.posix.normalize(name)).find((name) => known.has(name));

/** What a script imports: [file, the line]. A .js stands for the .ts beside it, a folder for its index. */
function scriptImports(file, text) {
  const found = text.matchAll(/^[ \t]*(?:import|export)\b[^'";]*?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/gm);
  return [...found].map(([line, name, lazy]) => {
    const target = path.posix.join(path.posix.dirname(file), name ?? lazy);
    return [first(target.replace(/\.js$/, '.ts'), target, `${target}.ts`, `${target}/index.ts`), line];
  });
}

/** The files of a Python module: of its name within a folder. */
const pythonFile = (folder, name) => first(`${folder}/${name}.py`, `${folder}/${name}/__init__.py`);

/** What a Python module imports of its own package or folder: [file, the line]. */
function pythonImports(file, text) {
  const folder = path.posix.dirname(file), found = [];
  for (const [line, dots, name, list] of text.matchAll(/^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)/gm)) {
    const place = path.posix.join(folder, '../'.repeat(Math.max(dots.length - 1, 0)), name.replaceAll('.', '/'));
    const module = name ? pythonFile(path.posix.dirname(place), path.posix.basename(place)) : undefined;
    for (const [one] of list.replace(/\bas\s+\w+/g, '').matchAll(/\w+/g))
      found.push([pythonFile(place, one) ?? module ?? (dots ? first(`${place}/__init__.py`) : undefined), line]);
  }
  for (const [line, names] of text.matchAll(/^[ \t]*import[ \t]+([\w., \t]+)/gm))
    for (const name of names.split(',')) found.push([pythonFile(folder, name.trim().split(/\s/)[0].replaceAll('.', '/')), line]);
  return found;
}

function imports(file) {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
  const found = file.endsWith('.py') ? pythonImports(file, text) : scriptImports(file, text);
  return new Map(found.filter(([other]) => other && other !== file).map(([other, line]) => [other, line.trim().split('\n')[0]]));
}

report(new Map(files.map((file) => [file, imports(file)])), 200);
