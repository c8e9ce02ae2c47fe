// node players.mjs PROGRAM [CHARACTER...]: bakes for every --profile, and the default one, are played by three.js and
// Babylon.js: vertices are within the tolerance of where the style puts them. With LIMBER_TEST_LONG, more characters; it
// prints the table of docs/bakes.md.
import path from 'node:path';
import fs from 'node:fs';
import { BabylonPlayer } from './babylon_player.mjs';
import { Player } from './player.mjs';
import { dump, largestDistance, Report, run, temporaryFolder } from './run.mjs';

const [program, ...named] = process.argv.slice(2);
const long = process.env.LIMBER_TEST_LONG;
const PLAYERS = { 'three.js': Player, 'Babylon.js': BabylonPlayer };
const PROFILES = long ? ['', 'godot', 'unity', 'unreal', 'web', 'blender'] : ['', 'godot'];
const TOLERANCE = 1e-3; // of L, as baked
const ROUNDING = 5e-5; // of L
const FRAMES = 5;
const report = new Report();
const folder = temporaryFolder();
const rows = [];

function assets() {
  if (named.length) return named;
  const place = process.env.LIMBER_TEST_ASSETS;
  const files = long && place ? ['CesiumMan', 'Fox', 'RiggedFigure', 'RobotExpressive', 'spot', 'more/Snake'] : [];
  return [...(long ? ['cow', 'snail', 'dog'] : ['cow']), ...files.map((name) => path.join(place, `${name}.glb`)).filter((file) => fs.existsSync(file))];
}

function plainOf(asset) {
  if (fs.existsSync(asset)) return asset;
  const file = path.join(folder, `${asset}.glb`);
  run(program, 'sample', asset, '-o', file);
  return file;
}

async function worstOf(Kind, file, clip, wanted, sampled) {
  const player = await Kind.open(file);
  let worst = 0;
  for (const frame of sampled) {
    player.pose(clip, wanted.time[frame]);
    const off = largestDistance(wanted.row(frame), player.positions());
    if (!(off <= worst)) worst = off;
  }
  player.close?.();
  return worst / wanted.size;
}

function wantedOf(plain, style) {
  const dumped = dump(program, plain, path.join(folder, 'numbers'), ...style);
  const { shape: [frames, vertices], data } = dumped.array('smeared');
  return { frames, time: dumped.array('time').data, size: dumped.manifest.size, row: (frame) => data.subarray(3 * frame * vertices, 3 * (frame + 1) * vertices) };
}

for (const asset of assets()) {
  const plain = plainOf(asset);
  const style = ['--style', 'cartoon', '--clip', '0'];
  const wanted = wantedOf(plain, style);
  const sampled = Array.from({ length: FRAMES }, (_, i) => Math.round((i * (wanted.frames - 1)) / (FRAMES - 1)));
  for (const profile of PROFILES) {
    const baked = path.join(folder, 'baked.glb');
    run(program, 'apply', plain, ...style, ...(profile ? ['--profile', profile] : []), '--quiet', '-o', baked);
    const what = [path.basename(asset, '.glb'), profile || 'default'];
    const row = [...what];
    for (const [name, Kind] of Object.entries(PLAYERS)) {
      const off = await worstOf(Kind, baked, 0, wanted, sampled);
      report.check(`${what.join(', ')}: ${name}, in L`, off, TOLERANCE + ROUNDING);
      row.push((1000 * off).toFixed(2));
    }
    rows.push(`| ${row.join(' | ')} |`);
  }
}
if (long) console.log([`| character | profile | ${Object.keys(PLAYERS).join(' | ')} |`, '|---|---|---|---|', ...rows].join('\n'));
report.end();
