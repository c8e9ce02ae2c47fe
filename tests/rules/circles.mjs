// node circles.mjs NM OBJECT...: fails when source files call each other in a circle, by the symbols of their objects. A
// file that is in a circle cannot be read, tested or moved without all the others.
import { execFileSync } from 'node:child_process';

const [nm, ...objects] = process.argv.slice(2);
const nameOf = (object) => object.replace(/^.*\.dir\/(\.\/)?/, '').replace(/\.o(bj)?$/, '');

/** Which symbols each object defines and which it wants from others. */
function readSymbols() {
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

/** Groups in which everybody reaches everybody (Tarjan 1972, "Depth-first search and linear graph algorithms"). */
function findCircles(uses) {
  const order = new Map(), low = new Map(), stack = [], waiting = new Set(), circles = [];
  const visit = (name) => {
    order.set(name, order.size);
    low.set(name, order.get(name));
    stack.push(name);
    waiting.add(name);
    for (const other of uses.get(name).keys()) {
      if (!order.has(other)) visit(other);
      if (waiting.has(other)) low.set(name, Math.min(low.get(name), low.get(other)));
    }
    if (low.get(name) !== order.get(name)) return;
    const circle = stack.splice(stack.indexOf(name));
    circle.forEach((one) => waiting.delete(one));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const name of uses.keys()) if (!order.has(name)) visit(name);
  return circles;
}

const uses = readUses(readSymbols()), circles = findCircles(uses);
for (const circle of circles) {
  console.log(`circle of ${circle.length}:`);
  for (const name of circle)
    for (const [other, symbol] of uses.get(name)) if (circle.includes(other)) console.log(`  ${name} calls ${other}: ${symbol}`);
}
console.log(`${circles.length} circles in ${objects.length} files`);
if (objects.length < 100) console.log('that is too few files: the check is looking in the wrong place');
process.exit(circles.length || objects.length < 100 ? 1 : 0);
