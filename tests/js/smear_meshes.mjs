// node smear_meshes.mjs PROGRAM REFERENCE [ASSET...]: multiples and motion lines in written files, played by three.js:
// in every frame each is where limber_pipeline_evaluate_smeared puts it (REFERENCE prints that), as opaque as it says, and gone
// where it is not to be seen. A copy that lies one frame back is the character as it was a frame ago.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as THREE from 'three';
import { followMeshes, readGltf, shownMeshes } from './gltf_file.mjs';
import { Player } from './player.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { describe, isFault, newFaults, validate } from './validate.mjs';

const LIMIT = 1e-4; // of L
const OPACITY_LIMIT = 1 / 250; // opacities are kept in steps of 1/127
const LONG = Boolean(process.env.LIMBER_TEST_LONG); // more characters, and more of each
const FRAMES = LONG ? 24 : 12; // looked at, spread over the clip

const [program, reference, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

// Copies at whole frames; copies between frames with elongation; lines with copies that overlap.
const LOOKS = {
  whole: ['smear.multiples.past=2', 'smear.multiples.future=1', 'smear.multiples.overlap=3'],
  between: ['smear.multiples.past=2', 'smear.multiples.future=1', 'smear.elongate.amount=offset', 'smear.step=2'],
  lines: ['smear.lines.count=12', 'smear.multiples.past=1', 'smear.lines.min_speed=0.01', 'smear.multiples.min_speed=0.01', 'effects.squash.linear=0.1'],
};

const settings = (look) => LOOKS[look].flatMap((set) => ['--set', set]);

function referenceOf(asset, clip, look) {
  const out = path.join(folder, 'reference');
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out);
  const done = spawnSync(reference, [asset, String(clip), out, ...LOOKS[look]], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`smear_reference: ${done.stderr}`);
  const told = JSON.parse(done.stdout);
  const floats = (file) => {
    const bytes = fs.readFileSync(path.join(out, file));
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  };
  told.meshes.forEach((mesh, i) => {
    mesh.positions = floats(`${i}.positions`);
    mesh.opacities = floats(`${i}.opacities`);
  });
  return told;
}

// The nodes that came new, in the order of the reference's meshes: by name.
function extraNodes(before, json, told) {
  const kept = new Set(followMeshes(before, json));
  const nodes = shownMeshes(json).map((entry) => entry.node).filter((node) => !kept.has(node));
  const taken = new Set();
  const of = told.meshes.map((mesh) => {
    const node = nodes.find((n) => !taken.has(n) && json.nodes[n].name === mesh.name);
    taken.add(node);
    return node;
  });
  return { nodes, of };
}

// Opacities as three.js's shader sums them: base and morphed colours.
function opacities(player, node) {
  const out = [];
  const color = new THREE.Vector4();
  for (const object of player.parts.get(node)) {
    const { color: base } = object.geometry.attributes;
    const targets = object.geometry.morphAttributes.color ?? [];
    for (let v = 0; v < base.count; v++) {
      let sum = base.getW(v);
      object.morphTargetInfluences?.forEach((weight, t) => {
        if (weight && targets[t]) sum += weight * color.fromBufferAttribute(targets[t], v).w;
      });
      out.push(sum);
    }
  }
  return out;
}

const spread = (positions) => {
  let most = 0;
  for (let i = 3; i < positions.length; i++) most = Math.max(most, Math.abs(positions[i] - positions[i % 3]));
  return most;
};

// The opacity of a line that has no area in this frame is of no account.
function opacityError(expected, played, lines) {
  if (expected.length !== played.length) return NaN;
  return expected.reduce((most, x, i) => (lines && x === 0 ? most : Math.max(most, Math.abs(x - played[i]))), 0);
}

// A copy may be absent from the file when no frame shows it.
function compareFrame(player, told, nodes, clip, f, worst) {
  const frame = told.frames[f];
  player.pose(clip, Math.fround(frame.time));
  told.meshes.forEach((mesh, m) => {
    if (nodes[m] === undefined) {
      worst.lost += frame.visible[m];
      return;
    }
    const played = player.positions([nodes[m]]);
    if (!frame.visible[m]) {
      worst.hidden = Math.max(worst.hidden, spread(played));
      worst.hiddenCount++;
      return;
    }
    const count = mesh.vertices;
    worst.shown++;
    worst.position = Math.max(worst.position, largestDistance(mesh.positions.subarray(3 * f * count, 3 * (f + 1) * count), played));
    worst.opacity = Math.max(worst.opacity, opacityError(mesh.opacities.subarray(f * count, (f + 1) * count), opacities(player, nodes[m]), mesh.source < 0));
  });
}

const framesOf = (count) => [...new Set(Array.from({ length: FRAMES }, (_, i) => Math.round((i * (count - 1)) / (FRAMES - 1))))];

async function checkValid(file, what) {
  const faults = (await validate(file)).filter(isFault);
  report.expect(`${what} passes the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
}

async function checkSeparate(asset, before, clip, bake, look, tolerance = 0) {
  const out = path.join(folder, 'out.glb');
  const what = `${path.basename(asset)} clip ${clip} ${look} ${bake}${tolerance ? ' reduced' : ''}`;
  run(program, 'apply', asset, '-o', out, '--bake', bake, '--tolerance', String(tolerance), '--clip', String(clip), '--quiet', ...settings(look));
  await checkValid(out, what);
  const told = referenceOf(asset, clip, look);
  const player = await Player.open(out);
  const { nodes, of } = extraNodes(before, player.json, told);
  const worst = { position: 0, opacity: 0, hidden: 0, hiddenCount: 0, shown: 0, lost: 0 };
  report.expect(`${what}: ${nodes.length} nodes for ${told.meshes.length} meshes`, nodes.length === of.filter((n) => n !== undefined).length && nodes.length > 0);
  for (const f of framesOf(told.frames.length)) compareFrame(player, told, of, clip, f, worst);
  report.check(`${what}: ${worst.shown} shown, positions in L`, worst.position / told.size, tolerance ? (1.02 * tolerance) / 1000 : LIMIT);
  report.check(`${what}: opacities`, worst.opacity, OPACITY_LIMIT);
  report.check(`${what}: ${worst.hiddenCount} hidden, extent`, worst.hidden, 0);
  report.expect(`${what}: nothing is missing`, worst.lost === 0 && worst.shown > 0);
  player.pose(-1, 0);
  report.check(`${what}: hidden without an animation, extent`, Math.max(...nodes.map((n) => spread(player.positions([n])))), 0);
  if (look === 'whole' && !tolerance) checkWholeFrames(asset, player, told, of, clip, what);
  return { out, nodes };
}

// Copy n lies on the character of n frames later; looked at in the middle of the clip, away from its ends.
function checkWholeFrames(asset, player, told, nodes, clip, what) {
  const dumped = dump(program, asset, path.join(folder, 'dump'), '--clip', String(clip));
  const deformed = dumped.array('deformed');
  const [frames, vertices] = deformed.shape;
  let worst = 0;
  let shown = 0;
  for (let f = 4; f < frames - 4; f += 3) {
    for (const number of [-2, -1, 1]) {
      const copies = told.meshes.map((mesh, m) => ({ mesh, m })).filter(({ mesh }) => mesh.number === number);
      if (copies.length !== dumped.manifest.meshes.length || !copies.every(({ m }) => told.frames[f].visible[m])) continue;
      player.pose(clip, Math.fround(told.frames[f].time));
      const played = player.positions(copies.map(({ m }) => nodes[m]));
      const row = deformed.data.subarray((f + number) * vertices * 3, (f + number + 1) * vertices * 3);
      worst = Math.max(worst, largestDistance(row, played));
      shown++;
    }
  }
  report.check(`${what}: ${shown} copies lie on other frames, in L`, worst / told.size, LIMIT);
}

// One node per mesh of the character; all pieces in it one after the other.
async function checkMerged(asset, before, clip, look) {
  const out = path.join(folder, 'merged.glb');
  const what = `${path.basename(asset)} clip ${clip} ${look} merged`;
  run(program, 'apply', asset, '-o', out, '--bake', 'corrective', '--smear-meshes', 'merged', '--clip', String(clip), '--quiet', ...settings(look));
  await checkValid(out, what);
  const told = referenceOf(asset, clip, look);
  const player = await Player.open(out);
  const kept = new Set(followMeshes(before, player.json));
  const nodes = shownMeshes(player.json).map((entry) => entry.node).filter((node) => !kept.has(node));
  const sources = [...new Set(told.meshes.map((mesh) => mesh.source).filter((source) => source >= 0))];
  const seen = sources.filter((source) => told.meshes.some((mesh, m) => (mesh.source === source || (mesh.source < 0 && source === sources[0])) && told.frames.some((frame) => frame.visible[m])));
  report.expect(`${what}: ${nodes.length} nodes`, nodes.length === seen.length);
  let worst = 0;
  for (const f of framesOf(told.frames.length)) {
    player.pose(clip, Math.fround(told.frames[f].time));
    seen.forEach((source, i) => {
      const pieces = told.meshes.map((mesh, m) => ({ mesh, m })).filter(({ mesh }) => mesh.source === source || (mesh.source < 0 && source === sources[0]));
      if (!pieces.some(({ m }) => told.frames[f].visible[m])) return;
      const row = pieces.flatMap(({ mesh }) => [...mesh.positions.subarray(3 * f * mesh.vertices, 3 * (f + 1) * mesh.vertices)]);
      worst = Math.max(worst, largestDistance(row, player.positions([nodes[i]])));
    });
  }
  report.check(`${what}, in L`, worst / told.size, LIMIT);
}

// The rest of the file is what --smear-meshes none writes. Accessors may have other numbers: repaired ones come last, and
// the last ones fill the gaps of those that went.
function checkRest(asset, clip, look, separate) {
  const out = path.join(folder, 'none.glb');
  run(program, 'apply', asset, '-o', out, '--bake', 'corrective', '--smear-meshes', 'none', '--clip', String(clip), '--quiet', ...settings(look));
  const [plain, with_] = [readGltf(out).json, readGltf(separate).json];
  const contentOf = (json, number) => ({ ...json.accessors[number], bufferView: undefined, byteOffset: undefined, sparse: undefined });
  const text = (json, value) =>
    JSON.stringify(value, (key, inside) => {
      if (/^(JOINTS|WEIGHTS)_|^TANGENT$/.test(key)) return undefined;
      return /^([A-Z]+(_\d)?|indices)$/.test(key) && typeof inside === 'number' ? contentOf(json, inside) : inside;
    });
  for (const list of ['nodes', 'meshes', 'materials', 'skins', 'cameras', 'textures', 'images'])
    report.expect(`${path.basename(asset)}: ${list} of the character are the same with ${look} and without`,
      text(plain, plain[list] ?? []) === text(with_, (with_[list] ?? []).slice(0, plain[list]?.length ?? 0)));
}

function assets() {
  if (named.length) return named;
  const samples = (LONG ? ['ball', 'cow'] : ['ball']).map((name) => {
    const file = path.join(folder, `${name}.glb`);
    run(program, 'sample', name, '-o', file);
    return file;
  });
  const outside = process.env.LIMBER_TEST_ASSETS;
  if (!outside) console.log('LIMBER_TEST_ASSETS is not set: only the built-in characters');
  return [...samples, ...(outside ? ['Fox.glb', 'RobotExpressive.glb', ...(LONG ? ['RiggedSimple.glb'] : [])].map((file) => path.join(outside, file)) : [])];
}

for (const asset of assets()) {
  const before = readGltf(asset).json;
  const punch = before.animations.findIndex(({ name }) => name === 'Punch');
  const clip = punch >= 0 ? punch : before.animations.length - 1;
  for (const [look, bake] of [['whole', 'corrective'], ['between', 'vertex'], ['lines', 'corrective'], ['lines', 'vertex']]) {
    const { out } = await checkSeparate(asset, before, clip, bake, look);
    if (bake === 'corrective') checkRest(asset, clip, look, out);
  }
  await checkSeparate(asset, before, clip, 'corrective', 'lines', 0.5);
  await checkMerged(asset, before, clip, 'lines');
}
// Files with strips, sparse accessors, normal maps, shared meshes and the like.
for (const { file, tolerated } of named.length ? [] : writeRichFiles(folder)) {
  for (const how of ['separate', 'merged']) {
    const out = path.join(folder, 'rich.gltf');
    run(program, 'apply', file, '-o', out, '--bake', 'corrective', '--smear-meshes', how, '--quiet', ...settings('lines'), '--set', 'smear.multiples.min_speed=0');
    const faults = (await newFaults(out, file)).filter((message) => !tolerated?.includes(message.code));
    report.expect(`${path.basename(file)} ${how} passes the validator`, !faults.length, faults.slice(0, 5).map(describe).join('; '));
  }
}
report.end();
