// The module's speed against the native program's, in the same run: frames of a character with its first clip, vertices
// without normals, one thread. `LIMBER_PROGRAM=… LIMBER_WEB_REFERENCE=… node test/bench.mjs`, or ctest -R web_speed.
import { execFileSync } from 'node:child_process';
import { engine, reference, restPose, sampleDescription, sampleFile } from './kit.mjs';

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
const FRAMES = 20; // as in tests/web_reference.c: short, so that some are not interrupted
const TURNS = 12;
const LEAST = 0.4;

function best(rounds, work) {
  let least = Infinity;
  for (let r = 0; r < rounds; r++) {
    const start = performance.now();
    for (let i = 0; i < FRAMES; i++) work(i);
    least = Math.min(least, (performance.now() - start) / FRAMES);
  }
  return least;
}

let slow = 0;
console.log('character   style      native ms   module ms   ratio');
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
    for (let k = 0; k < TURNS && (k < 2 || ratio < LEAST); k++) {
      const one = Number(execFileSync(reference, ['bench', sampleFile(name), JSON.stringify(style)])) / 1e6;
      const other = best(ROUNDS, frame);
      if (one / other > ratio) [native, module, ratio] = [one, other, one / other];
    }
    slow += ratio < LEAST;
    console.log(
      `${name.padEnd(11)} ${title.padEnd(10)} ${native.toFixed(3).padStart(9)} ${module.toFixed(3).padStart(11)} ${ratio.toFixed(2).padStart(7)}`,
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
console.log(
  `\nlive.push and pack.frame, dancer (${character.vertexCount} vertices, ${character.jointCount} joints, 'cartoon'): ${(1000 * best(50, update)).toFixed(0)} microseconds`,
);
const restyle = performance.now();
for (let i = 0; i < 20; i++) pipeline.set({ 'effects.floppy.angular': 0.2 + 0.01 * i });
console.log(`pipeline.set: ${((performance.now() - restyle) / 20).toFixed(1)} ms`);
if (slow) {
  console.error(`${slow} below ${LEAST} times the native speed`);
  process.exit(1);
}
