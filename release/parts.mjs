// What goes into the packages that limber did not write: Debian packages that the program links or compiles in, and
// npm packages that the studio bundles. Read from the build itself, so that no list can be out of date.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });

// The Debian package that owns a file; undefined: none does. /lib is a link to /usr/lib, and dpkg knows one of them.
function owner(file) {
  for (const name of [file, file.replace(/^\/usr/, ''), `/usr${file}`]) {
    try {
      return run('dpkg', '-S', name).split('\n')[0].split(': ')[0].split(', ')[0];
    } catch {
      // the other spelling, then
    }
  }
  return undefined;
}

export function debian(name, how) {
  const [version, source, architecture] = run(
    'dpkg-query', '-W', '-f=${Version}\n${source:Package}\n${Architecture}', name).split('\n');
  return { kind: 'deb', name: name.split(':')[0], version, source, architecture, how };
}

export function copyrightText(name) {
  const file = `/usr/share/doc/${name}/copyright`;
  if (!fs.existsSync(file)) throw new Error(`${file} is missing: install the Debian package ${name}`);
  return fs.readFileSync(file, 'utf8');
}

// Shared libraries that a program names itself, not what those need in turn.
function linked(program) {
  const needed = [...run('readelf', '-d', program).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map((m) => m[1]);
  const places = new Map([...run('ldd', program).matchAll(/^\s*(\S+) => (\/\S+)/gm)].map((m) => [m[1], m[2]]));
  return needed.map((name) => owner(places.get(name) ?? name)).filter(Boolean);
}

// Packages whose headers the compiler read: of a library without a binary they are all there is of it.
function included(build) {
  const inputs = new Set(run('ninja', '-C', build, '-t', 'inputs', 'limber').split('\n'));
  const blocks = run('ninja', '-C', build, '-t', 'deps').split('\n\n');
  const own = blocks.filter((block) => inputs.has(block.trim().split(':')[0]));
  const headers = own.flatMap((block) => block.match(/\/usr\/include\/\S+/g) ?? []);
  const folders = new Map(headers.map((file) => [path.dirname(file), file])); // one file of each folder will do
  return [...folders.values()].map(owner).filter(Boolean);
}

// Libraries of which the program reads the headers only: it opens them when it needs them.
const opened = /^lib(egl|gles|gl|microhttpd)\d*-dev/;

// Everything of the program in a build folder. The C library's own headers count with the C library.
export function programParts(build) {
  const parts = new Map();
  for (const name of linked(path.join(build, 'limber'))) parts.set(name, debian(name, 'linked'));
  for (const name of included(build)) {
    const part = debian(name, opened.test(name) ? 'opened at run time' : 'compiled in');
    const known = [...parts.values()].some((p) => p.source === part.source);
    if (!known && !/^(linux-libc-dev|libc6-dev|libgcc|libstdc|gcc|libclang)/.test(name)) parts.set(name, part);
  }
  return [...parts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

// What the linker puts into limber.wasm besides limber.
export const wasmParts = () =>
  ['wasi-libc', 'libclang-rt-14-dev-wasm32'].map((name) => debian(name, 'compiled into limber.wasm'));

// The packages that a package brings along, and what they bring.
export function npmParts(folder, modules) {
  const found = new Map();
  const visit = (dependencies) => {
    for (const name of Object.keys(dependencies ?? {})) {
      const at = path.join(modules, name);
      if (name === 'limber' || found.has(name) || !fs.existsSync(path.join(at, 'package.json'))) continue;
      const about = JSON.parse(fs.readFileSync(path.join(at, 'package.json'), 'utf8'));
      found.set(name, { kind: 'npm', name, version: about.version, license: about.license, folder: at, how: 'bundled' });
      visit(about.dependencies);
    }
  };
  visit(JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).dependencies);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
