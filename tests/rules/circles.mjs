// node circles.mjs NM BUILD/compile_commands.json|OBJECT...: fails when source files call each other in a circle, by the
// symbols of their objects: all that the build compiles, or those named. A file that is in a circle cannot be read, tested
// or moved without all the others.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { report } from './graph.mjs';

const [nm, ...given] = process.argv.slice(2);
const objects = given.flatMap((name) => name.endsWith('.json')
  ? JSON.parse(fs.readFileSync(name, 'utf8')).map(({ directory, command }) => path.join(directory, command.match(/ -o (\S+)/)[1])) : [name]);
const nameOf = (object) => object.replace(/^.*\.dir\/(\.\/)?/, '').replace(/^.*\/web\/objects\//, '').replace(/\.o(bj)?$/, '');

/** Which symbols each object defines and which it wants from others. */
function readSymbols() {
  // A source that several programs compile counts once.
  const files = new Map(objects.map((object) => [nameOf(object), { defines: new Set(), wants: new Set() }]));
  let current;
  for (const line of execFileSync(nm, ['-A', ...objects], { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n')) {
    const [, object, kind, symbol] = line.match(/^(.*?):.*?\b([A-Za-z]) (\S+)$/) ?? [];
    if (!symbol) continue;
    if (current?.object !== object) current = { object, file: files.get(nameOf(object)) };
    if (kind === 'U') current.file.wants.add(symbol);
    else if (/[TDRBVWC]/.test(kind)) current.file.defines.add(symbol);
  }
  return files;
}

/** For each file, the files it uses, each with one symbol that shows it. */
function readUses(files) {
  const home = new Map();
  for (const [name, { defines }] of files) for (const symbol of defines) home.set(symbol, name);
  return new Map([...files].map(([name, { wants }]) =>
    [name, new Map([...wants].filter((symbol) => home.has(symbol) && home.get(symbol) !== name).map((symbol) => [home.get(symbol), symbol]))]));
}

report(readUses(readSymbols()), 100);
