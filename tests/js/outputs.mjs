// node outputs.mjs PROGRAM [ASSET...]: the Khronos validator finds nothing in what limber writes that it does not find in
// the input as well.
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, run, temporaryFolder } from './run.mjs';
import { describe, isFault, newFaults, validate } from './validate.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

const WAYS = [
  ['convert', 'out.glb'],
  ['convert', 'out.gltf', '--repair', 'all'],
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
    const found = options.includes('--repair') ? (await validate(out)).filter(isFault) : await newFaults(out, asset);
    const faults = found.filter((message) => !tolerated.includes(message.code));
    report.expect(`${path.basename(asset)} ${verb} ${name} ${options.join(' ')}`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  }
}
report.end();
