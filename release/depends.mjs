// What the .deb of another architecture depends on: depends.mjs LIST.cdx.json DEPENDS. Each package that its program
// links, with the version that DEPENDS, found by dpkg-shlibdeps for this architecture, asks for; where this one links
// no such package, with the version that it was built with.
import fs from 'node:fs';

const [list, depends] = process.argv.slice(2);
if (!depends) throw new Error('usage: node release/depends.mjs LIST.cdx.json DEPENDS');
const known = new Map(depends.split(/, */).map((one) => [one.split(' ')[0], one]));
const linked = JSON.parse(fs.readFileSync(list, 'utf8')).components.filter((c) => c.properties[0].value === 'linked');
if (!linked.length) throw new Error(`${list} has nothing that is linked`);
console.log(linked.map((c) => known.get(c.name) ?? `${c.name} (>= ${c.version})`).sort().join(', '));
