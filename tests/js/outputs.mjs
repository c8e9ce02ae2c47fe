// node outputs.mjs PROGRAM [ASSET...]: every kind of file limber writes from each asset passes the Khronos validator.
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

const WAYS = [
  ['convert', 'out.glb'],
  ['convert', 'out.gltf'],
  ['paint', 'out.glb', '--layer', 'thin', '--auto', 'thickness'],
  ['paint', 'out.gltf', '--layer', 'low', '--expr', '1 - height', '--smooth', '2'],
  ['apply', 'out.glb', '--bake', 'corrective', '--skinning', 'dualquat', '--tolerance', '0.5'],
  ['apply', 'out.glb', '--bake', 'vertex', '--tolerance', '0.5', '--fps', '10'],
  ['apply', 'out.gltf', '--bake', 'vertex', '--fps', '5', '--no-normals'],
  ['exaggerate', 'out.glb', '--style', 'mocap-toon'],
  ['apply', 'out.gltf', '--style', 'mocap-toon', '--fps', '10'],
];

const rich = writeRichFiles(folder);
for (const asset of [...assetsFor(program, named, folder), ...rich.map(({ file }) => file)]) {
  const tolerated = rich.find(({ file }) => file === asset)?.tolerated ?? [];
  for (const [verb, name, ...options] of WAYS) {
    const out = path.join(folder, name);
    run(program, verb, asset, '-o', out, ...options, ...(verb === 'apply' ? ['--quiet'] : []));
    const faults = (await validate(out)).filter((message) => isFault(message) && !tolerated.includes(message.code));
    report.expect(`${path.basename(asset)} ${verb} ${name} ${options.join(' ')}`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  }
}
report.end();
