// node lods.mjs PROGRAM: levels of detail (MSFT_lod) share the bake of the bones: a mesh that the extension alone names
// moves as the one in the scene does, whether it hangs on the same skin or on one of its own.
import fs from 'node:fs';
import path from 'node:path';
import { makeGlb, parseGlb } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { Report, run, temporaryFolder } from './run.mjs';
import { describe, newFaults } from './validate.mjs';

const [program] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const [plain, made, baked, shown] = ['plain.glb', 'lods.glb', 'baked.glb', 'shown.glb'].map((name) => path.join(folder, name));
const edit = (from, to, change) => {
  const { json, binary } = parseGlb(fs.readFileSync(from));
  const result = change(json);
  fs.writeFileSync(to, makeGlb(json, binary));
  return result;
};

/** The same mesh once more, which no scene holds; the index of its node. */
const addLevel = (ownSkin) => edit(plain, made, (json) => {
  const fine = json.nodes.find(({ mesh }) => mesh !== undefined);
  const skin = ownSkin ? json.skins.push(structuredClone(json.skins[fine.skin])) - 1 : fine.skin;
  const mesh = json.meshes.push(structuredClone(json.meshes[fine.mesh])) - 1;
  const node = json.nodes.push({ name: 'coarse', mesh, skin }) - 1;
  fine.extensions = { MSFT_lod: { ids: [node] } };
  json.extensionsUsed = [...(json.extensionsUsed ?? []), 'MSFT_lod'];
  return node;
});

run(program, 'sample', 'cow', '-o', plain);
for (const ownSkin of [false, true]) {
  const what = ownSkin ? 'a level with its own skin' : 'a level on the same skin';
  const level = addLevel(ownSkin);
  run(program, 'apply', made, '--style', 'cartoon', '--clip', 'walk', '--bake', 'bones', '--targets', '0', '--quiet', '-o', baked);
  const faults = await newFaults(baked, made);
  report.expect(`${what}: the validator`, !faults.length, faults.map(describe).join('; '));
  const fine = edit(baked, shown, (json) => {
    json.scenes[0].nodes.push(level);
    return json.nodes.findIndex(({ extensions }) => extensions?.MSFT_lod?.ids.includes(level));
  });
  report.expect(`${what}: it is still one`, fine >= 0);
  const players = [await Player.open(shown), await Player.open(plain)];
  for (const time of [0.2, 0.7]) {
    players.forEach((player) => player.pose(0, time));
    const [a, b, unstyled] = [players[0].positions([fine]), players[0].positions([level]), players[1].positions()];
    const distances = (other) => Array.from({ length: a.length / 3 }, (_, v) => Math.hypot(...[0, 1, 2].map((c) => a[3 * v + c] - other[3 * v + c])));
    const same = distances(b).filter((distance) => distance < 1e-5).length / (a.length / 3);
    const still = distances(unstyled).filter((distance) => distance < 1e-5).length / (a.length / 3);
    report.expect(`${what}: at ${time} s ${(100 * same).toFixed(1)} % are where those of the fine one are, without the bake ${(100 * still).toFixed(1)} %`, same > 0.7 && still < 0.2);
  }
}

// Joints are split where that makes the file smaller, but not below meshes that would not fit any more.
const pieces = (from) => {
  run(program, 'apply', from, '--style', 'cartoon', '--clip', 'walk', '--bake', 'bones', '--quiet', '-o', baked);
  return parseGlb(fs.readFileSync(baked)).json.nodes.filter(({ name }) => /^limber:.*\.piece\d+$/.test(name)).length;
};
const [alone, with_levels] = [pieces(plain), pieces(made)];
report.expect(`${alone} helpers, ${with_levels} with levels of detail`, alone > with_levels);
report.end();
