// The API of the engine: results, errors and memory.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEngine, KEYS, LimberError, PRESETS, SHADER } from '../dist/engine.js';
import { bar, engine, largestDifference, restPose, sampleDescription } from './kit.mjs';
import { STYLES } from './styles.mjs';

const FLOPPY = { effects: { floppy: { angular: 0.3 } } };

const throws = (work, pattern, place = /^/) =>
  assert.throws(
    work,
    (error) => error instanceof LimberError && pattern.test(error.message) && place.test(error.place),
  );

// --- frames ---

test('a bar swings, and floppy bends it against its motion', () => {
  const character = engine.character(bar());
  const plain = character.pipeline();
  const floppy = character.pipeline(FLOPPY);
  assert.deepEqual(
    character.clips.map(({ name, loops, fps }) => ({ name, loops, fps })),
    [{ name: 'swing', loops: true, fps: 60 }],
  );
  assert.deepEqual(
    character.joints.map((j) => j.name),
    ['Root', 'Tip'],
  );
  const a = plain.evaluate('swing', 0.25);
  const b = floppy.evaluate('swing', 0.25);
  const last = 3 * (character.vertexCount - 1);
  assert.ok(a.positions[last] < -0.4, 'turned to -X');
  assert.ok(b.positions[last] > a.positions[last] + 0.05, 'and trails behind');
  const rest = floppy.evaluate(-1, 0);
  assert.ok(largestDifference(rest.positions, character.restPositions()) < 1e-6);
  character.dispose();
});

test('what is not asked for is not written, and what is lands in the given arrays', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const n = 3 * character.vertexCount;
  const out = { positions: new Float32Array(n), skinned: new Float32Array(n) };
  assert.equal(pipeline.evaluate(0, 0.3, out), out);
  assert.deepEqual(out.skinned, character.pipeline().evaluate(0, 0.3).positions);
  assert.deepEqual(out.positions, pipeline.evaluate(0, 0.3).positions);
  assert.equal(out.normals, undefined);
  throws(() => pipeline.evaluate(0, 0.3, { positions: new Float32Array(n - 1) }), /has room for/);
  character.dispose();
});

test('results stay what they are while memory grows', async () => {
  const own = await createEngine();
  const character = own.character(bar());
  const pipeline = character.pipeline('cartoon');
  const live = pipeline.live();
  const frame = pipeline.evaluate(0, 0.3);
  const copy = frame.positions.slice();
  const before = own.memoryBytes;
  const mesh = character.mesh(0);
  const triangles = mesh.triangles.slice();
  own.character(bar({ rings: 40000 }));
  assert.ok(own.memoryBytes > before, 'memory had to grow');
  assert.deepEqual(frame.positions, copy);
  assert.deepEqual(mesh.triangles, triangles);
  live.push(restPose(character), 0); // and everything still works
  assert.deepEqual(pipeline.evaluate(0, 0.3).positions, copy);
  own.dispose();
});

test('any number of influences per vertex, doubled joints and missing weights', () => {
  const wide = bar();
  const narrow = bar();
  const mesh = wide.meshes[0];
  const vertices = mesh.positions.length / 3;
  mesh.influences = 8;
  mesh.joints = Array.from({ length: 8 * vertices }, (_, i) => (i % 8) % 2);
  mesh.weights = Array.from(
    { length: 8 * vertices },
    (_, i) => 2 * narrow.meshes[0].weights[4 * (i >> 3) + ((i % 8) % 2)],
  );
  const a = engine.character(narrow);
  const b = engine.character(wide);
  assert.ok(
    largestDifference(a.pipeline(FLOPPY).evaluate(0, 0.3).positions, b.pipeline(FLOPPY).evaluate(0, 0.3).positions) <
      1e-6,
  );
  narrow.meshes[0].weights.fill(0);
  const c = engine.character(narrow);
  assert.deepEqual([...c.mesh(0).influenceJoint], Array(vertices).fill(0));
  delete narrow.meshes[0].joints;
  const d = engine.character(narrow);
  assert.deepEqual(c.pipeline().evaluate(0, 0.3).positions, d.pipeline().evaluate(0, 0.3).positions);
  for (const x of [a, b, c, d]) x.dispose();
});

test('morph targets move the mesh, from clips, from defaults and live', () => {
  const description = bar();
  const mesh = description.meshes[0];
  const n = mesh.positions.length;
  mesh.morphs = [{ name: 'fat', positions: mesh.positions.map((x, i) => (i % 3 === 1 ? 0 : x)) }];
  mesh.morphDefaults = [0.5];
  description.clips.push({
    name: 'breathe',
    channels: [{ path: 'weights', target: 0, times: [0, 1], values: [0, 1] }],
  });
  const character = engine.character(description);
  const pipeline = character.pipeline();
  const live = pipeline.live();
  const width = (p) => Math.max(...Array.from({ length: n / 3 }, (_, i) => Math.abs(p[3 * i])));
  assert.ok(Math.abs(width(pipeline.evaluate(-1, 0).positions) - 0.15) < 1e-6);
  assert.ok(Math.abs(width(pipeline.evaluate('breathe', 0.25).positions) - 0.125) < 1e-6);
  live.push(restPose(character), 0, [1]);
  assert.ok(Math.abs(width(live.evaluate().positions) - 0.2) < 1e-6);
  live.push(restPose(character), 0.02);
  assert.ok(Math.abs(width(live.evaluate().positions) - 0.15) < 1e-6);
  throws(() => live.push(restPose(character), 1, [1, 2]), /1 morph weights, not 2/);
  character.dispose();
});

test('motion by hand, curves and matrices', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const half = pipeline.evaluateWhatIf(-1, 0, [{ joint: 'Tip', angular: [0, 0, 2] }], 0.5);
  const whole = pipeline.evaluateWhatIf(-1, 0, [{ joint: 1, angular: [0, 0, 1] }]);
  assert.deepEqual(half, whole);
  assert.ok(largestDifference(whole.positions, character.restPositions()) > 0.05);
  const times = [0.1, 0.25, 0.5];
  const curves = pipeline.curves('swing', 'Tip', times);
  times.forEach((t, i) =>
    assert.ok(Math.abs(curves.angularVelocity[3 * i + 2] - Math.PI * Math.sin(2 * Math.PI * t)) < 0.05),
  );
  assert.deepEqual([...curves.position.slice(0, 3)], [0, 1, 0]);
  pipeline.evaluateJoints('swing', 0.25);
  assert.ok(Math.abs(pipeline.kinematics().angularVelocity[5] - Math.PI) < 0.05);
  assert.ok(Math.abs(pipeline.worldMatrices()[16] - Math.cos(0.5)) < 1e-3);
  character.dispose();
});

// --- styles ---

test('styles are checked, and errors say where', () => {
  throws(() => engine.parseStyle({ effects: { flopy: {} } }), /did you mean 'floppy'/, /effects\.flopy/);
  throws(() => engine.parseStyle('{\n  "effects": {"floppy": {"angular": "0.4 * ("}}\n}'), /./, /line 2/);
  throws(() => engine.parseStyle('jely'), /no preset 'jely'/);
  assert.deepEqual(engine.parseStyle('{"skinning": "dualquat", /* comment */ }').skinning, 'dualquat');
  assert.equal(engine.parseStyle('cartoon', { 'effects.floppy.angular': 0.5 }).effects.floppy.angular, 0.5);
  const character = engine.character(bar());
  throws(() => character.pipeline({ joints: { Arm: { floppy: 0 } } }), /Arm/);
  assert.equal(character.pipeline({ effects: { squash: { linear: 1, layer: 'belly' } } }).warnings.length, 1);
  character.dispose();
});

test('a wrong style leaves the pipeline as it was', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const before = pipeline.evaluate(0, 0.3).positions;
  throws(() => pipeline.set({ 'effects.floppy.angular': 'x +' }), /./);
  throws(() => pipeline.restyle({ joints: { Arm: { floppy: 0 } } }), /Arm/);
  assert.deepEqual(pipeline.evaluate(0, 0.3).positions, before);
  assert.equal(pipeline.style.effects.floppy.angular, 0.3);
  pipeline.set({ 'effects.floppy.angular': 0 });
  assert.deepEqual(pipeline.evaluate(0, 0.3).positions, character.pipeline().evaluate(0, 0.3).positions);
  character.dispose();
});

test('keys and presets come from the table in the module', () => {
  const { wasm } = engine.heap;
  assert.equal(KEYS.length, wasm.key_count());
  KEYS.forEach((key, i) => assert.equal(key.path, engine.heap.text(wasm.key_text(i, 0))));
  assert.ok(KEYS.find((k) => k.path === 'effects.floppy.max_bend').unit === 'degrees');
  assert.equal(PRESETS.length, wasm.preset_count());
  for (const preset of PRESETS) assert.deepEqual(engine.parseStyle(preset.name), engine.parseStyle(preset.text));
  assert.match(SHADER, /limber_deform/);
});

// --- live ---

function swing(character, live, from, to, rate, time = (t) => t) {
  const local = restPose(character);
  for (let i = 0; from + i / rate < to; i++) {
    const t = from + i / rate;
    const angle = 0.5 - 0.5 * Math.cos(2 * Math.PI * t);
    local.set([0, 0, Math.sin(angle / 2), Math.cos(angle / 2)], 10 + 3);
    live.push(local, time(t));
  }
}

test('live poses give what the clip gives, nearly, and more nearly when they come faster', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const exact = pipeline.evaluate(0, 0.1).positions;
  const errors = [60, 240].map((rate) => {
    const live = pipeline.live();
    swing(character, live, 0, 1.1 + 1e-6, rate);
    return largestDifference(live.evaluate().positions, exact) / character.size;
  });
  assert.ok(errors[0] < 0.01 && errors[1] < errors[0], `${errors}`);
  character.dispose();
});

test('colliders are around the bones, and effects take them along', () => {
  const character = engine.character(sampleDescription('hero'));
  const effects = { overlap: { gain: 6, max: 60 } };
  const pipeline = character.pipeline({ colliders: 'auto', compose: 'chain', effects });
  const free = character.pipeline({ effects });
  pipeline.evaluate(0, 0.3);
  free.evaluate(0, 0.3);
  const colliders = pipeline.colliders();
  const found = free.colliders(); // those that "auto" would use, where the plain bones are
  const worlds = free.worldMatrices();
  assert.ok(colliders.length > 10);
  assert.deepEqual(
    colliders.map(({ shape, joint, radius }) => ({ shape, joint, radius })),
    found.map(({ shape, joint, radius }) => ({ shape, joint, radius })),
  );
  let moved = 0;
  found.forEach(({ joint, from, shape }, i) => {
    const place = worlds.subarray(16 * joint + 12, 16 * joint + 15);
    assert.equal(shape, 'capsule');
    assert.ok(Math.hypot(...from.map((x, c) => x - place[c])) < 0.2 * character.size);
    moved = Math.max(moved, Math.hypot(...from.map((x, c) => x - colliders[i].from[c])) / character.size);
  });
  assert.ok(moved > 0.003, `${moved} of L`);
  const own = character.pipeline({ colliders: [{ plane: { point: [0, 0, -1], normal: [0, 0, 2] } }] });
  own.evaluate(0, 0.3);
  assert.deepEqual(own.colliders(), [{ shape: 'plane', joint: -1, from: [0, 0, -1], to: [0, 0, 1], radius: 0 }]);
  for (const one of [pipeline, free, own]) one.dispose();
});

test('the floor of a clip is where feet stand, and what stands is said with its times', () => {
  const character = engine.character(sampleDescription('dancer'));
  const name = character.clips.findIndex((clip) => !clip.travels);
  const { levels, contacts } = character.contacts(name);
  const { start, end, motionStart } = character.clips[name];
  assert.equal(motionStart, start); // nothing was put before the motion
  assert.ok(levels.length > 0);
  assert.ok(contacts.length > 0);
  for (const { joint, from, to, height } of contacts) {
    assert.ok(joint >= 0 && joint < character.jointCount);
    assert.ok(from >= start - 1e-6 && to <= end + 1e-6 && from <= to);
    assert.ok(levels.some((level) => Math.abs(level - height) < 0.05 * character.size));
  }
  assert.deepEqual(character.contacts(-1), { levels: [], contacts: [] });
  assert.throws(() => character.contacts('nothing of this name'), LimberError);
  character.dispose();
});

test('corrections of a style change what stands, and joints are held while they do', () => {
  const character = engine.character(sampleDescription('dancer'));
  const clip = character.clips.findIndex((one) => character.contacts(one.name).contacts.length > 0);
  const plain = character.pipeline({}).holds(clip);
  const [{ joint, from, to }] = plain.contacts;
  const time = (from + to) / 2;
  assert.ok(plain.at(time)[joint] > 0.9);
  const { name } = character.joints[joint];
  const freed = character.pipeline({ contacts: [{ joint: name, clip: character.clips[clip].name, amount: 0 }] });
  const holds = freed.holds(clip);
  assert.ok(holds.contacts.every((one) => one.joint !== joint));
  assert.deepEqual(holds.levels, plain.levels);
  holds.dispose();
  holds.dispose();
  assert.throws(() => holds.at(time), LimberError);
  assert.throws(() => freed.holds(-1), LimberError);
  plain.dispose();
  character.dispose();
});

test('rigid parts are all that there are, or those of the style', () => {
  const character = engine.character(sampleDescription('cow'));
  const { parts, ofVertex } = character.rigidParts();
  assert.ok(parts.length > 1);
  parts.forEach(({ vertexCount }, i) => assert.equal(ofVertex.filter((one) => one === i).length, vertexCount));
  assert.equal(character.pipeline({}).rigidParts().parts.length, 0);
  assert.deepEqual(character.pipeline({ rigid: 'auto' }).rigidParts(), { parts, ofVertex });
  const joint = character.joints[parts[0].joint].name;
  const some = character.pipeline({ rigid: { except: [joint] } }).rigidParts().parts;
  assert.ok(some.length < parts.length && some.every((part) => part.joint !== parts[0].joint));
  const kinds = (list) => list.map((part) => `${character.joints[part.joint].name} ${part.kind}`);
  assert.ok(kinds(parts).includes('Neck mass') && kinds(parts).includes('Head rider'), kinds(parts).join());
  assert.ok(kinds(character.pipeline({ rigid: { prop: ['Neck'] } }).rigidParts().parts).includes('Neck prop'));
  character.dispose();
});

test('a live character lands on the ground that it is given', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline({ limber: 1, contact: 1, impact: { gain: 1 } });
  const heights = (positions) => Array.from({ length: positions.length / 3 }, (_, i) => positions[3 * i + 1]);
  const drop = (ground) => {
    const live = pipeline.live();
    live.setGround(ground);
    let least = Infinity;
    for (let i = 0; i <= 60; i++) {
      const local = restPose(character);
      local[1] += Math.max(0, 2 - 4.9 * (i / 60) ** 2 * 4);
      live.push(local, i / 60);
      const y = heights(live.evaluate().positions);
      least = Math.min(least, Math.max(...y) - Math.min(...y));
    }
    live.dispose();
    return least;
  };
  const live = pipeline.live();
  live.push(restPose(character), 0);
  const rest = heights(live.evaluate().positions);
  const floor = Math.min(...rest);
  const tall = Math.max(...rest) - floor;
  assert.ok(drop(floor) < 0.9 * tall, `${drop(floor)} of ${tall}`);
  assert.ok(Math.abs(drop(null) - tall) < 1e-5 * character.size);
  character.dispose();
});

test('pauses keep, gaps and resets start at rest, other styles go on', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const live = pipeline.live();
  const skinned = () => live.evaluate({ skinned: new Float32Array(3 * character.vertexCount) }).skinned;
  swing(character, live, 0, 0.3, 60);
  const moving = live.evaluate().positions;
  swing(character, live, 17 / 60, 17 / 60 + 0.001, 60, () => 17 / 60);
  assert.ok(largestDifference(live.evaluate().positions, moving) < 1e-3);
  pipeline.set({ 'effects.floppy.angular': 0.6 });
  swing(character, live, 0.3, 0.31, 60);
  assert.ok(largestDifference(live.evaluate().positions, skinned()) > 0.1);
  swing(character, live, 0.31, 0.32, 60, (t) => t + 5);
  assert.deepEqual(live.evaluate().positions, skinned());
  swing(character, live, 0.32, 0.5, 60, (t) => t + 5);
  assert.notDeepEqual(live.evaluate().positions, skinned());
  live.reset();
  swing(character, live, 0.5, 0.51, 60, (t) => t + 5);
  assert.deepEqual(live.evaluate().positions, skinned());
  throws(() => live.push(restPose(character).fill(NaN), 9), /not finite/);
  throws(() => live.push([1, 2], 9), /20 numbers/);
  character.dispose();
});

test('live smears follow behind', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline({ smear: { elongate: { amount: -2 }, multiples: { past: 2 } } });
  const live = pipeline.live();
  assert.equal(pipeline.smears, true);
  live.setSmears({ fps: 30, history: 6 });
  throws(() => live.evaluateSmeared(), /pose of this stream/);
  let out = {};
  for (let i = 0; i < 20; i++) {
    swing(character, live, i / 60, i / 60 + 0.01, 60);
    out = live.evaluateSmeared(out);
  }
  assert.equal(out.smearMeshes.length, 2);
  assert.ok(out.smearMeshes[0].visible && out.smearMeshes[0].number < 0);
  assert.ok(largestDifference(out.positions, live.evaluate().positions) > 0.02);
  assert.ok(out.offsets.some((o) => o !== 0));
  throws(() => live.setSmears({ history: 99 }), /1 to 32/);
  character.dispose();
});

// --- shader ---

test('a pack has all a shader needs, and numbers of the style do not change the shader', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline({ effects: { floppy: { angular: 0.3, layer: 'floppy' } } });
  const pack = pipeline.pack();
  const texels = new Float32Array(4 * pack.width * pack.height);
  assert.match(pack.defines, /#define LIMBER_INFLUENCES 4/);
  assert.equal(pack.columnCount, 1);
  const { joints, weights } = pack.joints();
  assert.equal(joints.length, 4 * character.vertexCount);
  for (let u = 0; u < character.vertexCount; u++)
    assert.ok(Math.abs(weights.slice(4 * u, 4 * u + 4).reduce((a, b) => a + b) - 1) < 1e-6);
  pipeline.evaluateJoints('swing', 0.25);
  const { texelCount } = pack.frame(texels);
  assert.ok(texelCount > 3 && texelCount <= pack.texelLimit);
  const columns = pack.columns();
  assert.equal(columns.length, pack.columnStride * character.vertexCount);
  assert.equal(columns[pack.columnStride * (character.vertexCount - 1)], 32767); // the layer is 1 at the tip
  pipeline.set({ 'effects.floppy.angular': 0.6 });
  throws(() => pack.frame(texels), /pack is outdated/);
  assert.equal(pipeline.pack().defines, pack.defines);
  assert.match(pipeline.pack({ normals: false }).defines, /#define LIMBER_NORMALS 0/);
  throws(() => pack.joints(), /outdated/);
  character.dispose();
});

test('a frame can be written anywhere into a texture that many share', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const pack = pipeline.pack();
  pipeline.evaluateJoints('swing', 0.25);
  const alone = new Float32Array(4 * pack.width * pack.height);
  const shared = new Float32Array(4 * pack.width * pack.height);
  const { texelCount } = pack.frame(alone);
  pack.frame(shared, 100);
  assert.deepEqual(shared.slice(400, 400 + 4 * texelCount), alone.slice(0, 4 * texelCount));
  character.dispose();
});

// --- bakes, edits, layers, files ---

test('a corrective bake lands on the frames, and a tolerance needs fewer targets', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const exact = pipeline.bake({ kind: 'corrective', fps: 30 });
  const few = pipeline.bake({ kind: 'corrective', fps: 30, tolerance: 2 });
  assert.equal(exact.tracks[0].times.length, 31);
  assert.ok(few.meshes[0].positions.length > 0); // 2 thousandths, not 2 whole sizes
  assert.ok(few.meshes[0].positions.length < exact.meshes[0].positions.length);
  // The character with its morph targets, skinned like in any player.
  const frame = 9;
  const weights = exact.meshes[0].weights[0];
  const count = exact.meshes[0].positions.length;
  const description = bar();
  const mesh = description.meshes[0];
  mesh.positions = mesh.positions.map(
    (x, i) => x + exact.meshes[0].positions.reduce((sum, target, t) => sum + weights[frame * count + t] * target[i], 0),
  );
  const player = engine.character(description);
  const t = exact.tracks[0].times[frame];
  assert.ok(largestDifference(player.pipeline().evaluate(0, t).positions, pipeline.evaluate(0, t).positions) < 1e-5);
  const vertex = pipeline.bake({ kind: 'vertex', clips: ['swing'], fps: 30 });
  assert.equal(vertex.meshes[0].basePositions.length, 3 * character.vertexCount);
  const smeared = character
    .pipeline({ smear: { multiples: { past: 1, future: 1 }, lines: { count: 5 } } })
    .bake({ fps: 30 });
  assert.deepEqual(smeared.smearMeshes.map((e) => e.name).sort(), ['lines', 'multiple -1', 'multiple 1']);
  assert.ok(smeared.smearMeshes.every((e) => e.visible[0].length === 31));
  throws(() => pipeline.bake({ clips: ['walk'] }), /no clip 'walk'/);
  throws(() => pipeline.bake({ kind: 'both' }), /corrective, vertex/);
  for (const c of [character, player]) c.dispose();
});

// The description of a bar whose skin hangs on the bones of a bake, with the targets of one frame in its mesh.
function onBones(bake, frame) {
  const description = bar();
  const [mesh] = description.meshes;
  const [{ times }] = bake.tracks;
  const { channels } = description.clips[0];
  const weights = bake.meshes[0].weights[0].slice(frame * bake.meshes[0].positions.length);
  mesh.positions = mesh.positions.map((x, i) =>
    bake.meshes[0].positions.reduce((sum, target, t) => sum + weights[t] * target[i], x),
  );
  const add = (parent, rotation, curves) => {
    const target = description.joints.push({ name: `bone ${description.joints.length}`, parent, rotation }) - 1;
    for (const [path, { frames, values }] of Object.entries(curves))
      if (frames.length) channels.push({ path, target, times: Float32Array.from(frames, (f) => times[f]), values });
    return target;
  };
  for (const { joint, axes, tracks } of bake.bones) {
    const [{ translation, rotation, scale, back }] = tracks;
    const outer = add(joint, [...axes], { translation, rotation, scale });
    const undo = [-axes[0], -axes[1], -axes[2], axes[3]];
    description.skins[0].joints[joint] = add(outer, undo, { rotation: back });
  }
  return description;
}

test('a bone bake plays within its tolerance', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const bake = pipeline.bake({ kind: 'bones', fps: 30, tolerance: 5 });
  const { size } = character;
  assert.equal(bake.kind, 'bones');
  assert.ok(bake.bones.length > 0 && bake.bones.every((bone) => bone.helperMesh === -1));
  assert.ok(bake.error > 0 && bake.error <= 5);
  for (const frame of [0, 4, 9, 20, 30]) {
    const player = engine.character(onBones(bake, frame));
    const t = bake.tracks[0].times[frame];
    const off = largestDifference(player.pipeline().evaluate(0, t).positions, pipeline.evaluate(0, t).positions);
    assert.ok(off <= 0.0051 * size, `${off} at frame ${frame}`);
    player.dispose();
  }
  character.dispose();
});

test('by default a bake is the smallest that holds its tolerance', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline(FLOPPY);
  const few = pipeline.bake({ fps: 30 });
  assert.equal(few.kind, 'corrective'); // 36 vertices
  assert.ok(few.error > 0 && few.error <= 1 && few.meshes[0].positions.length < 31);
  const exact = pipeline.bake({ fps: 30, tolerance: 0 });
  assert.ok(exact.kind === 'corrective' && exact.error === 0);
  const cow = engine.character(sampleDescription('cow'));
  const bones = cow.pipeline('cartoon').bake({ clips: ['walk'], fps: 12 });
  assert.ok(bones.kind === 'bones' && bones.error <= 1);
  for (const { helper } of bones.meshes)
    assert.ok(!helper || helper.every((bone) => bone >= -1 && bone < bones.bones.length));
  for (const c of [character, cow]) c.dispose();
});

test('timing says which time is on show, and clips hold it', () => {
  const character = engine.character(bar());
  const { start, end } = character.clips[0];
  const twos = character.pipeline({ timing: { step: 2 } });
  const frames = Math.max(1, Math.round(24 * (end - start)));
  const frame = (end - start) / frames;
  for (const at of [0, 1, 2.5, 5.9])
    assert.ok(Math.abs(twos.sourceTime('swing', start + at * frame) - (start + 2 * Math.floor(at / 2) * frame)) < 1e-9);
  const [{ times, values }] = twos.clip('swing').channels;
  assert.equal(times.length, 2 * Math.ceil(frames / 2) + 1);
  const width = values.length / times.length;
  assert.deepEqual(values.subarray(0, width), values.subarray(width, 2 * width));
  assert.notDeepEqual(values.subarray(0, width), values.subarray(2 * width, 3 * width));
  assert.equal(twos.performance('swing'), undefined);
  const auto = character.pipeline({ timing: { step: 'auto' }, pose: { exaggerate: 1 } }).performance('swing');
  assert.equal(
    auto.heldFrames.reduce((a, b) => a + b),
    frames,
  );
  assert.equal(auto.posed, auto.newAmplitude !== auto.amplitude);
  assert.ok(auto.amplitude > 0 && auto.poseGain >= 1 && !auto.shaped && auto.shortest === 1);
  assert.ok([...auto.trunk, ...auto.legs, ...auto.limbs].every((j) => Number.isInteger(j) && j >= 0 && j < 2));
  const plain = character.pipeline({});
  assert.equal(plain.sourceTime('swing', 0.123), 0.123);
  assert.equal(plain.performance('swing'), undefined);
  character.dispose();
});

test('exaggerate gives another clip', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline({ exaggerate: { filter: { amount: 1 } } });
  const before = character.clip('swing');
  const after = pipeline.clip('swing');
  assert.equal(pipeline.exaggerates, true);
  assert.deepEqual(before.channels[0].values, Float32Array.from(bar().clips[0].channels[0].values));
  assert.ok(after.channels.some((c) => c.path === 'rotation' && c.target === 1));
  const widest = (clip) =>
    Math.max(
      ...clip.channels.find((c) => c.path === 'rotation' && c.target === 1).values.filter((_, i) => i % 4 === 2),
    );
  assert.ok(widest(after) > widest(before) + 0.01);
  const pulled = character.pipeline({ exaggerate: { constraints: [{ joint: 'Tip', elongate: 0.2 }] } });
  assert.ok(pulled.stretches('swing').every((s) => s.times.length === s.factors.length));
  character.dispose();
});

test('layers paint themselves, and can be repainted', () => {
  const character = engine.character(bar());
  const height = character.paint({ auto: 'height' });
  assert.ok(Math.min(...height) === 0 && Math.max(...height) === 1);
  const formula = character.paint({ formula: 'height * height' });
  height.forEach((h, i) => assert.ok(Math.abs(formula[i] - h * h) < 1e-6));
  assert.equal(character.paint({ auto: 'thickness' }).length, character.vertexCount);
  assert.ok(character.paint({ auto: 'skirt' }).every((value) => value === 0)); // it wears none
  assert.ok(character.paint({ auto: 'joint', joint: 'Tip' })[0] > 0.5);
  assert.ok(Math.max(...character.paint({ values: height, smooth: 20 })) < 1);
  throws(() => character.paint({ formula: 'heigth' }), /./);
  const pipeline = character.pipeline({ effects: { floppy: { angular: 0.3, layer: 'floppy' } } });
  assert.equal(character.setLayer(0, 'floppy', new Float32Array(character.vertexCount)), true);
  assert.equal(character.setLayer(0, 'floppy', new Float32Array(character.vertexCount)), false, 'nothing new');
  assert.deepEqual(pipeline.evaluate(0, 0.3).positions, character.pipeline().evaluate(0, 0.3).positions);
  throws(() => character.setLayer(0, 'floppy', new Float32Array(character.vertexCount).fill(2)), /within -1 … 1/);
  throws(() => character.setLayer(0, 'ears', new Float32Array(character.vertexCount)), /no layer 'ears'/);
  character.dispose();
});

// Formulas that use layers, in addition to the styles that are compared with the program.
const PAINTED = {
  ...STYLES,
  'formulas of layers': {
    effects: { floppy: { angular: '0.4 * paint.floppy', layer: 'squash' }, squash: { linear: '0.2 * paint.squash' } },
  },
  'smears by layers': {
    smear: {
      elongate: { amount: '6 * offset * paint.floppy' },
      lines: { count: 20, length: '8 * offset * paint.squash' },
    },
  },
};

test('a repainted layer acts on pipelines that are there as on new ones, bit for bit', () => {
  const character = engine.character(sampleDescription('cow'));
  const time = 0.4;
  const n = 3 * character.vertexCount;
  const painted = ['floppy', 'squash'].map((name) => ({ name, before: character.layer(0, name) }));
  const repaint = (value) =>
    painted.forEach(({ name, before }, k) =>
      character.setLayer(
        0,
        name,
        before.map((old, u) => value(old, u, k)),
      ),
    );
  const result = (pipeline) => {
    const all = {
      skinned: new Float32Array(n),
      deformed: new Float32Array(n),
      offsets: new Float32Array(n / 3),
      smearMeshes: [],
      positions: new Float32Array(n),
      normals: new Float32Array(n),
    };
    if (pipeline.smears) return pipeline.evaluateSmeared(0, time, 30, all);
    const frame = pipeline.evaluate(0, time);
    let pack;
    try {
      pack = pipeline.packed ?? pipeline.pack();
    } catch (error) {
      if (error.kind !== 'unsupported') throw error;
      return frame;
    }
    const texels = new Float32Array(4 * pack.width * pack.height);
    pipeline.evaluateJoints(0, time);
    pack.frame(texels);
    return { ...frame, texels, columns: pack.columns() };
  };
  const changes = new Set();
  for (const [name, style] of Object.entries(PAINTED)) {
    repaint((old) => old);
    const pipeline = character.pipeline(style);
    const first = result(pipeline).positions.slice();
    repaint((old, u, k) => Math.sin(0.01 * u + k) * (k ? 0.5 : 1));
    const now = result(pipeline);
    const fresh = character.pipeline(style);
    assert.deepEqual(now, result(fresh), name);
    if (largestDifference(first, now.positions) > 1e-3 * character.size) changes.add(name);
    pipeline.dispose();
    fresh.dispose();
  }
  for (const name of ['layers', 'everything', 'everything, smeared', 'formulas of layers', 'smears by layers'])
    assert.ok(changes.has(name), name);
  assert.ok(!changes.has('stretch'));
  character.dispose();
});

test('BVH files become characters', () => {
  const text =
    'HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT Chest\n {\n  OFFSET 0 5 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 5 0\n  }\n }\n}\nMOTION\nFrames: 3\nFrame Time: 0.033333\n0 9 0 0 0 0 0 0 0\n0 9 0 0 0 0 10 0 0\n0 9 0 0 0 0 20 0 0\n';
  const character = engine.bvh(new TextEncoder().encode(text), 'nod');
  assert.deepEqual(
    character.joints.map((j) => j.name),
    ['Hips', 'Chest'],
  );
  assert.equal(character.clips[0].name, 'nod');
  assert.equal(character.clip('nod').channels.find((c) => c.target === 1).times.length, 3);
  assert.ok(character.vertexCount > 0);
  throws(() => engine.bvh(new TextEncoder().encode('HIERARCHY\nJOINT')), /./, /line/);
  character.dispose();
});

// --- errors ---

test('invalid times and rates still give frames', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline({ ...FLOPPY, smear: { elongate: { amount: 'offset' }, lines: { count: 5 } } });
  for (const time of [NaN, Infinity, -1e9, 1e300])
    for (const fps of [NaN, 1e9, -3])
      assert.ok(pipeline.evaluateSmeared(0, time, fps).positions.every(Number.isFinite), `${time}, ${fps}`);
  character.dispose();
});

test('invalid descriptions are refused with a place', () => {
  const broken = (edit) => {
    const description = bar();
    edit(description);
    return () => engine.character(description);
  };
  throws(
    broken((d) => d.meshes[0].positions.pop()),
    /3 numbers per vertex/,
    /mesh 0 'Bar'/,
  );
  throws(
    broken((d) => d.meshes[0].weights.pop()),
    /`weights` has/,
    /mesh 0 'Bar'/,
  );
  throws(
    broken((d) => (d.meshes[0].triangles[0] = 999)),
    /vertex 999/,
    /mesh 0 'Bar'/,
  );
  throws(
    broken((d) => (d.meshes[0].joints[4 * 35 + 1] = 7)),
    /joint 7/,
    /mesh 0 'Bar'/,
  );
  throws(
    broken((d) => (d.meshes[0].positions[0] = NaN)),
    /not finite/,
  );
  throws(
    broken((d) => (d.meshes[0].skin = 3)),
    /skin/,
  );
  throws(
    broken((d) => (d.joints[1].parent = 1)),
    /./,
    /joint/,
  );
  throws(
    broken((d) => d.skins[0].inverseBindMatrices.pop()),
    /31 numbers instead of 32/,
    /skin 0/,
  );
  throws(
    broken((d) => (d.clips[0].channels[0].values = d.clips[0].channels[0].values.slice(4))),
    /keys/,
    /clip 0 'swing'/,
  );
  throws(
    broken((d) => (d.clips[0].channels[0].path = 'colour')),
    /unknown path 'colour'/,
  );
  throws(
    broken((d) => (d.meshes[0].layers.floppy = [1])),
    /layer 'floppy'/,
  );
});

test('what was disposed says so', () => {
  const character = engine.character(bar());
  const pipeline = character.pipeline();
  const live = pipeline.live();
  live.dispose();
  live.dispose();
  throws(() => live.reset(), /disposed/);
  const other = pipeline.live();
  character.dispose();
  throws(() => pipeline.evaluateVertices(), /disposed/);
  throws(() => other.push(new Float32Array(20), 0), /disposed/);
  throws(() => character.pipeline(), /disposed/);
});

test('characters come and go in the same memory, by the thousand with --long', async () => {
  const own = await createEngine();
  const description = bar({ rings: 60 });
  const use = () => {
    const character = own.character(description);
    const pipeline = character.pipeline('cartoon');
    const live = pipeline.live();
    live.push(restPose(character), 0);
    live.push(restPose(character), 0.016);
    live.evaluateSmeared();
    pipeline.set({ 'effects.floppy.angular': 0.7 });
    pipeline.pack().frame(new Float32Array(4096));
    pipeline.evaluateSmeared(0, 0.3);
    character.pipeline({ exaggerate: { filter: { amount: 1 } } });
    try {
      pipeline.restyle({ joints: { Arm: { floppy: 0 } } });
    } catch {
      /* freed as well */
    }
    character.dispose();
  };
  for (let i = 0; i < 20; i++) use();
  const before = own.memoryBytes;
  for (let i = 0; i < (process.env.LIMBER_TEST_LONG ? 1000 : 200); i++) use();
  assert.equal(own.memoryBytes, before);
});
