// node sbom.mjs BUILD: the list of parts (release/sbom.mjs) has every library that the loader brings along with the
// program, directly or not, and those that it opens at run time.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const build = path.resolve(process.argv[2]);
const program = path.join(build, 'limber');
const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
if (!fs.existsSync('/usr/bin/dpkg')) process.exit(77);

const { components } = JSON.parse(run('node', path.join(root, 'release/sbom.mjs'), build));
const uses = new Map(components.map((c) => [c.name, c.properties[0].value]));
assert.equal(uses.size, components.length);

// What the packages of the list contain, by the last name.
const files = new Set([...uses.keys()].filter((name) => name.startsWith('lib') || name === 'zlib1g')
  .flatMap((name) => run('dpkg', '-L', name).split('\n').map((file) => path.basename(file))));
for (const [, name] of run('ldd', program).matchAll(/^\s*(\S+) => \//gm)) assert.ok(files.has(name), `${name} is in no part of the list`);

const text = fs.readFileSync(program, 'latin1');
for (const name of ['libmicrohttpd.so.12', 'libEGL.so.1', 'libGLESv2.so.2'])
  if (text.includes(name)) {
    assert.ok(files.has(name), `${name} is in no part of the list`);
    const owner = [...uses].find(([part]) => run('dpkg', '-L', part).includes(`/${name}`));
    assert.equal(owner[1], 'opened at run time');
  }
