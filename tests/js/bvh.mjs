// node bvh.mjs PROGRAM [FILE.bvh...]: BVH files as limber reads and writes them, against three.js's BVHLoader, and the
// .glb made of them against the validator.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as THREE from 'three';
import { BVHLoader } from 'three/examples/jsm/loaders/BVHLoader.js';
import { Report, dump, largestDistance, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const LIMIT = 1e-5; // of L
const TIMES = 12;

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();

const HAND_MADE = `HIERARCHY
ROOT Hips
{
\tOFFSET 0 0 0
\tCHANNELS 6 Zposition Yposition Xposition Yrotation Zrotation Xrotation
\tJOINT Chest
\t{
\t\tOFFSET 0.5 5 -1
\t\tCHANNELS 3 Xrotation Yrotation Zrotation
\t\tJOINT Head
\t\t{
\t\t\tOFFSET 0 3 0.25
\t\t\tCHANNELS 3 Zrotation Yrotation Xrotation
\t\t\tEnd Site
\t\t\t{
\t\t\t\tOFFSET 0 1 0
\t\t\t}
\t\t}
\t}
}
MOTION
Frames: 3
Frame Time: 0.04
1 2 3 40 -50 60 170 89.5 -10 5 15 25
1.5 2.5 3.5 41 -49 61 175 90 -11 5e1 1.5e+1 25
2 3 4 42 -48 62 181 91 -12 95 -15 400
`;

function inputs() {
  if (named.length) return named;
  const made = path.join(folder, 'hand_made.bvh');
  fs.writeFileSync(made, HAND_MADE);
  const outside = process.env.LIMBER_TEST_ASSETS;
  if (!outside) console.log('LIMBER_TEST_ASSETS is not set: only a file made by hand');
  const files = outside ? fs.readdirSync(outside).filter((file) => /\.bvh$/i.test(file)).sort() : [];
  return [made, ...files.map((file) => path.join(outside, file))];
}

// Places of all joints at a time, as three.js sees them, by name.
function readByThree(file) {
  const { skeleton, clip } = new BVHLoader().parse(fs.readFileSync(file, 'utf8'));
  const root = skeleton.bones[0];
  const mixer = new THREE.AnimationMixer(root);
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce).play();
  action.clampWhenFinished = true;
  return (time) => {
    action.time = time;
    mixer.update(0);
    root.updateMatrixWorld(true);
    return new Map(skeleton.bones.filter((bone) => bone.name !== 'ENDSITE').map((bone) => [bone.name, bone.getWorldPosition(new THREE.Vector3()).toArray()]));
  };
}

function checkPlaces(what, file, numbers, names, times, size) {
  const places = readByThree(file);
  let worst = 0;
  for (let i = 0; i < TIMES; i++) {
    const frame = Math.round((i * (times.length - 1)) / (TIMES - 1));
    const theirs = places(times[frame]);
    const row = numbers.subarray(frame * names.length * 3, (frame + 1) * names.length * 3);
    const distance = largestDistance(row, names.flatMap((name) => theirs.get(name)));
    if (!(distance <= worst)) worst = distance;
  }
  report.check(`${what}: joints where three.js has them, in L`, worst / size, LIMIT);
}

async function checkValid(what, file) {
  const bad = (await validate(file)).filter(isFault);
  report.expect(`${what} passes the validator`, !bad.length, bad.slice(0, 5).map(describe).join('; '));
}

async function checkFile(file) {
  const name = path.basename(file, '.bvh');
  const [again, glb, back, toon] = ['again.bvh', 'walk.glb', 'back.bvh', 'toon.glb'].map((end) => path.join(folder, `${name}_${end}`));
  run(program, 'convert', file, '-o', again);
  run(program, 'convert', file, '-o', glb);
  run(program, 'convert', glb, '-o', back);
  run(program, 'apply', file, '-o', toon, '--style', 'cartoon', '--fps', '12', '--range', '0:0.5', '--quiet');
  const dumped = dump(program, file, path.join(folder, 'dump'));
  const numbers = dumped.array('joint_position').data;
  const times = dumped.array('time').data;
  const names = dumped.manifest.joints;
  for (const [what, other] of [['as it is', file], ['written again', again], ['through .glb', back]])
    checkPlaces(`${name} ${what}`, other, numbers, names, times, dumped.manifest.size);
  const channels = (text) => text.match(/CHANNELS.*/g).map((line) => line.trim()).join('\n');
  report.expect(`${name} written again keeps its channels`, channels(fs.readFileSync(file, 'utf8')) === channels(fs.readFileSync(again, 'utf8')));
  const { inserted_pose: pose } = JSON.parse(run(program, 'info', file, '--json')).clips[0];
  const capture = name.startsWith('cmu_');
  report.expect(`${name}: the inserted pose is found, if there is one`, capture ? pose?.frames === 1 : pose === null, JSON.stringify(pose));
  report.expect(`${name}: and info says so`, capture === run(program, 'info', file).includes('the first frame is an inserted pose'));
  await checkValid(`${name}.glb`, glb);
  await checkValid(`${name} with a style`, toon);
}

/** Captures are appended to, and their number of frames forgotten. */
function checkMoreFrames() {
  const file = path.join(folder, 'more.bvh');
  const frames = Number(HAND_MADE.match(/Frames: *(\d+)/)[1]);
  fs.writeFileSync(file, HAND_MADE.replace(/Frames: *\d+/, `Frames: ${frames - 1}`));
  const done = spawnSync(program, ['info', file], { encoding: 'utf8' });
  const text = `has ${frames} frames, though it says ${frames - 1}; all are read`;
  const lines = done.stderr.trim().split('\n');
  report.expect('more frames than declared: read, one problem, one warning', done.status === 0 && done.stdout.includes(`problem: ${text}`) && lines.length === 1 && lines[0].endsWith(text), done.stderr);
}

for (const file of inputs()) await checkFile(file);
checkMoreFrames();
report.end();
