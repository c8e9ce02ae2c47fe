// node includes.mjs [ROOT]: fails on an include that breaks the layering (CONTRIBUTING.md has the picture):
//   - a room includes only the rooms listed below, besides itself, base and text
//   - a *_private.h stays within its own folder
//   - headers of limber.h do not include those of stages/, but for those listed
//   - nothing under src/ knows files, threads or graphics
//   - examples use the installed headers and nothing else
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url)));

const STAGES = ['asset', 'layer', 'keys', 'retarget', 'perform', 'motion', 'skin', 'deform', 'contact', 'rigid', 'collide', 'smear', 'bake'];
const LIBRARY = [...STAGES, 'style', 'pipeline', 'gpu', 'limber'];
const RENDER = ['render', 'render/film', 'render/gl', 'render/scene', 'render/views'];
const FILES = ['io', 'io/bindings', 'io/bvh', 'io/cache', 'io/gltf', 'io/png', 'io/vat'];

/** Rooms by folder, and what each may include besides itself, base and text. A folder inside of a room belongs to it. */
const ROOMS = {
  'src/base': [],
  'src/text': [],
  'src/asset': [],
  'src/layer': ['asset'],
  'src/keys': ['asset', 'layer'],
  'src/retarget': ['asset'],
  'src/perform': ['asset', 'keys'],
  'src/motion': ['asset', 'keys'],
  'src/skin': ['asset', 'keys'],
  'src/deform': ['asset', 'layer', 'keys', 'motion'],
  'src/rigid': ['asset', 'layer', 'keys'],
  'src/contact': ['asset', 'keys', 'motion', 'rigid'],
  'src/collide': ['asset', 'keys', 'motion', 'contact'],
  'src/smear': ['asset', 'layer', 'keys', 'motion'],
  'src/bake': ['asset', 'layer', 'skin'], // a corrective bake is skinning turned round
  'src/style': STAGES,
  'src/gpu': ['asset', 'motion', 'skin', 'deform', 'contact', 'rigid', 'collide'], // what a GPU needs of them
  'src/pipeline': [...STAGES, 'style', 'gpu'],
  io: ['asset', 'skin', 'bake', 'io/bvh', 'io/cache', 'io/gltf', 'io/png', 'io/vat'],
  'io/bindings': ['limber', 'base', 'asset', 'motion', 'retarget', 'perform', 'smear'], // where the fields of all structs are
  'io/bvh': ['asset', 'skin', 'bake', 'io'],
  'io/cache': ['asset', 'skin', 'bake', 'io'],
  'io/gltf': ['asset', 'skin', 'bake', 'io'],
  'io/png': [],
  'io/vat': ['asset', 'skin', 'bake', 'io', 'io/cache', 'io/gltf', 'io/png'], // textures of frames, and a mesh
  characters: ['asset'],
  render: [...LIBRARY, ...FILES, ...RENDER, 'characters'],
  'render/film': [...FILES, 'render'], // pictures and films, without graphics
  'render/gl': [...LIBRARY, ...FILES, 'render', 'render/film'],
  'render/scene': [...LIBRARY, ...FILES, 'render', 'render/film', 'render/gl'],
  'render/views': [...LIBRARY, ...FILES, 'render', 'render/film', 'render/gl', 'render/scene'],
  review: LIBRARY,
  fit: LIBRARY,
  bench: [...LIBRARY, ...FILES, ...RENDER, 'characters', 'review'],
  'web/wasm': [...LIBRARY, ...FILES, ...RENDER, 'characters'],
  cli: [...LIBRARY, ...FILES, ...RENDER, 'characters', 'review', 'fit', 'bench'],
  examples: [...LIBRARY, ...FILES],
};

/** Rooms of the public headers; those not listed are named as their room. */
const HEADERS = {
  'bvh.h': 'io/bvh', 'cache.h': 'io/cache', 'usd.h': 'io/cache', 'gltf.h': 'io/gltf', 'vat.h': 'io/vat',
  'expression.h': 'text', 'pose.h': 'asset', 'contacts.h': 'contact', 'impact.h': 'contact', 'colliders.h': 'collide',
  'exaggerate.h': 'perform',
  'smear_live.h': 'smear', 'smear_subdivide.h': 'smear', 'subdivide.h': 'smear',
  'crowd.h': 'pipeline', 'live.h': 'pipeline', 'pack.h': 'pipeline', 'settings.h': 'style', 'keys.h': 'base', 'layout.h': 'base',
  'limber.h': 'limber', 'stages.h': 'limber',
};

/** Headers of stages/ that a header of the first tier may include all the same, each for a reason. */
const STAGES_IN_FIRST_TIER = {};

const OUTSIDE = /^(stdio|fcntl|unistd|dirent|pthread|threads|jansson|EGL\/.*|GLES\d\/.*)\.h$/;

const shortName = (folder) => folder.replace(/^src\//, '');
const tierOf = (file) => file.match(/^include\/limber\/(stages\/)?([^/]+)$/);

/** The room a file of the repository is in; undefined: none that has rules. */
function roomOf(file) {
  const header = tierOf(file);
  if (header) return HEADERS[header[2]] ?? header[2].replace(/\.h$/, '');
  const folder = Object.keys(ROOMS).filter((one) => file.startsWith(`${one}/`)).sort((a, b) => b.length - a.length)[0];
  return folder && shortName(folder);
}

const rules = Object.fromEntries(Object.entries(ROOMS).map(([folder, rooms]) => [shortName(folder), rooms]));
rules.limber = [...LIBRARY, ...FILES];

/** Where an include leads within the repository; undefined: outside. */
function resolve(file, name) {
  return [path.posix.join(path.posix.dirname(file), name), name, `src/${name}`, `include/${name}`]
    .find((one) => fs.existsSync(path.join(ROOT, one)) && roomOf(one));
}

function privateFault(file, target) {
  if (!target.endsWith('_private.h') || file.startsWith(`${path.posix.dirname(target)}/`)) return;
  return `${target} is private to ${path.posix.dirname(target)}`;
}

function tierFault(file, target) {
  const [from, to] = [tierOf(file), tierOf(target)];
  if (!from || from[1] || !to?.[1] || STAGES_IN_FIRST_TIER[from[2]]?.includes(to[2])) return;
  return 'a header of the first tier may not include one of stages/';
}

function roomFault(file, target) {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (!rules[to]) return `no rule says which room ${target} is in: tests/rules/includes.mjs`;
  if (from === to || to === 'base' || (to === 'text' && from !== 'base') || rules[from].includes(to)) return;
  return `${from} may not include ${to}`;
}

function fault(file, quoted, name) {
  const isExample = /^(docs\/)?examples\//.test(file);
  if (isExample && quoted) return 'examples include <limber/...> and system headers only';
  const target = resolve(file, name);
  if (!target) return file.startsWith('src/') && OUTSIDE.test(name) ? 'nothing under src/ may know the outside world' : undefined;
  return privateFault(file, target) ?? tierFault(file, target) ?? roomFault(file, target);
}

const files = ['include/limber', 'src', ...Object.keys(ROOMS).filter((folder) => !folder.startsWith('src/') && !/^(io|render)\//.test(folder))]
  .filter((folder) => fs.existsSync(path.join(ROOT, folder)))
  .flatMap((folder) => fs.readdirSync(path.join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${name}`))
  .filter((file) => /\.[ch]$/.test(file));

let faults = 0;
function report(file, what) {
  faults++;
  console.log(`${file}: ${what}`);
}

for (const file of files) {
  if (!rules[roomOf(file)]) {
    report(file, 'no rule says which room this is: tests/rules/includes.mjs');
    continue;
  }
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
  for (const [line, open, name] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]/gm)) {
    const what = fault(file, open === '"', name);
    if (what) report(file, `${what}: ${line.trim()}`);
  }
}
if (files.length < 100) report(ROOT, `only ${files.length} files: the check is looking in the wrong place`);
console.log(faults ? `${faults} includes break the layering` : `${files.length} files keep to the layering`);
process.exit(faults ? 1 : 0);
