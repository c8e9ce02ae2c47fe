// node import.mjs PROGRAM [FBX...]: .fbx and .dae files: a triangle whose motion is known, damaged copies of it, and,
// files from outside against three.js and, with LIMBER_TEST_LONG, Blender.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDae, makeFbx } from './foreign_files.mjs';
import { anglesBetween, CURVES, makeBinarySample, makeSample, PROBLEMS, SAMPLES, verticesOfSample } from './fbx_samples.mjs';
import { readGltf } from './gltf_file.mjs';
import { dump, largestDistance, Report, run, temporaryFolder } from './run.mjs';
import { verticesOfThree } from './three_fbx.mjs';
import { describe, isFault, validate } from './validate.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const INCH = 0.0254;
const write = (name, text) => {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
};
const files = [write('hand.fbx', makeFbx()), write('hand.dae', makeDae())];

// --- motion that is known ---

/** The corners in meters with Y up, `by` inches away (in the file's axes). */
const corners = (by) => [[0, 0, 0], [3, 0, 0], [0, 0, 4]].flatMap((p) => {
  const [x, y, z] = p.map((c, i) => (c + by[i]) * INCH);
  return [x, z, -y];
});

function compareTriangle(file, clip, end) {
  const shown = dump(program, file, path.join(folder, 'dump'), '--clip', clip, '--fps', '2');
  const skinned = shown.array('skinned');
  const frames = skinned.shape[0];
  report.expect(`${path.basename(file)} ${clip}: 3 frames`, frames === 3);
  for (let f = 0; f < frames; f++) {
    const is = skinned.data.subarray(9 * f, 9 * f + 9);
    report.check(`${path.basename(file)} ${clip}: frame ${f}`, largestDistance(is, corners(end.map((c) => (c * f) / 2))), 1e-6);
  }
}

// One of six bones moves 60 inches along its parent's X, which is the file's Y, or 30 along Z.
compareTriangle(files[0], 'move', [0, 10, 0]);
compareTriangle(files[0], 'rise', [0, 0, 5]);
compareTriangle(files[1], '0', [0, 10, 0]);

// A skeleton that moves and has no mesh gets a body.
const bare = dump(program, write('bare.fbx', makeFbx({ mesh: false })), path.join(folder, 'dump'), '--clip', 'move', '--fps', '2');
const [, bareJoints] = bare.array('joint_position').shape;
const bone = bare.manifest.joints.indexOf('Bone5');
const places = [0, 2].map((f) => [...bare.array('joint_position').data.subarray(3 * (f * bareJoints + bone), 3 * (f * bareJoints + bone) + 3)]);
report.check('bare.fbx: the bone goes 60 inches', largestDistance(places[1].map((c, i) => c - places[0][i]), [0, 0, -60 * INCH]), 1e-5);
report.expect('bare.fbx: a body', bare.array('rest').shape[0] > 100);

// XML allows spaces around everything, and comments anywhere.
const spaced = makeDae().replace(/>([^<\n]+)</g, (_, text) => `>\n\t  ${text.split(' ').join(' \n\t')}\r\n <`).replace(/="([^"]+)"/g, '=" $1\t"').replace('<asset>', "<!-- it's inches --><asset>");
compareTriangle(write('spaced.dae', spaced), '0', [0, 10, 0]);

// Every kind of transform that FBX has, at the times of the keys. Loose vertices come in any order of meshes.
function compareSample(name, sample) {
  const file = write('sample.fbx', makeSample(sample));
  const ours = dump(program, file, path.join(folder, 'dump'), '--fps', '2');
  const { shape: [frames, vertices], data } = ours.array('skinned');
  report.expect(`sample '${name}': 3 frames of 6 vertices`, frames === 3 && vertices === 6);
  const distance = (key, lists) => largestDistance(data.subarray(18 * key, 18 * key + 18), lists.flat()) / ours.manifest.size;
  for (let key = 0; key < frames; key++) {
    const lists = verticesOfSample(sample, key);
    report.check(`sample '${name}': key ${key}, in L`, Math.min(distance(key, lists), distance(key, lists.reverse())), 1e-5);
  }
}
for (const [name, sample] of Object.entries(SAMPLES)) compareSample(name, sample);

// Curves between keys, and files that are written in the other way.
function compareCurves(name, curve, bytes) {
  const ours = dump(program, write('sample.fbx', bytes), path.join(folder, 'dump'), '--fps', '4');
  const { shape: [frames, vertices], data } = ours.array('skinned');
  report.expect(`curves '${name}': 5 frames of 6 vertices`, frames === 5 && vertices === 6);
  const distance = (frame, lists) => largestDistance(data.subarray(18 * frame, 18 * frame + 18), lists.flat()) / ours.manifest.size;
  for (let frame = 0; frame < frames; frame++) {
    const lists = verticesOfSample({ curve }, frame % 2 ? anglesBetween(curve, (frame - 1) / 2) : frame / 2);
    report.check(`curves '${name}': frame ${frame}, in L`, Math.min(distance(frame, lists), distance(frame, lists.reverse())), 1e-5);
  }
}
for (const [name, curve] of Object.entries(CURVES)) {
  compareCurves(name, curve, makeSample({ curve }));
  compareCurves(`${name}, binary`, curve, makeBinarySample({ curve }, 7400));
}
compareCurves('wide heads', CURVES['weighted slopes'], makeBinarySample({ curve: CURVES['weighted slopes'] }, 7700));

/** What limber says about a file that cannot be right: in `info`, and as one line on stderr. */
function checkProblem(name, sample, problem) {
  const file = write('sample.fbx', makeSample(sample));
  const done = spawnSync(program, ['info', file], { encoding: 'utf8' });
  const told = done.stdout.split('\n').filter((line) => line.startsWith('problem: '));
  const lines = done.stderr.split('\n').filter(Boolean);
  const good = problem ? told.length === 1 && problem.test(told[0]) && lines.length === 1 && problem.test(lines[0]) : !told.length && !lines.length;
  report.expect(`sample '${name}': ${problem ? 'one problem' : 'no problem'}`, done.status === 0 && good, done.stderr + told.join());
}
for (const [name, [sample, problem]] of Object.entries(PROBLEMS)) checkProblem(name, sample, problem);
for (const [name, sample] of Object.entries(SAMPLES)) checkProblem(name, sample, null);

async function convert(file) {
  const name = path.basename(file);
  const out = path.join(folder, `${name}.glb`);
  run(program, 'convert', file, '-o', out);
  const { json } = readGltf(out);
  report.expect(`${name}: base color`, json.materials[0].pbrMetallicRoughness.baseColorFactor.join() === '1,0.25,0,1');
  report.expect(`${name}: six weights per vertex`, 'WEIGHTS_1' in json.meshes[0].primitives[0].attributes);
  run(program, 'apply', file, '--style', 'cartoon', '--quiet', '-o', out);
  for (const message of await validate(out)) if (isFault(message)) report.expect(`${name}: ${describe(message)}`, false);
  run(program, 'exaggerate', file, '--quiet', '-o', path.join(folder, `${name}.exaggerated.glb`));
}
for (const file of files) await convert(file);

// --- damage ---

/** 20 truncations, wrong bytes, and other kinds of files: a line each or, where the damage does not matter, none. */
function* damages(text) {
  for (let i = 0; i < 20; i++) yield text.subarray(0, Math.floor((text.length * i) / 20));
  let seed = 1;
  for (let i = 0; i < 20; i++) {
    const bytes = Buffer.from(text);
    for (let k = 0; k <= i; k++) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      bytes[(seed >>> 8) % bytes.length] = (seed >>> 4) & 255;
    }
    yield bytes;
  }
}

function breakAll(file) {
  let count = 0;
  let refused = 0;
  for (const bytes of damages(fs.readFileSync(file))) {
    const damaged = write(`damaged${path.extname(file)}`, bytes);
    const done = spawnSync(program, ['info', damaged], { encoding: 'utf8' });
    const fine = done.status === 0 || (done.status === 1 && done.stderr.trim().split('\n').length === 1);
    if (!fine) report.expect(`damaged ${path.basename(file)} ${count}: status ${done.status} ${done.signal}, ${done.stderr}`, false);
    refused += done.status;
    count++;
  }
  report.expect(`${path.basename(file)}: ${count} damaged copies, ${refused} refused with a line each`, refused >= 19);
}
files.forEach(breakAll);
for (const [name, text] of [['none.fbx', null], ['empty.fbx', ''], ['other.fbx', 'Hello'], ['other.dae', '<html></html>']]) {
  const file = text === null ? path.join(folder, name) : write(name, text);
  const done = spawnSync(program, ['info', file], { encoding: 'utf8' });
  report.expect(`${name}: one line`, done.status === 1 && done.stderr.trim().split('\n').length === 1, done.stderr);
}

// --- against other programs ---

const TIMES = [0, 0.5, 1, 2];
const TOLERANCE = 1e-4; // of L

/** For each of our vertices the one of theirs that was at the same place in the bind pose and stays nearest. */
function compareWith(other, file, ours, rate, [restOfTheirs, ...theirs]) {
  const { shape: [frames, vertices], data } = ours.array('skinned');
  const rest = ours.array('rest').data;
  const L = ours.manifest.size;
  const cell = (x, y, z) => `${Math.round(x / (1e-4 * L))} ${Math.round(y / (1e-4 * L))} ${Math.round(z / (1e-4 * L))}`;
  const places = new Map();
  for (let v = 0; v < restOfTheirs.length; v += 3) {
    const key = cell(restOfTheirs[v], restOfTheirs[v + 1], restOfTheirs[v + 2]);
    if (!places.has(key)) places.set(key, []);
    places.get(key).push(v);
  }
  const distance = (v, u) => Math.max(...TIMES.map((t, i) => {
    const at = 3 * (Math.min(Math.round(t * rate), frames - 1) * vertices + v);
    return Math.hypot(data[at] - theirs[i][u], data[at + 1] - theirs[i][u + 1], data[at + 2] - theirs[i][u + 2]);
  }));
  let worst = 0;
  let compared = 0;
  for (let v = 0; v < vertices; v++) {
    const near = places.get(cell(rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]));
    if (!near) continue; // on the border of a cell
    worst = Math.max(worst, Math.min(...near.map((u) => distance(v, u))));
    compared++;
  }
  const label = `${path.basename(file)} against ${other}`;
  report.check(`${label}: ${compared} of ${vertices} vertices, in L`, worst / L, TOLERANCE);
  report.expect(`${label}: nearly all vertices`, compared > 0.8 * vertices);
}

function verticesOfBlender(file) {
  const out = path.join(folder, 'blender.json');
  const script = fileURLToPath(new URL('blender_import.py', import.meta.url));
  const done = spawnSync('blender', ['-b', '--factory-startup', '--python-exit-code', '7', '--python', script, '--', file, out, ...TIMES.map(String)], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`Blender does not open ${file}: ${done.stdout}${done.stderr}`);
  const { rate, lists } = JSON.parse(fs.readFileSync(out, 'utf8'));
  return { rate, lists: lists.map((list) => Object.values(list).flat()) };
}

function outside() {
  const root = process.env.LIMBER_TEST_ASSETS;
  if (named.length || !root) return named;
  return [root, path.join(root, 'more')].filter((place) => fs.existsSync(place)).flatMap((place) =>
    fs.readdirSync(place).filter((file) => /\.fbx$/i.test(file)).map((file) => path.join(place, file)));
}

const LONG = Boolean(process.env.LIMBER_TEST_LONG);
const hasBlender = LONG && spawnSync('blender', ['--version']).status === 0;
if (!outside().length) console.log('LIMBER_TEST_ASSETS is not set, or has no .fbx: no files from outside are compared');
if (LONG && !hasBlender) console.log('Blender is not installed: files from outside are not compared with its import');
for (const file of outside()) {
  const theirs = hasBlender ? verticesOfBlender(file) : null;
  const rate = theirs?.rate ?? 30;
  const ours = dump(program, file, path.join(folder, 'dump'), '--fps', String(rate));
  if (theirs) compareWith('Blender', file, ours, rate, theirs.lists);
  compareWith('three.js', file, ours, rate, verticesOfThree(file, TIMES));
}
report.end();
