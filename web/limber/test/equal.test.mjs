// The module computes the same as the native scalar kernels, within 1e-5 of L: all built-in characters, styles and
// clips.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import test from 'node:test';
import { CHARACTERS, engine, largestDifference, reference, sampleDescription, sampleFile, temporary } from './kit.mjs';
import { STYLES } from './styles.mjs';

const LIMIT = 1e-5;
const MOMENTS = [0.21, 0.77]; // as in tests/web/web_reference.c

// The cone of lift needs a joint.
const STYLES_OF = {
  dancer: { 'lift off a cone': { effects: { lift: { angular: 0.05, cone: { joint: 'Skirt*', fit: 'auto' } } } } },
};

function* arraysOf(file) {
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < bytes.length;) {
    const count = bytes.readUInt32LE(at);
    yield new Float32Array(bytes.buffer.slice(bytes.byteOffset + at + 4, bytes.byteOffset + at + 4 + 4 * count));
    at += 4 + 4 * count;
  }
}

// Every third smear and every sixth of the other styles, for each character others, unless the test may take long.
const someOf = (styles, turn) =>
  Object.fromEntries(
    Object.entries(styles).filter(
      ([, style], i) => process.env.LIMBER_TEST_LONG || i % (style.smear ? 3 : 6) === turn % (style.smear ? 3 : 6),
    ),
  );

for (const name of CHARACTERS) {
  test(`${name}: styles as the native scalar kernels have it`, () => {
    const styles = someOf({ ...STYLES, ...STYLES_OF[name] }, CHARACTERS.indexOf(name));
    const file = temporary(`${name}.numbers`);
    execFileSync(reference, ['equal', sampleFile(name), file, ...Object.values(styles).map((s) => JSON.stringify(s))]);
    const wanted = arraysOf(file);
    const next = () => wanted.next().value;
    const character = engine.character(sampleDescription(name));
    let worst = 0;
    let frames = 0;
    let smears = 0;
    let moved = 0;
    let outliers = 0;
    for (const [title, style] of Object.entries(styles)) {
      const pipeline = character.pipeline(style);
      const vertices = character.vertexCount;
      const out = {
        positions: new Float32Array(3 * vertices),
        normals: new Float32Array(3 * vertices),
        offsets: new Float32Array(vertices),
        smearMeshes: [],
      };
      character.clips.forEach((clip, c) =>
        MOMENTS.filter((_, i) => process.env.LIMBER_TEST_LONG || c % 2 === i).forEach((moment) => {
          const where = `${title}, ${clip.name} at ${moment}`;
          pipeline.evaluateSmeared(c, clip.start + moment * (clip.end - clip.start), 0, out);
          const near = (what, a, limit) => {
            const d = largestDifference(a, next());
            assert.ok(d <= limit, `${where}: ${what} differ by ${d}`);
            return d;
          };
          worst = Math.max(worst, near('positions', out.positions, LIMIT * character.size) / character.size);
          near('normals', out.normals, 0.05);
          const offsets = next();
          assert.equal(offsets.length, vertices);
          for (let u = 0; u < vertices; u++) outliers += !(Math.abs(offsets[u] - out.offsets[u]) <= 1e-3);
          for (const smear of out.smearMeshes) {
            near(`positions of ${smear.name}`, smear.visible ? smear.positions : [], LIMIT * character.size);
            near(`colours of ${smear.name}`, smear.visible ? smear.colors : [], 1e-3);
            smears += smear.visible;
          }
          frames++;
          moved += out.offsets.some((o) => o !== 0);
        }),
      );
      pipeline.dispose();
    }
    // Offsets jump where the motion of a bone reverses along it; the last bit decides on which side a frame is.
    assert.ok(outliers <= 1e-3 * frames * character.vertexCount, `${outliers} offsets differ`);
    assert.equal(wanted.next().done, true, 'the native program wrote more');
    const perClip = process.env.LIMBER_TEST_LONG ? MOMENTS.length : 1;
    assert.equal(frames, Object.keys(styles).length * character.clips.length * perClip);
    assert.ok(smears > 0 && moved > 0);
    console.log(`# ${name}: ${frames} frames, ${smears} smear meshes, at most ${worst.toExponential(1)} of L apart`);
    character.dispose();
  });
}
