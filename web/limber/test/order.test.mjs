// The order of meshes, joints and skins in a file does not matter: loaders list them differently.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { readGlb } from './glb.mjs';
import { engine, sampleDescription } from './kit.mjs';

const LIMIT = 2e-6; // of L: sums in another order
const SIBLINGS = 4e-4; // of L: along a chain, joints that are not above each other act one after the other; legs likewise
const MOMENTS = [0.21, 0.77];
const SIZE = 3; // numbers of a vertex

const reversed = (count) => Array.from({ length: count }, (_, i) => count - 1 - i);
const numbersOf = (order) => {
  const numbers = new Map(order.map((from, to) => [from, to]));
  return (one) => numbers.get(one);
};

// Breadth first instead of depth first.
function levels(joints) {
  const depth = joints.map(() => 0);
  joints.forEach(({ parent }, j) => (depth[j] = parent < 0 ? 0 : depth[parent] + 1));
  return joints.map((_, j) => j).sort((a, b) => depth[a] - depth[b] || a - b);
}

function rearranged(from, joints) {
  const order = { joints, skins: reversed(from.skins.length), meshes: reversed(from.meshes.length) };
  const joint = numbersOf(order.joints);
  const skin = numbersOf(order.skins);
  const mesh = numbersOf(order.meshes);
  return {
    ...from,
    cameraNodes: [],
    cameras: [],
    joints: order.joints.map((j) => ({ ...from.joints[j], parent: joint(from.joints[j].parent) ?? -1 })),
    skins: order.skins.map((s) => ({ ...from.skins[s], joints: Array.from(from.skins[s].joints, joint) })),
    meshes: order.meshes.map((m) => ({ ...from.meshes[m], skin: skin(from.meshes[m].skin) })),
    clips: from.clips.map((clip) => ({
      name: clip.name,
      channels: clip.channels.map((one) => ({
        ...one,
        target: one.path === 'weights' ? mesh(one.target) : joint(one.target),
      })),
    })),
  };
}

// Meshes and skins backwards, and joints in another order if asked for.
function compare(description, joints, only = /^/) {
  const clips = description.clips.filter(({ name }) => only.test(name)).slice(0, 2);
  const one = engine.character({ ...description, clips });
  const other = engine.character(rearranged({ ...description, clips }, joints), { reorder: true });
  const style = 'cartoon';
  const pipelines = [one.pipeline(style), other.pipeline(style)];
  let worst = 0;
  one.clips.forEach((clip, c) => {
    for (const moment of MOMENTS) {
      const [a, b] = pipelines.map((p) => p.evaluate(c, clip.start + moment * (clip.end - clip.start)).positions);
      one.meshes.forEach((mesh, m) => {
        const there = other.meshes[one.meshes.length - 1 - m].firstVertex;
        for (let i = 0; i < SIZE * mesh.vertexCount; i++)
          worst = Math.max(worst, Math.abs(a[SIZE * mesh.firstVertex + i] - b[SIZE * there + i]));
      });
    }
  });
  worst /= one.size;
  one.dispose();
  other.dispose();
  return worst;
}

function check(description, what, only) {
  const same = description.joints.map((_, j) => j);
  for (const [order, joints, limit] of [
    ['meshes and skins', same, LIMIT],
    ['joints', levels(description.joints), SIBLINGS],
  ]) {
    const worst = compare(description, joints, only);
    assert.ok(worst < limit, `${what}, ${order}: ${worst.toExponential(1)} of L apart`);
  }
}

test('built-in characters look the same in any order', () => {
  for (const name of ['hero', 'dog']) check(sampleDescription(name), name);
});

// Parts that skin holds, that hang on others, and limbs whose room depends on points of the whole body.
const STRANGERS = [
  ['more/Mage.glb', /^Running_A$/],
  ['more/Soldier.glb', /^Run$/],
  ['RobotExpressive.glb', /^Running$/],
  ['more/Wolf.glb', /(Attack|Death)$/], // paws on the root, before their legs
];
const folder = process.env.LIMBER_TEST_ASSETS;

for (const [file, clips] of STRANGERS) {
  const there = folder && fs.existsSync(path.join(folder, file));
  test(`${file} looks the same in any order`, { skip: !there && 'not in LIMBER_TEST_ASSETS' }, () =>
    check(readGlb(path.join(folder, file)), file, clips),
  );
}
