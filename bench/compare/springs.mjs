// Springs of three.js on the tail: @pixiv/three-vrm, and `wiggle`. Both are used as their documentation says: bones of
// the scene graph, one update a frame with the time since the last one.
import { VRMSpringBoneJoint, VRMSpringBoneManager } from '@pixiv/three-vrm';
import * as THREE from 'three';
import { WiggleBone } from 'wiggle/spring';
import { BASE, BONE, BONES, bodyAt } from './scene.mjs';

// Chosen so that the tip swings as far as limber's at 60 frames a second; the rest are defaults.
export const VRM_SETTINGS = { stiffness: 4, dragForce: 0.4 };
export const WIGGLE_SETTINGS = { stiffness: 2000, damping: 20 };
const STEP_S = 1 / 60;

function makeBones(scale) {
  const body = new THREE.Bone();
  const base = new THREE.Bone();
  base.position.fromArray(BASE).multiplyScalar(scale);
  base.rotation.x = -Math.PI / 2; // own y to -z
  body.add(base);
  const bones = [base];
  for (let i = 0; i <= BONES; i++) { // the last one is where the tail ends
    const bone = new THREE.Bone();
    bone.position.y = BONE * scale;
    bones.at(-1).add(bone);
    bones.push(bone);
  }
  return { scale, body, tail: bones.slice(1, -1), tip: bones.at(-1) };
}

function placeBody({ body, scale }, y, yaw) {
  body.position.y = y * scale;
  body.rotation.y = yaw;
  body.updateWorldMatrix(false, true);
}

const tipOf = ({ tip }) => tip.getWorldPosition(new THREE.Vector3()).toArray();

function vrmTail(scale) {
  const bones = makeBones(scale);
  placeBody(bones, 1, bodyAt(0).yaw);
  const manager = new VRMSpringBoneManager();
  bones.tail.forEach((bone, i) => manager.addJoint(new VRMSpringBoneJoint(bone, bones.tail[i + 1] ?? bones.tip, VRM_SETTINGS)));
  manager.setInitState();
  return { bones, manager };
}

function playVrm({ scale, frames }) {
  const { bones, manager } = vrmTail(scale);
  placeBody(bones, frames[0][2], frames[0][3]);
  manager.reset();
  return frames.map(([clock, , y, yaw], i) => {
    placeBody(bones, y, yaw);
    manager.update(i ? clock - frames[i - 1][0] : 0);
    return tipOf(bones);
  });
}

// The usual remedy: whole steps of 1/60 s, with the body where it is at the end of each; then the body as in the frame.
function playVrmSteps({ scale, frames }) {
  const { bones, manager } = vrmTail(scale);
  placeBody(bones, frames[0][2], frames[0][3]);
  manager.reset();
  let done = 0;
  return frames.map(([clock, time, y, yaw]) => {
    while ((done + 1) * STEP_S <= clock + 1e-6) {
      const then = bodyAt(Math.max(0, time - (clock - ++done * STEP_S)));
      placeBody(bones, then.y, then.yaw);
      manager.update(STEP_S);
    }
    placeBody(bones, y, yaw);
    return tipOf(bones);
  });
}

// It reads the clock of the machine. Here that is the clock of the film, in whole milliseconds as ever.
function playWiggle({ scale, frames }) {
  const now = Date.now;
  try {
    const bones = makeBones(scale);
    placeBody(bones, frames[0][2], frames[0][3]);
    let clock = 0;
    Date.now = () => Math.floor(1e6 + 1000 * clock);
    const wiggles = bones.tail.map((bone) => new WiggleBone(bone, WIGGLE_SETTINGS));
    return frames.map(([time, , y, yaw], i) => {
      const delta = i ? time - clock : STEP_S;
      clock = time;
      placeBody(bones, y, yaw);
      wiggles.forEach((wiggle) => wiggle.update(delta));
      bones.body.updateWorldMatrix(false, true);
      return tipOf(bones);
    });
  } finally {
    Date.now = now;
  }
}

// Nanoseconds of `update` a joint: the best of all rounds of 60 frames.
function nanoseconds(bones, rounds, update) {
  let best = Infinity;
  let clock = 0;
  for (let round = 0; round < rounds; round++) {
    let sum = 0;
    for (let i = 0; i < 60; i++) {
      const { y, yaw } = bodyAt((clock += STEP_S));
      placeBody(bones, y, yaw);
      const start = process.hrtime.bigint();
      update(clock);
      sum += Number(process.hrtime.bigint() - start);
    }
    best = Math.min(best, sum / 60 / BONES);
  }
  return best;
}

function vrmCost() {
  const { bones, manager } = vrmTail(1);
  return nanoseconds(bones, 200, () => manager.update(STEP_S));
}

function wiggleCost() {
  const now = Date.now;
  const bones = makeBones(1);
  placeBody(bones, 1, bodyAt(0).yaw);
  let time = 0;
  Date.now = () => Math.floor(1e6 + 1000 * time);
  const wiggles = bones.tail.map((bone) => new WiggleBone(bone, WIGGLE_SETTINGS));
  const cost = nanoseconds(bones, 20, (clock) => {
    time = clock;
    wiggles.forEach((wiggle) => wiggle.update(STEP_S));
  });
  Date.now = now;
  return cost;
}

export const vrm = { play: (runs) => runs.map(playVrm), cost: () => ({ joint: vrmCost() }) };
export const vrmSteps = { play: (runs) => runs.map(playVrmSteps), cost: () => ({ joint: vrmCost() }) };
export const wiggle = { play: (runs) => runs.map(playWiggle), cost: () => ({ joint: wiggleCost() }) };
