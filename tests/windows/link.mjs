// Whether the program for Windows links, without making all of it: what its own files need, and what files need that have
// something of Windows in them, is known from a compiler for Windows; what the others need, from the build of this machine.
// node link.mjs commands BUILD NATIVE_BUILD: prints how to check every source, or to compile it where its needs are asked for.
// What is under src/ sees no operating system: the browser's compiler checks it, for which `long` is as short.
// node link.mjs check BUILD NATIVE_BUILD: fails where a function that the native build has is missing in the program.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [what, build, native] = process.argv.slice(2);
const lines = (program, ...words) =>
  execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n').filter(Boolean);
const library = fileURLToPath(new URL('../../src/', import.meta.url));
const ours = (object) => path.join(native, object.replace(/[.]obj$/, '.o'));
const isOfWindows = ({ file, object }) =>
  object.includes('limber_program.dir') || /_WIN32|MINGW/.test(fs.readFileSync(file, 'utf8')) || !fs.existsSync(ours(object));
const all = JSON.parse(fs.readFileSync(path.join(build, 'compile_commands.json'), 'utf8'))
  .map(({ command, file }) => ({ command, file, object: command.match(/ -o (\S+)/)[1] }))
  .filter(({ object }) => !object.includes('limber_objects_shared')); // the files of the static library
const linked = new Set(lines('ninja', '-C', build, '-t', 'inputs', 'limber.exe'));
const parts = all.filter(({ object }) => linked.has(object));

function commands() {
  for (const one of all) {
    const compiles = linked.has(one.object) && isOfWindows(one);
    if (!compiles && one.file.startsWith(library) && !/avx2|plain/.test(one.file)) continue;
    if (compiles) fs.mkdirSync(path.join(build, path.dirname(one.object)), { recursive: true });
    console.log(compiles ? `${one.command} -O0` : `${one.command.replace(/ -o \S+/, '')} -fsyntax-only`);
  }
}

/** What each object defines and needs, by its name. */
function symbolsOf(nm, objects) {
  const found = new Map(objects.map((object) => [object, { defines: [], needs: [] }]));
  for (const line of lines(nm, '-A', ...objects)) {
    const [, object, kind, name] = line.match(/^(.*?):\S* +(?:[0-9a-f]+ +)?(\w) (\S+)/) ?? [];
    if (kind === 'U') found.get(object).needs.push(name);
    else if (kind && kind === kind.toUpperCase()) found.get(object).defines.push(name);
  }
  return [...found];
}

function check() {
  const made = parts.filter(isOfWindows).map(({ object }) => path.join(build, object));
  const others = parts.filter((one) => !isOfWindows(one)).map(({ object }) => ours(object));
  const symbols = [...symbolsOf('x86_64-w64-mingw32-nm', made), ...symbolsOf('nm', others)];
  const definedBy = new Map(symbols.flatMap(([object, { defines }]) => defines.map((name) => [name, object])));
  const needsOf = new Map(symbols.map(([object, { needs }]) => [object, needs]));
  const known = lines('find', native, '-path', '*/CMakeFiles/limber_*', '-name', '*.o');
  const anywhere = new Set(symbolsOf('nm', known).flatMap(([, { defines }]) => defines));
  const taken = new Set(made.filter((object) => object.includes('limber_program.dir')));
  const missing = new Map();
  for (const object of taken) // grows
    for (const name of needsOf.get(object)) {
      if (definedBy.has(name)) taken.add(definedBy.get(name));
      else if (anywhere.has(name)) missing.set(name, path.relative(build, object));
    }
  for (const [name, object] of missing) console.log(`${object} needs ${name}, which the program for Windows lacks`);
  if (taken.size < 300) console.log(`only ${taken.size} files are linked: the check is looking in the wrong place`);
  console.log(`links for Windows: ${taken.size} files`);
  process.exitCode = missing.size || taken.size < 300 ? 1 : 0;
}

if (what === 'commands') commands();
else check();
