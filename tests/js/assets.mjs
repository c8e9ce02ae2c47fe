// Which files a check runs over: those named on the command line, or every .glb in the folder LIMBER_TEST_ASSETS names
// and every built-in character; every sixth one of them, unless LIMBER_TEST_LONG is set.
import fs from 'node:fs';
import path from 'node:path';
import { run } from './run.mjs';

export function assetsFor(program, named, folder) {
  if (named.length) return named;
  const outside = process.env.LIMBER_TEST_ASSETS;
  const files = outside ? fs.readdirSync(outside).filter((file) => /\.(glb|gltf)$/i.test(file)).sort() : [];
  if (!outside) console.log('LIMBER_TEST_ASSETS is not set: only the built-in characters');
  const some = (list) => list.filter((_, i) => process.env.LIMBER_TEST_LONG || i % 6 === 0);
  const names = some(run(program, 'sample', '--list').split('\n').map((line) => line.split(/\s/)[0]).filter(Boolean));
  const samples = path.join(folder, 'samples');
  fs.mkdirSync(samples);
  for (const name of names) run(program, 'sample', name, '-o', path.join(samples, `${name}.glb`));
  return [...some(files).map((file) => path.join(outside, file)), ...names.map((name) => path.join(samples, `${name}.glb`))];
}
