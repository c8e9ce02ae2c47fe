// The tools that are compared. Each plays runs ({ fps, scale, frames }, see runs.mjs) and says where the tip of the tail is.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../tests/js/run.mjs';
import { BASE, BONE, BONES, DURATION_S, playing, tailVertices, TIP, writeScene } from './scene.mjs';

const HERE = import.meta.dirname;
const GODOT = process.env.LIMBER_GODOT ?? 'godot3-server';
const BLENDER = process.env.LIMBER_BLENDER ?? 'blender';
// As in springs.mjs: chosen for a swing like limber's at 60 frames a second.
const GODOT_SETTINGS = { stiffness: 1200, damping: 16 };
const SOFT_SETTINGS = { goal_at_tip: 0.35, goal_spring: 0.5, goal_friction: 0, pull: 0.9, push: 0.9, bend: 10 };

function call(program, args, options = {}) {
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (done.error || done.status) throw new Error(`${program}: ${done.error ?? `${done.stdout}${done.stderr}`.slice(-600)}`);
  return done.stdout;
}

const has = (program) => !spawnSync(program, ['--version']).error;

// --- limber ---

/** In a loop the last frame of a round is the end of the clip, not its start. */
const inClip = (time) => time - DURATION_S * Math.max(0, Math.ceil(time / DURATION_S - 1e-6) - 1);

export function limber(program, mode) {
  const folder = temporaryFolder();
  const style = path.join(HERE, 'tail.json');
  const scene = (scale) => {
    const file = path.join(folder, `tail-${scale}.glb`);
    if (!fs.existsSync(file)) writeScene(file, scale);
    return file;
  };
  const playOne = ({ scale, frames }) => {
    const input = frames.map(([clock, time, y, yaw]) => `${clock} ${inClip(time)} ${y * scale} ${yaw}\n`).join('');
    const out = call(program, [scene(scale), style, mode, TIP.first, TIP.count], { input });
    return out.trim().split('\n').map((line) => line.split(' ').map(Number));
  };
  return {
    play: (runs) => runs.map(playOne),
    cost: () => JSON.parse(call(program, [scene(1), style, 'cost'])),
  };
}

// --- Godot and Blender ---

function readTips(folder) {
  return JSON.parse(fs.readFileSync(path.join(folder, 'tips.json'), 'utf8'));
}

/** A tool that runs once for all runs, and says what it cost with them. */
function batch(start) {
  let ns = NaN;
  return {
    play(runs) {
      const folder = temporaryFolder();
      const result = start(folder, runs);
      ns = result.ns;
      return result.tips;
    },
    cost: () => ns,
  };
}

export function godot() {
  if (!has(GODOT)) return null;
  return batch((folder, runs) => {
    const scene = { base: BASE, bone: BONE, bones: BONES };
    fs.writeFileSync(path.join(folder, 'project.godot'), 'config_version=4\n');
    fs.writeFileSync(path.join(folder, 'runs.json'), JSON.stringify({ scene, settings: GODOT_SETTINGS, runs }));
    fs.copyFileSync(path.join(HERE, 'springs.gd'), path.join(folder, 'springs.gd'));
    call(GODOT, ['--path', folder, '-s', 'springs.gd'], { env: { ...process.env, HOME: folder } });
    return readTips(folder);
  });
}

export function blender() {
  if (!has(BLENDER)) return null;
  return batch((folder, runs) => {
    const keyed = runs.map((run) => ({ ...run, keys: playing(run.fps, 1) }));
    fs.writeFileSync(path.join(folder, 'runs.json'), JSON.stringify({ settings: SOFT_SETTINGS, tail: tailVertices(), runs: keyed }));
    call(BLENDER, ['-b', '--factory-startup', '--python-exit-code', '7', '--python', path.join(HERE, 'soft_body.py'), '--', folder]);
    return readTips(folder);
  });
}

export const SETTINGS = { godot: GODOT_SETTINGS, blender: SOFT_SETTINGS };
