// Fails if source files import each other in a circle. Imports of types count as well. `node scripts/cycles.mjs`.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const web = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['limber', 'studio', 'examples', 'scripts'];
const SKIPPED = new Set(['dist', 'node_modules', 'public']);

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : sources(name);
    return /\.(ts|js|mjs)$/.test(name) ? [name] : [];
  });
}

/** The file of a relative import: a .js stands for the .ts next to it, a folder for its index. */
function resolve(from, name) {
  const target = path.resolve(path.dirname(from), name);
  const candidates = [target.replace(/\.js$/, '.ts'), target, `${target}.ts`, path.join(target, 'index.ts')];
  return candidates.find((file) => fs.existsSync(file) && fs.statSync(file).isFile());
}

function imports(file) {
  const { importedFiles } = ts.preProcessFile(fs.readFileSync(file, 'utf8'), true, true);
  const relative = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'));
  return relative.map((name) => resolve(file, name)).filter((found) => found !== undefined);
}

/** Groups of files that import each other, directly or not (strongly connected components, Tarjan's algorithm). */
function circles(graph) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || graph.get(file)?.includes(file)) found.push(group);
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

const files = FOLDERS.flatMap((folder) => sources(path.join(web, folder)));
const found = circles(new Map(files.map((file) => [file, imports(file)])));
for (const group of found)
  console.error(
    `these files import each other:\n${group.map((file) => `  web/${path.relative(web, file)}`).join('\n')}`,
  );
process.exit(found.length ? 1 : 0);
