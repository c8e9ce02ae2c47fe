// node godot.mjs PROGRAM: Debian's godot3-server imports bakes and plays them, those of `--profile godot` and, since these
// are to play everywhere, those without one; its vertices are where the style puts them. It bakes clips at a rate of its own, here that of the clip, and compresses no mesh.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { dump, largestDistance, Report, run, temporaryFolder } from './run.mjs';

const [program] = process.argv.slice(2);
const GODOT = process.env.LIMBER_GODOT ?? 'godot3-server';
if (spawnSync(GODOT, ['--version']).error) {
  console.log('godot3-server is not installed: bakes are not played with Godot');
  process.exit(77);
}

const report = new Report();
const folder = temporaryFolder();
const FPS = 30;
const FRAMES = [0, 10, 23];
const TOLERANCE = 1e-3; // of L, as baked
const ROUNDING = 1e-4; // of L: weights of influences have 16 bits there
const env = { ...process.env, HOME: folder, LANG: 'en_US.UTF-8' };
const SETTINGS = {
  'meshes/compress': false, 'meshes/ensure_tangents': false, 'animation/import': true, 'animation/fps': FPS, 'animation/optimizer/enabled': false,
};

function write(project, name, text) {
  fs.writeFileSync(path.join(project, name), text);
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** The editor imports what is new in a project, and does not always end by itself. */
async function importScene(project) {
  const editor = spawn(GODOT, ['--path', project, '-e', '-q'], { env, stdio: 'ignore' });
  const ended = new Promise((done) => editor.on('exit', done));
  const imported = () => fs.existsSync(path.join(project, '.import')) && fs.readdirSync(path.join(project, '.import')).some((name) => name.endsWith('.md5'));
  while (!imported() && editor.exitCode === null) await wait(200);
  editor.kill('SIGKILL');
  await ended;
}

async function positions(name, file, clip) {
  const project = path.join(folder, name);
  fs.mkdirSync(project);
  fs.copyFileSync(file, path.join(project, 'model.glb'));
  fs.copyFileSync(fileURLToPath(new URL('godot_play.gd', import.meta.url)), path.join(project, 'godot_play.gd'));
  const settings = Object.entries(SETTINGS).map(([key, value]) => `${key}=${value}`).join('\n');
  write(project, 'project.godot', 'config_version=4\n');
  write(project, 'model.glb.import', `[remap]\n\nimporter="scene"\ntype="PackedScene"\n\n[params]\n\n${settings}\n`);
  write(project, 'times.json', JSON.stringify({ clip, times: FRAMES.map((frame) => frame / FPS) }));
  await importScene(project);
  spawnSync(GODOT, ['--path', project, '-s', 'godot_play.gd'], { env });
  return JSON.parse(fs.readFileSync(path.join(project, 'positions.json'), 'utf8')).lists.map((list) => list.flat());
}

async function check(character, clip, kind, ...profile) {
  const baked = path.join(folder, 'baked.glb');
  const plain = character.endsWith('.glb') ? path.join(process.env.LIMBER_TEST_ASSETS, character) : path.join(folder, `${character}.glb`);
  const style = ['--style', 'cartoon', '--clip', clip, '--fps', String(FPS)];
  if (!fs.existsSync(plain)) run(program, 'sample', character, '-o', plain);
  run(program, 'apply', plain, ...style, '--bake', kind, '--tolerance', '1', ...profile, '--quiet', '-o', baked);
  const wanted = dump(program, plain, path.join(folder, 'numbers'), ...style);
  const { shape: [, vertices], data } = wanted.array('smeared');
  const lists = await positions(`${path.basename(character)}-${kind}-${profile.length}`, baked, clip);
  FRAMES.forEach((frame, i) => {
    const row = data.subarray(3 * frame * vertices, 3 * (frame + 1) * vertices);
    report.expect(`${character} ${clip}, ${kind} ${profile.join(' ')}: ${vertices} vertices`, lists[i].length === row.length, `${lists[i].length / 3}`);
    report.check(`${character} ${clip}, ${kind} ${profile.join(' ')}: frame ${frame} in Godot, in L`, largestDistance(row, lists[i]) / wanted.manifest.size, TOLERANCE + ROUNDING);
  });
}

await check('cow', 'walk', 'bones', '--profile', 'godot');
await check('cow', 'walk', 'bones');
await check('cow', 'walk', 'corrective');
await check('dancer', 'spin', 'bones', '--profile', 'godot');
await check('snail', 'crawl', 'corrective', '--profile', 'godot');
if (process.env.LIMBER_TEST_ASSETS) {
  await check('Fox.glb', 'Survey', 'auto', '--profile', 'godot');
  await check('more/Soldier.glb', 'Walk', 'auto', '--profile', 'godot');
}
report.end();
