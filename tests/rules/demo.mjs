// node demo.mjs NM BUILD: that ./dev run can link limber_demo, of which cmake/demo.cmake leaves out what its commands do
// not call. Looks at the objects of the whole program, so that nothing is compiled for it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const [nm, build] = process.argv.slice(2);
const root = path.resolve(import.meta.url.replace('file://', ''), '../../..');
const taken = new Set(fs.readFileSync(path.join(build, 'demo.txt'), 'utf8').trim().split('\n').map((file) => path.resolve(root, file)));
const tables = /cli\/main\.c$|characters\/characters\.c$/; // which the demo has less of (LIMBER_DEMO)
const commands = JSON.parse(fs.readFileSync(path.join(build, 'compile_commands.json'), 'utf8'))
  .filter(({ command }) => /limber_(objects|characters|render|program)\.dir\//.test(command));
const fileOf = new Map(commands.map(({ directory, command, file }) => [path.join(directory, command.match(/ -o (\S+)/)[1]), file]));

const missing = new Set(), wanted = [];
for (const line of execFileSync(nm, ['-A', ...fileOf.keys()], { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n')) {
  const [, object, kind, symbol] = line.match(/^(.*?):.*?\b([A-Za-z]) (\S+)$/) ?? [];
  if (!symbol || /_avx2|^cli_import/.test(symbol)) continue; // which the demo is compiled without
  const file = fileOf.get(object);
  if (kind === 'U' && taken.has(file) && !tables.test(file)) wanted.push({ file, symbol });
  else if (/[TDRBVWC]/.test(kind) && !taken.has(file)) missing.add(symbol);
}
const broken = wanted.filter(({ symbol }) => missing.has(symbol));
for (const { file, symbol } of broken) console.log(`${path.relative(root, file)} calls ${symbol}, which cmake/demo.cmake leaves out`);
if (!wanted.length || !missing.size) console.log('nothing was looked at');
process.exitCode = broken.length || !wanted.length || !missing.size ? 1 : 0;
