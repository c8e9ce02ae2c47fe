// The licenses of what the packages contain that others wrote: node release/notices.mjs wasm|studio|windows|program [BUILD].
// Prints the text. The texts come from the installed packages; nothing is kept here.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyrightText, npmParts, programParts, wasmParts, windowsParts } from './parts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const APACHE = path.join(root, 'web/node_modules/typescript/LICENSE.txt');
const [what, build = 'build'] = process.argv.slice(2);

function licenseOf(part) {
  if (part.kind === 'deb') return copyrightText(part.name);
  if (part.kind === 'inside three') return `Copyright 2016 The Draco Authors\n\n${fs.readFileSync(APACHE, 'utf8')}`;
  const file = fs.readdirSync(part.folder).find((name) => /^licen[cs]e/i.test(name));
  return file ? fs.readFileSync(path.join(part.folder, file), 'utf8') : `License: ${part.license}`;
}

// The decoder of Draco comes with three.js, without its license.
const draco = () => ({ kind: 'inside three', name: 'draco', version: '1.5', license: 'Apache-2.0', how: 'its decoder, bundled' });
const studioParts = () => [...npmParts(path.join(root, 'web/studio'), path.join(root, 'web/node_modules')), draco()];
const lists = {
  wasm: wasmParts,
  windows: windowsParts,
  studio: () => [...studioParts(), ...wasmParts()],
  program: () => programParts(path.resolve(root, build)).filter((part) => part.how === 'compiled in'),
};
if (!lists[what]) throw new Error('usage: node release/notices.mjs wasm|studio|windows|program [BUILD]');
const parts = lists[what]();
const rule = '='.repeat(78);
const texts = parts.map((part) => `${rule}\n${part.name} ${part.version} (${part.how})\n${rule}\n\n${licenseOf(part).trim()}\n`);
process.stdout.write(
  parts.length
    ? `limber contains code of others, under these licenses.\n\n${texts.join('\n')}`
    : 'limber links other libraries, but contains no code of others.\n',
);
