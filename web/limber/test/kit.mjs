// Shared by several tests: the engine in dist/, the native program, characters on disk.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../../../tests/js/run.mjs';
import { createEngine } from '../dist/engine.js';
import { readGlb } from './glb.mjs';

export const CHARACTERS = ['flower', 'cow', 'giraffe', 'dancer', 'snail', 'cylinder', 'ball', 'toon', 'hero', 'dog'];
export const program = process.env.LIMBER_PROGRAM;
export const reference = process.env.LIMBER_WEB_REFERENCE;
export const engine = await createEngine();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-web-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

export const temporary = (name) => path.join(folder, name);

// The .glb of a built-in character, written by the program.
export function sampleFile(name) {
  if (!program) throw new Error('LIMBER_PROGRAM is not set: where is the program `limber`?');
  const file = temporary(`${name}.glb`);
  if (!fs.existsSync(file)) run(program, 'sample', name, '-o', file); // made once for all tests
  return file;
}

export const sampleDescription = (name) => readGlb(sampleFile(name));

// A bar of two joints along +Y that bends at (0, 1, 0), with a clip that swings once per second.
export function bar({ rings = 9, keys = 61 } = {}) {
  const positions = [];
  const joints = [];
  const weights = [];
  const triangles = [];
  for (let i = 0; i < rings; i++)
    for (let k = 0; k < 4; k++) {
      const y = (2 * i) / (rings - 1);
      const b = Math.min(Math.max(y - 0.5, 0), 1);
      positions.push(0.1 * Math.cos((k * Math.PI) / 2), y, 0.1 * Math.sin((k * Math.PI) / 2));
      joints.push(0, 1, 0, 0);
      weights.push(1 - b, b, 0, 0);
      if (i + 1 === rings) continue;
      const a = 4 * i + k;
      const c = 4 * i + ((k + 1) % 4);
      triangles.push(a, a + 4, c, c, a + 4, c + 4);
    }
  const times = Float32Array.from({ length: keys }, (_, i) => i / (keys - 1));
  const values = Float32Array.from({ length: 4 * keys }, (_, i) => {
    const angle = 0.5 - 0.5 * Math.cos(2 * Math.PI * times[i >> 2]);
    return [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)][i % 4];
  });
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  return {
    joints: [
      { name: 'Root', parent: -1 },
      { name: 'Tip', parent: 0, translation: [0, 1, 0] },
    ],
    skins: [{ joints: [0, 1], inverseBindMatrices: [...identity, ...identity.slice(0, 13), -1, 0, 1] }],
    meshes: [
      {
        name: 'Bar',
        skin: 0,
        positions,
        triangles,
        joints,
        weights,
        layers: { floppy: positions.filter((_, i) => i % 3 === 1).map((y) => y / 2) },
      },
    ],
    clips: [{ name: 'swing', channels: [{ path: 'rotation', target: 1, times, values }] }],
  };
}

// Local transforms of all joints, in the form that live.push expects.
export const restPose = (character) => {
  const local = new Float32Array(10 * character.jointCount);
  character.joints.forEach((joint, j) => local.set(joint.rest, 10 * j));
  return local;
};

export function largestDifference(a, b) {
  if (a.length !== b.length) return Infinity;
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const d = Math.abs(a[i] - b[i]);
    if (!(d <= worst)) worst = d; // keeps NaN
  }
  return worst;
}
