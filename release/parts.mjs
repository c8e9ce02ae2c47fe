// What goes into the packages that limber did not write: Debian packages that the program links or compiles in, and
// npm packages that the studio bundles. Read from the build itself, so that no list can be out of date.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });

// A folder that release/sysroot.sh has made, where the build is for another architecture.
const sysroot = process.env.LIMBER_SYSROOT ?? '';
const here = (...args) => run('dpkg-query', ...args);
const query = (...args) => here(...(sysroot ? [`--admindir=${sysroot}/var/lib/dpkg`] : []), ...args);

// The Debian packages that own files. /lib is a link to /usr/lib, and dpkg knows one of them.
function owners(files) {
  const names = files.flatMap((file) => [file, file.replace(/^\/usr/, ''), `/usr${file}`]);
  if (!names.length) return [];
  let text;
  try {
    text = query('-S', ...names);
  } catch (error) {
    text = error.stdout; // those that it does know
  }
  const lines = text.split('\n').filter((line) => line && !line.startsWith('diversion '));
  return [...new Set(lines.map((line) => line.split(': ')[0].split(', ')[0]))];
}

const debianName = (name) => name.split(':')[0];

function debian(name, how, ask = query) {
  const [version, source, architecture] = ask('-W', '-f=${Version}\n${source:Package}\n${Architecture}', name).split('\n');
  return { kind: 'deb', name: debianName(name), version, source, architecture, how };
}

export function copyrightText(name) {
  const file = `${sysroot}/usr/share/doc/${name}/copyright`;
  if (!fs.existsSync(file)) throw new Error(`${file} is missing: install the Debian package ${name}`);
  return fs.readFileSync(file, 'utf8');
}

const needed = (file) => [...run('readelf', '-d', file).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map((m) => m[1]);

// Where the loader of another architecture would look, without the sysroot.
const placeOf = (name) =>
  fs.readdirSync(`${sysroot}/usr/lib`).map((folder) => `/usr/lib/${folder}/${name}`).find((file) => fs.existsSync(sysroot + file));

// Name and place of all that the loader brings along. Only the system's own loader knows all of its ways.
function loaded(file, found = new Map()) {
  if (!sysroot) return new Map([...run('ldd', file).matchAll(/^\s*(\S+) => (\/\S+)/gm)].map((m) => [m[1], m[2]]));
  for (const name of needed(file)) {
    const place = !found.has(name) && placeOf(name);
    if (place) loaded(sysroot + place, found.set(name, place));
  }
  return found;
}

// What the loader brings along with a program or a library: those it names itself, and what these need in turn.
function libraries(file) {
  const places = loaded(file);
  const direct = needed(file).map((name) => places.get(name)).filter(Boolean);
  return { direct, indirect: [...places.values()].filter((place) => !direct.includes(place)) };
}

// Packages whose headers the compiler read: of a library without a binary they are all there is of it.
function included(build) {
  const inputs = new Set(run('ninja', '-C', build, '-t', 'inputs', 'limber').split('\n'));
  const blocks = run('ninja', '-C', build, '-t', 'deps').split('\n\n');
  const own = blocks.filter((block) => inputs.has(block.trim().split(':')[0]));
  return owners([...new Set(own.flatMap((block) => block.match(/\/usr\/include\/\S+/g) ?? []))]);
}

// Libraries of which the program reads the headers only: it opens them when it needs them.
const opened = /^lib(egl|gles|gl|microhttpd)\d*-dev/;

// The package with the library itself, by that with its headers.
function runtimeOf(name) {
  const depends = query('-W', '-f=${Depends}', name).split(/, */);
  return depends.filter((d) => /\(= /.test(d) && !/-dev/.test(d)).map((d) => d.split(' ')[0]);
}

function sharedFiles(name) {
  return query('-L', name).split('\n').filter((file) => /\.so\.\d+$/.test(file) && fs.existsSync(sysroot + file));
}

// Everything of the program in a build folder. The C library's own headers count with the C library.
export function programParts(build) {
  const parts = new Map();
  const add = (names, how) => {
    for (const name of names) if (!parts.has(debianName(name))) parts.set(debianName(name), debian(name, how));
  };
  const program = libraries(path.join(build, 'limber'));
  add(owners(program.direct), 'linked');
  const headers = included(build);
  const text = fs.readFileSync(path.join(build, 'limber'), 'latin1');
  const isNamed = (name) => sharedFiles(name).some((file) => text.includes(path.basename(file)));
  const later = headers.filter((name) => opened.test(name)).flatMap(runtimeOf).filter(isNamed);
  add(later, 'opened at run time');
  for (const name of headers) {
    const part = debian(name, 'compiled in');
    const known = opened.test(name) || [...parts.values()].some((p) => p.source === part.source);
    if (!known && !/^(linux-libc-dev|libc6-dev|libgcc|libstdc|gcc|libclang)/.test(name)) add([name], 'compiled in');
  }
  add(owners(program.indirect), 'needed by a linked library');
  const theirs = later.flatMap(sharedFiles).flatMap((file) => Object.values(libraries(sysroot + file)).flat());
  add(owners([...new Set(theirs)]), 'needed by a library that is opened at run time');
  return [...parts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

// What is compiled into limber.exe and the DLL: the C library's start and the compiler's own functions.
export function windowsParts() {
  const compiler = 'x86_64-w64-mingw32-gcc';
  const files = ['libmingw32.a', 'libwinpthread.a', 'libgcc.a'].map((name) => run(compiler, `-print-file-name=${name}`).trim());
  const names = owners(files.map((file) => path.resolve(file)));
  return names.map((name) => debian(name, 'compiled in'));
}

// What the linker puts into limber.wasm besides limber.
export const wasmParts = () =>
  ['wasi-libc', 'libclang-rt-14-dev-wasm32'].map((name) => debian(name, 'compiled into limber.wasm', here));

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
