// Puts the studio beside the built gallery, and writes the service worker: `node scripts/site.mjs`. What is then in
// dist is a whole site.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const dist = at('../dist');

fs.cpSync(at('../../studio/dist'), path.join(dist, 'studio'), { recursive: true });
fs.copyFileSync(at('../../studio/dist/NOTICES.txt'), path.join(dist, 'NOTICES.txt'));

/** Files to keep. The engine's module is there as a file, so its copy in a script (inline-*.js) is not needed. */
const files = fs
  .readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile() && one.name !== 'sw.js' && !/^inline-.*\.js$/.test(one.name))
  .map((one) =>
    path
      .relative(dist, path.join(one.parentPath ?? one.path, one.name))
      .split(path.sep)
      .join('/'),
  )
  .sort();

const hash = createHash('sha256');
for (const name of files) hash.update(name).update(fs.readFileSync(path.join(dist, name)));
// A page has two addresses: that of its folder is the one people use.
const addresses = files.map((name) => name.replace(/(^|\/)index\.html$/, '$1') || './');
const worker = fs
  .readFileSync(at('../src/sw.js'), 'utf8')
  .replace('__VERSION__', hash.digest('hex').slice(0, 16))
  .replace("['__FILES__']", JSON.stringify(addresses, null, 2));
fs.writeFileSync(path.join(dist, 'sw.js'), worker);
