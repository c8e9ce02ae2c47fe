// Makes the built page an app that can be installed and works offline, under any path: writes the manifest, its icon and
// the service worker into dist.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const dist = at('../dist');

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
const addresses = files.map((name) => (name === 'index.html' ? './' : name));
const worker = fs
  .readFileSync(at('../src/sw.js'), 'utf8')
  .replace('__VERSION__', hash.digest('hex').slice(0, 16))
  .replace("['__FILES__']", JSON.stringify(addresses, null, 2));
fs.writeFileSync(path.join(dist, 'sw.js'), worker);
