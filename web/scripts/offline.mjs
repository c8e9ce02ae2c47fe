// Makes a built page work offline, under any path: writes the service worker into its folder.
// `node offline.mjs DIST NAME`, or by offline().
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files to keep. The engine's module is there as a file, so its copy in a script (inline-*.js) is not needed. */
function filesOf(dist) {
  return fs
    .readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name !== 'sw.js' && !/^inline-.*\.js$/.test(one.name))
    .map((one) =>
      path
        .relative(dist, path.join(one.parentPath ?? one.path, one.name))
        .split(path.sep)
        .join('/'),
    )
    .sort();
}

export function offline(dist, name) {
  const files = filesOf(dist);
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(fs.readFileSync(path.join(dist, file)));
  // A page has two addresses: that of its folder is the one people use.
  const addresses = files.map((file) => file.replace(/(^|\/)index\.html$/, '$1') || './');
  const worker = fs
    .readFileSync(fileURLToPath(new URL('sw.js', import.meta.url)), 'utf8')
    .replace('__NAME__', name)
    .replace('__VERSION__', hash.digest('hex').slice(0, 16))
    .replace("['__FILES__']", JSON.stringify(addresses, null, 2));
  fs.writeFileSync(path.join(dist, 'sw.js'), worker);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) offline(process.argv[2], process.argv[3]);
