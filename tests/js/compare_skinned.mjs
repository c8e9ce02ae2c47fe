// node compare_skinned.mjs PROGRAM [ASSET...]: skinned.npy against three.js at ten times of every clip.
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { Player } from './player.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, dump, largestDistance, temporaryFolder } from './run.mjs';

const LIMIT = 1e-4; // of L
const TIMES = 10;
const RATE = 47; // a rate that no file has, so that most times fall between keys

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const assets = assetsFor(program, named, folder);

function chosenFrames(count) {
  const frames = Array.from({ length: TIMES }, (_, i) => Math.round((i * (count - 1)) / (TIMES - 1)));
  return [...new Set(frames)];
}

async function compareClip(asset, player, clip) {
  const options = clip >= 0 ? ['--clip', String(clip), '--fps', String(RATE)] : [];
  const dumped = dump(program, asset, path.join(folder, 'dump'), ...options);
  const skinned = dumped.array('skinned');
  const times = dumped.array('time').data;
  const [frames, vertices] = skinned.shape;
  const name = `${path.basename(asset)} ${dumped.manifest.clip ?? 'default pose'}`;
  if (clip >= 0) report.expect(`${name} is clip ${clip}`, player.json.animations[clip].name === undefined || player.json.animations[clip].name === dumped.manifest.clip, 'another clip');
  let worst = 0;
  for (const frame of chosenFrames(frames)) {
    player.pose(clip, times[frame]);
    const row = skinned.data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3);
    const distance = largestDistance(row, player.positions());
    if (!(distance <= worst)) worst = distance;
  }
  report.check(`${name}, worst of ${chosenFrames(frames).length} times and ${vertices} vertices, in L`, worst / dumped.manifest.size, LIMIT);
}

const rich = writeRichFiles(folder).map(({ file }) => file).filter((file) => /strip/.test(file));
for (const asset of [...assets, ...rich]) {
  const player = await Player.open(asset);
  if (!player.clips.length) await compareClip(asset, player, -1);
  for (let clip = 0; clip < player.clips.length; clip++) await compareClip(asset, player, clip);
}
report.end();
