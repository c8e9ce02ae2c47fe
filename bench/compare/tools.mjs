// The tools that are compared. Each plays runs ({ fps, scale, frames }, see runs.mjs) and says where the tip of the tail is.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../tests/js/run.mjs';
import { BASE, BONE, BONES, DURATION_S, playing, tailCage, TIP, writeScene } from './scene.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const STYLE = path.join(HERE, 'tail.json');
const GODOT = process.env.LIMBER_GODOT ?? 'godot3-server';
const BLENDER = process.env.LIMBER_BLENDER ?? 'blender';
// As in springs.mjs: chosen for a swing like limber's at 60 frames a second. Stiffer chains of Godot shake at 24.
const GODOT_SETTINGS = { stiffness: 400, damping: 12 };
const SOFT_SETTINGS = { goal_at_tip: 0.35, goal_spring: 0.5, goal_friction: 2, pull: 0.5, push: 0.5, bend: 2 };

function call(program, args, options = {}) {
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (done.error || done.status) throw new Error(`${program}: ${done.error ?? `${done.stdout}${done.stderr}`.slice(-600)}`);
  return done.stdout;
}

const root = temporaryFolder();
const newFolder = () => fs.mkdtempSync(path.join(root, 'run-'));
const has = (program) => !spawnSync(program, ['--version']).error;

// --- limber ---

/** In a loop the last frame of a round is the end of the clip, not its start. */
const inClip = (time) => time - DURATION_S * Math.max(0, Math.ceil(time / DURATION_S - 1e-6) - 1);

export function limber(program, mode) {
  const folder = newFolder();
  const scene = (scale) => {
    const file = path.join(folder, `tail-${scale}.glb`);
    if (!fs.existsSync(file)) writeScene(file, scale);
    return file;
  };
  const playOne = ({ scale, frames }) => {
    const input = frames.map(([clock, time, y, yaw]) => `${clock} ${inClip(time)} ${y * scale} ${yaw}\n`).join('');
    const out = call(program, [scene(scale), STYLE, mode, TIP.first, TIP.count], { input });
    return out.trim().split('\n').map((line) => line.split(' ').map(Number));
  };
  return { play: (runs) => runs.map(playOne), cost: () => limberCost(call(program, [scene(1), STYLE, 'cost']), mode) };
}

// All that a frame of joints takes; of the vertices what they take more than plain skinning.
function limberCost(text, mode) {
  const ns = JSON.parse(text);
  return {
    joint: (mode === 'live' ? ns.live_joints_ns : ns.joints_ns) / ns.joints,
    vertex: (ns.vertices_ns - ns.plain_vertices_ns) / ns.vertices,
    plain: ns.plain_vertices_ns / ns.vertices,
    start: ns.start_ns,
  };
}

// --- Godot and Blender ---

function readTips(folder) {
  const text = fs.readFileSync(path.join(folder, 'tips.json'), 'utf8').replaceAll(/-?(nan|inf)\b/gi, 'null');
  const result = JSON.parse(text);
  result.tips = result.tips.map((tips) => tips.map((tip) => tip.map((x) => x ?? NaN))); // where it came apart
  return result;
}

export function godot() {
  if (!has(GODOT)) return null;
  const start = (runs) => {
    const folder = newFolder();
    const scene = { base: BASE, bone: BONE, bones: BONES };
    fs.writeFileSync(path.join(folder, 'project.godot'), 'config_version=4\n');
    fs.writeFileSync(path.join(folder, 'runs.json'), JSON.stringify({ scene, settings: GODOT_SETTINGS, runs }));
    fs.copyFileSync(path.join(HERE, 'springs.gd'), path.join(folder, 'springs.gd'));
    call(GODOT, ['--path', folder, '-s', 'springs.gd'], { env: { ...process.env, HOME: folder } });
    const result = readTips(folder);
    if (result.has_jiggle !== false) throw new Error('springs.gd: this Godot has springs of its own; compare with those');
    return result;
  };
  return { play: (runs) => start(runs).tips, cost: () => ({ joint: start([]).ns }) };
}

export function blender() {
  if (!has(BLENDER)) return null;
  let frame = NaN;
  const play = (runs) => {
    const folder = newFolder();
    const keyed = runs.map((run) => ({ ...run, keys: playing(run.fps, 1) }));
    fs.writeFileSync(path.join(folder, 'runs.json'), JSON.stringify({ settings: SOFT_SETTINGS, tail: tailCage(), runs: keyed }));
    call(BLENDER, ['-b', '--factory-startup', '--python-exit-code', '7', '--python', path.join(HERE, 'soft_body.py'), '--', folder]);
    const { tips, ns } = readTips(folder);
    frame = ns[runs.findIndex((run) => run.fps === 60 && run.frames.length > 2)];
    return tips;
  };
  return { play, cost: () => ({ frame }) };
}

const { limber: version, effects, ...others } = JSON.parse(fs.readFileSync(STYLE, 'utf8'));
if (version !== 1) throw new Error('tail.json: not a style of version 1');
export const SETTINGS = { limber: { ...others, ...effects.overlap }, godot: GODOT_SETTINGS, blender: SOFT_SETTINGS };
