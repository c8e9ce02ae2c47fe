// The light module: small, without imports, the same numbers for the shader as the whole module has for styles of
// effects alone, and clear words about everything else.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { createEngine, LimberError, PRESETS } from '../dist/engine.js';
import { LIGHT, lightEngine } from '../dist/light.js';
import { bar, CHARACTERS, restPose, sampleDescription } from './kit.mjs';
import { STYLES } from './styles.mjs';

const light = await lightEngine();
const engine = await createEngine(); // the whole module, whoever imports limber/light
const MOMENTS = 12;
// What the light module leaves out.
const GROUND = {
  contact: 0,
  'impact.gain': 0,
  'body.squash': 0,
  'body.bend': 0,
  'effects.hose.gain': 0,
  'effects.overlap.loose': 0,
  'timing.snap': 0,
  'timing.hang': 0,
  'pose.exaggerate': 0,
  'pose.anticipate': 0,
  rigid: 'off',
  colliders: 'none',
  contacts: [],
};

test('the light module has no imports and is at most 90 kB gzipped', () => {
  const bytes = fs.readFileSync(LIGHT);
  const size = gzipSync(bytes, { level: 9 }).length;
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
  assert.ok(size <= 90_000, `${size} bytes`);
  console.log(`# ${bytes.length} bytes, ${size} gzipped`);
});

const unsupported = (error) =>
  error instanceof LimberError && error.kind === 'unsupported' && /limber\/light has no/.test(error.message);

function pipelinesOf(style, whole, small) {
  let second;
  try {
    second = small.pipeline(style);
  } catch (error) {
    assert.ok(unsupported(error), error.message);
    return undefined;
  }
  const first = whole.pipeline(engine.parseStyle(style, GROUND));
  return [first, second];
}

/** Plays a clip through both modules as live poses; whether the GPU does the style. */
function play(name, style, whole, small) {
  const made = pipelinesOf(style, whole, small);
  if (!made) return false;
  const streams = made.map((pipeline) => pipeline.live());
  let packs;
  try {
    packs = made.map((pipeline) => pipeline.pack());
  } catch (error) {
    assert.ok(error instanceof LimberError && error.kind === 'unsupported', error.message);
    made.forEach((pipeline) => pipeline.dispose());
    return false;
  }
  assert.equal(packs[1].defines, packs[0].defines);
  const [clip] = whole.clips;
  const frames = new Set();
  for (let i = 0; i < MOMENTS; i++) {
    const time = clip.start + i / 30;
    made[0].evaluateJoints(0, time);
    const local = made[0].localTransforms();
    const weights = whole.morphCount ? made[0].morphWeights() : undefined;
    const [wanted, got] = streams.map((stream, k) => {
      stream.push(local, time, weights);
      const texels = new Float32Array(4 * packs[k].texelLimit);
      packs[k].frame(texels);
      return Buffer.concat([Buffer.from(texels.buffer), Buffer.from(packs[k].columns().slice().buffer)]);
    });
    assert.ok(got.equals(wanted), `${name}: other numbers at ${time}`);
    frames.add(got.toString('base64'));
  }
  made.forEach((pipeline) => pipeline.dispose());
  return frames.size > 1;
}

const presets = PRESETS.map(({ name }) => [name, engine.parseStyle(name)]);
const refused = new Set(); // titles of styles, by any character

for (const name of CHARACTERS)
  test(`${name}: the same bits for the shader as the whole module`, () => {
    const description = sampleDescription(name);
    const whole = engine.character(description);
    const small = light.character({ ...description, clips: [] });
    let played = 0;
    const styles = [...Object.entries(STYLES), ...presets];
    const turn = CHARACTERS.indexOf(name) % 2; // each style on half of the characters, unless the test may take long
    for (const [title, style] of styles.filter((_, i) => process.env.LIMBER_TEST_LONG || i % 2 === turn))
      if (play(`${name}, ${title}`, style, whole, small)) played++;
      else refused.add(title);
    assert.ok(played >= 6, `${played} styles`);
    whole.dispose();
    small.dispose();
  });

test('presets of effects alone play; four of them are in the module', () => {
  for (const name of ['subtle', 'cartoon', 'rubberhose', 'jelly', 'vs-floppy', 'vs-squash', 'as-drag', 'as-stretch'])
    assert.ok(!refused.has(name), name);
  for (const name of ['subtle', 'cartoon', 'rubberhose', 'jelly'])
    assert.deepEqual(light.parseStyle(name), engine.parseStyle(name));
  assert.throws(() => light.parseStyle('vs-floppy'), LimberError);
});

test('what is left out is refused by name, or warned of', () => {
  const character = light.character({ ...bar(), clips: [] });
  for (const [style, words] of [
    [{ smear: { elongate: { amount: 1 } } }, 'smears'],
    [{ effects: { floppy: { angular: '0.1 * t' } } }, 'formulas'],
    [{ effects: { lift: { angular: 0.1, cone: { joint: 'Tip', fit: 'auto' } } } }, 'fitted cones'],
    [{ smear: { elongate: { amount: 'offset' } } }, 'formulas'],
  ])
    assert.throws(
      () => character.pipeline(style),
      (error) => unsupported(error) && error.message.includes(words),
      words,
    );
  const { warnings } = character.pipeline('cartoon');
  assert.match(warnings.join('\n'), /contact.*limber\/light has no contacts/);
  assert.match(warnings.join('\n'), /rigid.*limber\/light has no rigid parts/);
  assert.match(
    character.pipeline({ colliders: 'auto' }).warnings.join('\n'),
    /colliders.*limber\/light has no colliders/,
  );
  const hose = character.pipeline('rubberhose');
  assert.match(hose.warnings.join('\n'), /exaggerate.*limber\/light has no edits of clips/);
  const pipeline = character.pipeline('cartoon');
  const live = pipeline.live();
  live.push(restPose(character), 0);
  assert.throws(() => live.evaluate(), unsupported);
  assert.throws(() => character.pipeline({ effects: { floppy: { angula: 1 } } }), /did you mean 'angular'/);
  assert.throws(() => light.character(bar()), unsupported);
  assert.throws(() => light.crowd([{ character, style: 'cartoon' }], { limit: 4 }), unsupported);
  assert.throws(() => light.bvh(new Uint8Array(4)), unsupported);
  character.dispose();
});

test('its memory is used again', () => {
  const description = { ...sampleDescription('cow'), clips: [] };
  const once = () => {
    const character = light.character(description);
    const pipeline = character.pipeline('jelly');
    pipeline.pack();
    pipeline.live().push(restPose(character), 0);
    pipeline.set({ 'effects.squash.linear': 0.3 });
    character.dispose();
  };
  once();
  const before = light.memoryBytes;
  for (let i = 0; i < 20; i++) once();
  assert.equal(light.memoryBytes, before);
});

test('pieces of its memory keep what is written into them', async () => {
  const { heap } = await createEngine(LIGHT);
  let seed = 1;
  const random = (below) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % below;
  const pieces = [];
  for (let i = 0; i < 4000; i++) {
    if (pieces.length > 60 || (pieces.length && random(3) === 0)) {
      const [{ pointer, size, mark }] = pieces.splice(random(pieces.length), 1);
      assert.ok(heap.readBytes(pointer, size).every((byte) => byte === mark));
      heap.free(pointer);
      continue;
    }
    const size = random(8) ? 1 + random(200) : 1 + random(300000);
    const pointer = heap.allocate(size);
    assert.equal(pointer % 16, 0);
    heap.writeBytes(pointer, new Uint8Array(size).fill(i % 251));
    pieces.push({ pointer, size, mark: i % 251 });
  }
  assert.throws(() => heap.allocate(0xfffffff0), /not enough memory/);
  assert.ok(heap.wasm.memory.buffer.byteLength < 64 << 20);
});
