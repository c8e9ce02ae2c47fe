// node usd.mjs PROGRAM [ASSET...]: UsdSkel files, parsed by three.js and skinned as UsdSkel prescribes, against
// deformed.npy.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { assetsFor } from './assets.mjs';
import { makeGlb, readGltf } from './gltf_file.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { UsdFile, pointsAt } from './usd_file.mjs';

const LIMIT = 1e-4; // of L
const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

function write(asset, ...options) {
  const out = path.join(folder, 'out.usda');
  run(program, 'apply', asset, '-o', out, '--quiet', ...options);
  return UsdFile.read(out);
}

// Five frames from first to last; `codes` are the time codes the file should have.
function worstFrame(usd, dumped, fps) {
  const deformed = dumped.array('deformed'), times = dumped.array('time').data;
  const [frames, vertices] = deformed.shape;
  let worst = 0;
  for (const frame of new Set([0, 1, 2, 3, 4].map((i) => Math.round(((frames - 1) * i) / 4)))) {
    const distance = largestDistance(deformed.data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3), pointsAt(usd, times[frame] * fps));
    if (!(distance <= worst)) worst = distance;
  }
  return worst / dumped.manifest.size;
}

function compare(asset, limit, ...options) {
  const usd = write(asset, ...options);
  const own = options.indexOf('--tolerance');
  const dumped = dump(program, asset, path.join(folder, 'dump'), ...(own < 0 ? options : [...options.slice(0, own), ...options.slice(own + 2)]));
  const what = `${path.basename(asset)} ${options.join(' ')}`;
  report.check(`${what}, ${dumped.manifest.frames} frames, ${usd.prims('BlendShape').length} shapes, in L`, worstFrame(usd, dumped, usd.header('timeCodesPerSecond')), limit);
  const times = dumped.array('time').data, fps = usd.header('timeCodesPerSecond');
  const near = (code, time) => Math.abs(code - time * fps) < 2e-3;
  report.expect(`${what}: the time codes are those of the clip`, near(usd.header('startTimeCode'), times[0]) && near(usd.header('endTimeCode'), times.at(-1)));
  return usd;
}

// Every link leads to a prim of the file, and every prim has a name that USD allows.
function checkLinks(what, usd) {
  const broken = [];
  for (const [place, spec] of Object.entries(usd.specs)) {
    for (const target of spec.fields.targetPaths ? usd.link(place.slice(0, place.indexOf('.')), place.slice(place.indexOf('.') + 1)) : []) if (!usd.specs[target]) broken.push(`${place} -> ${target}`);
    for (const from of spec.fields.connectionPaths ?? []) if (!usd.specs[from.split('.')[0]]) broken.push(`${place} -> ${from}`);
    if (spec.specType === 6 && place !== '/' && !/^(\/[A-Za-z_]\w*)+$/.test(place)) broken.push(place);
  }
  for (const skeleton of usd.prims('Skeleton')) for (const joint of usd.value(skeleton, 'joints')) if (!/^[A-Za-z_]\w*(\/[A-Za-z_]\w*)*$/.test(joint)) broken.push(joint);
  report.expect(`${what}: links and names`, !broken.length, broken.slice(0, 5).join('; '));
}

const assets = [...assetsFor(program, named, folder), ...writeRichFiles(folder).map(({ file }) => file).filter((file) => /skin|strip|everything/.test(file))];
for (const asset of assets) {
  const what = path.basename(asset);
  checkLinks(what, compare(asset, LIMIT, '--skinning', 'linear'));
  checkLinks(`${what} cartoon`, compare(asset, LIMIT, '--style', 'cartoon', '--fps', '10'));
  compare(asset, 1e-3 + LIMIT, '--style', 'cartoon', '--tolerance', '1');
}

report.end();
