// How fast the package is; no test depends on it. `LIMBER_PROGRAM=… LIMBER_WEB_REFERENCE=… node test/bench.mjs`, or
// ./dev bench. The module runs against the native program in turns: frames of a character with its first clip, vertices
// without normals, one thread.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as THREE from 'three';
import { limber } from '../dist/three.js';
import { head, row, summary } from './aims.mjs';
import { stage } from './browser/browser.mjs';
import { engine, reference, restPose, sampleDescription, sampleFile, temporary } from './kit.mjs';
import { loadGlb } from './three_kit.mjs';

const STYLES = {
  skinning: {},
  velocity: { effects: { floppy: { linear: 0.05, angular: 0.4 }, squash: { linear: 0.1, angular: 0.1 } } },
  all: {
    effects: {
      floppy: { linear: 0.05, angular: 0.3 },
      squash: { linear: 0.1, angular: 0.1 },
      drag: { linear: 0.003, angular: 0.01 },
      followthrough: { linear: 0.003, angular: 0.01 },
      stretch: { angular: 0.004 },
      lift: { angular: 0.02, normals: 'mesh' },
    },
  },
};
const ROUNDS = 20;
const FRAMES = 20; // as in tests/web/web_reference.c: short, so that some are not interrupted
const TURNS = 12;
// Against four lanes. Eight, on x86, are more than any browser has.
const LEAST = process.arch === 'arm64' ? 0.4 : undefined;

function best(rounds, work) {
  let least = Infinity;
  for (let r = 0; r < rounds; r++) {
    const start = performance.now();
    for (let i = 0; i < FRAMES; i++) work(i);
    least = Math.min(least, (performance.now() - start) / FRAMES);
  }
  return least;
}

head('the module for browsers');
for (const name of ['cow', 'dancer']) {
  const character = engine.character(sampleDescription(name));
  const clip = character.clips[0];
  for (const [title, style] of Object.entries(STYLES)) {
    const pipeline = character.pipeline(style);
    const { wasm } = engine.heap;
    const handle = pipeline.handle;
    wasm.pipeline_outputs(handle, 0);
    const frame = (i) => {
      wasm.pipeline_pose(handle, 0, clip.start + ((clip.end - clip.start) * i) / FRAMES);
      wasm.pipeline_run(handle);
    };
    best(10, frame); // until the optimising compiler is through
    // Turn by turn, so that whatever else the machine does hits both; of the turns the best one counts, since processors
    // run the native kernels at twice their usual speed for moments.
    let native = 0;
    let module = Infinity;
    let ratio = 0;
    for (let k = 0; k < TURNS && (k < 2 || ratio < (LEAST ?? 0)); k++) {
      const one = Number(execFileSync(reference, ['bench', sampleFile(name), JSON.stringify(style)])) / 1e6;
      const other = best(ROUNDS, frame);
      if (one / other > ratio) [native, module, ratio] = [one, other, one / other];
    }
    row(
      `${name}, ${title}: native ${native.toFixed(3)} ms, module ${module.toFixed(3)} ms`,
      ratio,
      'times',
      LEAST,
      true,
    );
    pipeline.dispose();
  }
}

// What a frame costs that a shader deforms: the pose in, the texels out.
const character = engine.character(sampleDescription('dancer'));
const pipeline = character.pipeline('cartoon');
const live = pipeline.live();
const pack = pipeline.pack();
const texels = new Float32Array(4 * pack.width * pack.height);
const local = restPose(character);
let t = 0;
const update = () => {
  t += 1 / 60;
  for (let j = 0; j < character.jointCount; j++) local[10 * j + 3] = 0.1 * Math.sin(3 * t + j); // every joint turns
  live.push(local, t);
  pack.frame(texels);
};
best(10, update);
row(`live.push and pack.frame, dancer of ${character.vertexCount} vertices, 'cartoon'`, 1000 * best(50, update), 'us');
const restyle = performance.now();
for (let i = 0; i < 20; i++) pipeline.set({ 'effects.floppy.angular': 0.2 + 0.01 * i });
row('pipeline.set of one number', (performance.now() - restyle) / 20, 'ms');

// In processes of their own: within one, V8 remembers what it has compiled. Node 18 compiles everything at once.
const code = `import { createEngine } from ${JSON.stringify(new URL('../dist/engine.js', import.meta.url).href)};
  const start = performance.now(); await createEngine(); console.log(performance.now() - start);`;
const starts = Array.from({ length: 5 }, () =>
  Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })),
);
row('createEngine, in node', Math.min(...starts), 'ms', Number(process.versions.node.split('.')[0]) >= 20 ? 50 : 150);

// Of a character of 15 000 vertices and 65 joints; a tenth of the frames, since other programs run on this machine, too.
async function updateTimes() {
  const gltf = await loadGlb(sampleFile('dancer'));
  const toon = await limber(gltf.scene, 'cartoon');
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const times = [];
  mixer.clipAction(gltf.animations[0]).play();
  for (let i = 0; i < 400; i++) {
    mixer.update(1 / 60);
    const start = performance.now();
    toon.update(1 / 60);
    if (i >= 100) times.push(performance.now() - start);
  }
  toon.dispose();
  return times.sort((a, b) => a - b);
}
row('toon.update of the dancer, in node', (await updateTimes())[30], 'ms', 0.3);

// Processor time of the page's main thread per frame: separate characters, a crowd, one that shares moments.
async function frameTimes(page, style, count, frames = 10) {
  const call = (name, ...args) =>
    page.evaluate(
      async ([which, rest]) => (await import('/limber/test/browser/crowd.js'))[which](...rest),
      [name, args],
    );
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'ThreadTime').value;
  const least = [Infinity, Infinity, Infinity];
  await call('prepareFrames', 'cow', style, count);
  for (let turn = 0; turn < 5; turn++)
    for (const which of least.keys()) {
      await call('runFrames', which, 1);
      const before = await spent();
      await call('runFrames', which, frames);
      least[which] = Math.min(least[which], (1000 * ((await spent()) - before)) / frames);
    }
  await session.detach();
  return least;
}

if (fs.existsSync(process.env.LIMBER_CHROMIUM ?? '/usr/bin/chromium')) {
  sampleFile('dancer');
  const show = await stage(path.dirname(temporary('x')));
  const times = await show.page.evaluate(async () =>
    (await import('/limber/test/browser/life.js')).updateTimes('dancer', 'cartoon', 60),
  );
  row('toon.update of the dancer, in Chromium', times[6], 'ms', 0.3);
  sampleFile('cow');
  for (const [title, style] of Object.entries({ all: STYLES.all, cartoon: 'cartoon' }))
    for (const count of [100, 500]) {
      const [apart, together, shared] = await frameTimes(show.page, style, count);
      const told = (ms) => `${ms.toFixed(1)} ms`;
      row(`${count} cows, ${title}: apart ${told(apart)}, crowd ${told(together)}`, apart / together, 'times');
      row(`${count} cows, ${title}: crowd with step 1 / 60 ${told(shared)}`, apart / shared, 'times');
    }
  const smeared = await show.page.evaluate(async () =>
    (await import('/limber/test/browser/stage.js')).smearTimes('dancer', 'smear', 60),
  );
  await show.close();
  const [cpu, gpu] = smeared.times.map((all) => all[Math.floor(all.length / 10)]);
  row(
    `toon.update with live smears: ${cpu.toFixed(2)} ms by the engine, ${gpu.toFixed(2)} ms with the GPU`,
    cpu / gpu,
    'times',
  );
}
summary();
