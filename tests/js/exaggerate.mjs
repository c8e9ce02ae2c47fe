// node exaggerate.mjs PROGRAM [ASSET...]: skeletons that were edited. What three.js plays from the file is what limber
// computed, with bones and skins stretched; nothing but the animations changes; a carried style acts once; and a .bvh
// that went through comes back with its joints where they belong.
import fs from 'node:fs';
import path from 'node:path';
import { assetsFor } from './assets.mjs';
import { followMeshes, readGltf } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { describe, newFaults } from './validate.mjs';

const LIMIT = 1e-4; // of L

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
// The verb knows this stage alone, so styles do without the others.
const alone = ['timing.snap=0', 'timing.hang=0', 'pose.exaggerate=0', 'pose.anticipate=0'].flatMap((key) => ['--set', key]);
const toon = ['--style', 'mocap-toon', ...alone];

async function checkPlayed(asset, what, file, dumped, array, before) {
  const faults = await newFaults(file, asset);
  report.expect(`${what} passes the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  const player = await Player.open(file);
  const nodes = followMeshes(before, player.json);
  const expected = dumped.array(array);
  const times = dumped.array('time').data;
  const [frames, vertices] = expected.shape;
  let worst = 0;
  for (let frame = 0; frame < frames; frame += Math.max(1, Math.floor(frames / 12))) {
    player.pose(0, times[frame]);
    const row = expected.data.subarray(frame * vertices * 3, (frame + 1) * vertices * 3);
    worst = Math.max(worst, largestDistance(row, player.positions(nodes)));
  }
  report.check(`${what}, in L`, worst / dumped.manifest.size, LIMIT);
}

// Everything of a file that the edit has no business with: nodes may get children, skins other joints, and accessors
// that every output has repaired other numbers.
function untouched({ json }) {
  const { meshes, materials, textures, images, cameras, scenes, extras } = json;
  const shapes = meshes?.map((mesh) => ({ ...mesh, primitives: mesh.primitives.map((p) => ({ ...p, attributes: Object.keys(p.attributes) })) }));
  return JSON.stringify({ shapes, materials, textures, images, cameras, scenes: scenes?.map((s) => s.name), extras });
}

for (const asset of assetsFor(program, named, folder)) {
  const name = path.basename(asset);
  const before = readGltf(asset);
  if (!before.json.animations?.length) continue;
  const clip = ['--clip', '0', '--quiet'];
  const plain = dump(program, asset, path.join(folder, 'plain'), '--clip', '0');
  const dumped = dump(program, asset, path.join(folder, 'toon'), '--clip', '0', ...toon);
  const moved = largestDistance(plain.array('skinned').data, dumped.array('skinned').data) / plain.manifest.size;
  report.expect(`${name} moves by up to ${moved.toFixed(3)} L`, moved >= 0 && moved < 1);

  const edited = path.join(folder, 'edited.glb');
  run(program, 'exaggerate', asset, '-o', edited, ...toon, '--quiet');
  await checkPlayed(asset, `${name} exaggerated`, edited, dumped, 'skinned', before.json);
  const converted = path.join(folder, 'converted.glb');
  run(program, 'convert', asset, '-o', converted);
  report.expect(`${name}: meshes and materials stay`, untouched(readGltf(edited)) === untouched(readGltf(converted)));
  report.expect(`${name}: animations keep their names`, readGltf(edited).json.animations.every((a, i) => a.name === before.json.animations[i].name));

  const applied = path.join(folder, 'applied.glb');
  const both = ['--style', 'mocap-toon', '--set', 'effects.floppy.angular=0.2', '--set', 'effects.floppy.max_bend=40'];
  const bent = dump(program, asset, path.join(folder, 'both'), '--clip', '0', ...both);
  run(program, 'apply', asset, '-o', applied, '--bake', 'corrective', ...both, ...clip);
  await checkPlayed(asset, `${name} exaggerated and bent`, applied, bent, 'deformed', before.json);
  const again = dump(program, applied, path.join(folder, 'again'), '--clip', '0');
  report.check(`${name}: a baked style is not applied a second time, in L`, largestDistance(again.array('skinned').data, again.array('deformed').data) / again.manifest.size, 0);

  const vertex = path.join(folder, 'vertex.glb');
  run(program, 'apply', asset, '-o', vertex, ...toon, '--bake', 'vertex', ...clip);
  await checkPlayed(asset, `${name} exaggerated, vertex bake`, vertex, dumped, 'deformed', before.json);

  const carried = path.join(folder, 'carried.glb');
  const later = path.join(folder, 'later.glb');
  run(program, 'apply', asset, '-o', carried, ...toon, '--bake', 'none', '--quiet');
  run(program, 'exaggerate', carried, '-o', later, '--quiet');
  await checkPlayed(asset, `${name}: a carried style acts like a given one`, later, dumped, 'skinned', before.json);
  const once = dump(program, later, path.join(folder, 'once'), '--clip', '0', '--fps', String(dumped.manifest.fps));
  report.check(`${name}: and only once, in L`, largestDistance(once.array('skinned').data, dumped.array('skinned').data) / once.manifest.size, LIMIT);
}

const outside = process.env.LIMBER_TEST_ASSETS;
for (const file of outside && !named.length ? fs.readdirSync(outside).filter((f) => /\.bvh$/i.test(f)).sort() : []) {
  const source = path.join(outside, file);
  const out = path.join(folder, 'out.bvh');
  run(program, 'exaggerate', source, '-o', out, ...toon, '--quiet');
  const expected = dump(program, source, path.join(folder, 'x'), ...toon);
  const found = dump(program, out, path.join(folder, 'y'));
  report.check(`${file}: joints of the .bvh, in L`, largestDistance(expected.array('joint_position').data, found.array('joint_position').data) / expected.manifest.size, 1e-5);
  const [a, b] = [source, out].map((f) => fs.readFileSync(f, 'utf8'));
  const order = (text) => text.match(/CHANNELS[^\n]*/g).map((line) => line.trim().split(/\s+/).slice(2).filter((c) => /rotation/.test(c)).join(' '));
  report.expect(`${file}: rotations keep their order`, JSON.stringify(order(a)) === JSON.stringify(order(b)));
}
report.end();
