// Whatever callers pass, they get a result or a LimberError of one line, and the memory of the module stays whole.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as THREE from 'three';
import { Character, createEngine, Crowd, Engine, LimberError, Live, Pack, Pipeline } from '../dist/engine.js';
import { limber, Toon } from '../dist/three.js';
import { limber as limberWebgpu } from '../dist/webgpu.js';
import { Heap } from '../dist/wasm.js';
import { bar, largestDifference, restPose } from './kit.mjs';
import { tube } from './three_kit.mjs';

const STYLE = { effects: { floppy: { angular: 0.3 } }, smear: { elongate: { amount: 1 }, multiples: { past: 1 } } };
const BVH = new TextEncoder().encode(
  'HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n' +
    'MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n10 0 0\n',
);

function description() {
  const made = bar({ rings: 5, keys: 5 });
  const [mesh] = made.meshes;
  mesh.normals = mesh.positions.map((_, i) => (i % 3 === 0 ? 1 : 0));
  mesh.uvs = Array(10 * 4).fill(0.5);
  mesh.colors = Array(20 * 4).fill(1);
  mesh.color = [1, 1, 1, 1];
  mesh.influences = 4;
  mesh.morphs = [{ name: 'fat', positions: mesh.positions.map(() => 0.1), normals: mesh.positions.map(() => 0) }];
  mesh.morphDefaults = [0];
  for (const channel of made.clips[0].channels) {
    channel.times = [...channel.times];
    channel.values = [...channel.values];
    channel.interpolation = 'linear';
  }
  made.joints[1] = { ...made.joints[1], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
  made.cameraNodes = [{ parent: -1, joint: 0, translation: [0, 0, 5] }];
  made.cameras = [{ name: 'Camera', node: 0 }];
  return made;
}

async function stage() {
  const engine = await createEngine();
  const character = engine.character(description());
  const pipeline = character.pipeline(STYLE);
  const live = pipeline.live();
  const plain = character.pipeline({ effects: { floppy: { angular: 0.3 } } });
  live.push(restPose(character), 0);
  plain.evaluateJoints(0, 0.3);
  const outputs = ['positions', 'normals', 'texels', 'palettes'];
  const crowd = engine.crowd([{ character, style: { effects: { floppy: { angular: 0.3 } } } }], { limit: 3, outputs });
  crowd.evaluate([{ clip: 0 }], 0.2);
  return { engine, character, pipeline, live, plain, crowd, pack: plain.pack() };
}

const frameOf = ({ character }) => character.pipeline(STYLE).evaluate(0, 0.3).positions;

// --- the calls that are wrong in a way of their own ---

const floats = (n) => new Float32Array(n);
const WRONG = [
  ['Character.paint', (s) => s.character.paint({ values: floats(5) }), /`values` has 5 numbers instead of 20/],
  ['Character.paint', (s) => s.character.paint({ values: floats(500) }), /`values` has 500 numbers/],
  [
    'Character.paint',
    (s) => s.character.paint({ smooth: -1 }),
    /`smooth` must be a whole number from 0 to 10000, not -1/,
  ],
  ['Character.paint', (s) => s.character.paint({ smooth: NaN }), /not NaN/],
  ['Character.paint', (s) => s.character.paint({ smooth: 1e9 }), /not 1000000000/],
  ['Character.paint', (s) => s.character.paint({ auto: 'thick' }), /`auto` must be one of thickness, height/],
  ['Character.paint', (s) => s.character.paint({ auto: 'joint', joint: 2 }), /there is no joint 2/],
  ['Character.paint', (s) => s.character.paint({ values: floats(20).fill(NaN) }), /number 0 is NaN/],
  ['Character.paint', (s) => s.character.paint({ formula: 5 }), /`formula` must be text, not 5/],
  ['Character.paint', (s) => s.character.paint(), /the options must be an object, not undefined/],
  ['Character.mesh', (s) => s.character.mesh('length'), /there is no mesh 'length'/],
  ['Character.skin', (s) => s.character.skin(1), /there is no skin 1/],
  ['Character.skin', (s) => s.character.skin(-1), /there is no skin -1/],
  ['Character.clip', (s) => s.character.clip(-1), /rest pose/],
  ['Character.clip', (s) => s.character.clip(NaN), /there is no clip NaN/],
  ['Character.contacts', (s) => s.character.contacts(0.5), /there is no clip 0.5/],
  ['Character.clipIndex', (s) => s.character.clipIndex({}), /there is no clip Object/],
  ['Character.jointIndex', (s) => s.character.jointIndex(0.5), /there is no joint 0.5/],
  ['Character.layer', (s) => s.character.layer(0, 5), /the name of a layer must be text, not 5/],
  ['Character.layer', (s) => s.character.layer(7, 'floppy'), /there is no mesh 7/],
  ['Character.setLayer', (s) => s.character.setLayer(0, 'floppy', floats(3)), /has 3 numbers instead of 20/],
  ['Character.setLayer', (s) => s.character.setLayer(0, 'floppy', floats(20).fill(2)), /not within -1 … 1/],
  ['Character.setTexture', (s) => s.character.setTexture(0, { width: 2, height: 2, pixels: floats(16) }), /16 bytes/],
  ['Character.setTexture', (s) => s.character.setTexture(0, { width: -2, height: 2, pixels: [] }), /`width`.*not -2/],
  ['Character.setTexture', (s) => s.character.setTexture(0, null), /the picture must be an object, not null/],
  ['Character.pipeline', (s) => s.character.pipeline(null), /a style must be an object, not null/],
  ['Character.pipeline', (s) => s.character.pipeline([]), /a style must be an object, not Array of 0/],
  ['Character.expectStyle', (s) => s.character.expectStyle({ strength: 'a' }), /strength/],
  ['Character.subdivide', (s) => s.character.subdivide('cartoon', 'x'), /`fps` must be a number, not 'x'/],
  ['Engine.character', (s) => s.engine.character(), /the description must be an object, not undefined/],
  ['Engine.bvh', (s) => s.engine.bvh(BVH.buffer), /a BVH file must be a Uint8Array, not ArrayBuffer/],
  ['Engine.bvh', (s) => s.engine.bvh(BVH, 5), /the name of the clip must be text, not 5/],
  ['Engine.memory', (s) => s.engine.memory(0, 1e12), /`to` must be a whole number from 0 to/],
  ['Engine.memory', (s) => s.engine.memory(9, 8), /`from` must be a whole number from 0 to 8, not 9/],
  ['Engine.write', (s) => s.engine.write(0, new Uint8Array(4)), /only a new engine takes the memory of another/],
  ['Engine.resume', (s) => s.engine.resume({ characters: [] }), /only a new engine takes the memory of another/],
  ['Engine.parseStyle', (s) => s.engine.parseStyle(undefined), /a style must be an object, not undefined/],
  [
    'Engine.parseStyle',
    (s) => s.engine.parseStyle({}, { 'effects.floppy.angular': undefined }),
    /cannot be written as JSON/,
  ],
  ['Engine.parseStyle', (s) => s.engine.parseStyle({}, [1]), /the changes must be an object, not Array of 1/],
  ['Pipeline.restyle', (s) => s.pipeline.restyle(5), /a style must be an object, not 5/],
  ['Pipeline.set', (s) => s.pipeline.set({ 'effects.floppy.angular': 10n }), /cannot be written as JSON/],
  ['Pipeline.set', (s) => s.pipeline.set('x'), /the changes must be an object/],
  ['Pipeline.evaluate', (s) => s.pipeline.evaluate(0, '1'), /the time must be a number, not '1'/],
  [
    'Pipeline.evaluate',
    (s) => s.pipeline.evaluate(0, 0, { positions: new Float64Array(60) }),
    /`positions` must be a Float32Array, not Float64Array of 60/,
  ],
  [
    'Pipeline.evaluate',
    (s) => s.pipeline.evaluate(0, 0, { normals: floats(59) }),
    /`normals` has room for 59 numbers, but needs 60/,
  ],
  ['Pipeline.evaluateJoints', (s) => s.pipeline.evaluateJoints(1, 0), /there is no clip 1/],
  [
    'Pipeline.evaluateVertices',
    (s) => s.pipeline.evaluateVertices({ skinned: [] }),
    /`skinned` must be a Float32Array, not Array of 0/,
  ],
  ['Pipeline.evaluateSmeared', (s) => s.pipeline.evaluateSmeared(0, 0, 0, { offsets: floats(19) }), /needs 20/],
  [
    'Pipeline.evaluateSmeared',
    (s) => s.pipeline.evaluateSmeared(0, 0, 0, { smearMeshes: 5 }),
    /`smearMeshes` must be an array/,
  ],
  [
    'Pipeline.evaluateWhatIf',
    (s) => s.pipeline.evaluateWhatIf(0, 0, [{ joint: 0, linear: [1, 2, 3, 4] }]),
    /`linear` has 4 numbers instead of 3/,
  ],
  ['Pipeline.evaluateWhatIf', (s) => s.pipeline.evaluateWhatIf(0, 0, [], Infinity), /`amount` must be a finite number/],
  ['Pipeline.clip', (s) => s.pipeline.clip(-1), /rest pose/],
  ['Pipeline.stretches', (s) => s.pipeline.stretches(-1), /rest pose/],
  ['Pipeline.sourceTime', (s) => s.pipeline.sourceTime(-1, 0), /rest pose/],
  ['Pipeline.sourceTime time', (s) => s.pipeline.sourceTime(0, 'now'), /time/],
  ['Pipeline.performance', (s) => s.pipeline.performance(-1), /rest pose/],
  ['Pipeline.kinematics', (s) => s.pipeline.kinematics({ velocity: floats(3) }), /`velocity` has room for 3/],
  ['Pipeline.worldMatrices', (s) => s.pipeline.worldMatrices(floats(31)), /needs 32/],
  ['Pipeline.localTransforms', (s) => s.pipeline.localTransforms([]), /must be a Float32Array/],
  ['Pipeline.morphWeights', (s) => s.pipeline.morphWeights(new Int16Array(5)), /not Int16Array of 5/],
  ['Pipeline.curves', (s) => s.pipeline.curves(0, 0, 5), /`times` must be an array of numbers, not 5/],
  ['Pipeline.curves', (s) => s.pipeline.curves(0, 'Nose', [0]), /there is no joint 'Nose'/],
  ['Pipeline.bake', (s) => s.pipeline.bake({ fps: -1 }), /`fps` must be a finite number of at least 0, not -1/],
  ['Pipeline.bake', (s) => s.pipeline.bake({ fps: 1e12 }), /./],
  ['Pipeline.bake', (s) => s.pipeline.bake({ range: [1, 0] }), /`range` ends at 0 s, before it starts at 1 s/],
  ['Pipeline.bake', (s) => s.pipeline.bake({ range: [0] }), /`range` has 1 numbers instead of 2/],
  ['Pipeline.bake', (s) => s.pipeline.bake({ tolerance: NaN }), /`tolerance`.*not NaN/],
  [
    'Pipeline.bake',
    (s) => s.pipeline.bake({ kind: 'all' }),
    /`kind` must be one of corrective, vertex, bones, auto, not 'all'/,
  ],
  ['Pipeline.bake', (s) => s.pipeline.bake({ clips: 'swing' }), /`clips` must be an array/],
  ['Pipeline.live', (s) => s.pipeline.live({}), /`before` must be a stream of the same character/],
  ['Pipeline.pack', (s) => s.plain.pack(5), /the options must be an object/],
  ['Live.push', (s) => s.live.push(floats(19), 1), /a pose needs 20 numbers/],
  ['Live.push', (s) => s.live.push(restPose(s.character), 'x'), /`time` must be a number/],
  ['Live.push', (s) => s.live.push(restPose(s.character), NaN), /not finite/],
  ['Live.push', (s) => s.live.push(new BigInt64Array(20), 1), /a pose must be an array of numbers/],
  ['Live.push', (s) => s.live.push(restPose(s.character), 1, [1, 2]), /1 morph weights, not 2/],
  ['Live.evaluate', (s) => s.live.evaluate({ positions: floats(1) }), /has room for 1/],
  ['Live.setSmears', (s) => s.live.setSmears({ history: -1 }), /`history` must be a whole number from 1 to 32, not -1/],
  ['Live.setSmears', (s) => s.live.setSmears({ fps: 0 }), /./],
  ['Live.setSmears', (s) => s.live.setSmears({ teleport: NaN }), /`teleport`/],
  ['Live.evaluateSmeared', (s) => s.live.evaluateSmeared({ positions: floats(1) }), /has room for 1/],
  ['Live.setGround', (s) => s.live.setGround('low'), /the height of the ground must be a finite number, not 'low'/],
  ['Pack.frame', (s) => s.pack.frame(new Float64Array(9)), /must be a Float32Array/],
  ['Pack.frame', (s) => s.pack.frame(floats(4)), /has room for/],
  ['Pack.frame', (s) => s.pack.frame(floats(4096), -1), /`at` must be a whole number from 0 to 1024, not -1/],
  ['Pack.frame', (s) => s.pack.frame(floats(4096), 1e9), /`at`/],
  ['Pack.columns', (s) => s.pack.columns(floats(400)), /must be a Int16Array/],
];

const oneLine = (error) =>
  assert.ok(error instanceof LimberError && error.message && !error.message.includes('\n'), error?.stack ?? error);

test('wrong arguments are LimberErrors that say what is wrong, and leave everything as it was', async () => {
  const s = await stage();
  const before = frameOf(s);
  for (const [name, call, pattern] of WRONG)
    assert.throws(
      () => call(s),
      (error) => {
        oneLine(error);
        assert.match(error.message, pattern, name);
        return true;
      },
      `${name}: ${call}`,
    );
  assert.deepEqual(frameOf(s), before);
});

// --- every argument of every method, replaced by whatever comes to mind ---

const GARBAGE = [undefined, null, NaN, -1, 0.5, 1e300, -Infinity, 2 ** 32 + 1, 'x', '', true, 10n, () => 1, Symbol('s'), {}, [], [[]], [10n], ['x', {}], floats(1), new BigInt64Array(3), new DataView(new ArrayBuffer(8)), new Uint8Array(4000)]; // prettier-ignore

/** The value with one thing in it replaced, for each thing in it. */
function* variants(value) {
  for (const other of GARBAGE) yield other;
  if (!Array.isArray(value) && (typeof value !== 'object' || Object.getPrototypeOf(value ?? 0) !== Object.prototype))
    return;
  const keys =
    Array.isArray(value) && typeof value[0] !== 'object' ? Object.keys(value).slice(0, 1) : Object.keys(value);
  for (const key of keys)
    for (const other of variants(value[key])) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      copy[key] = other;
      yield copy;
    }
}

const METHODS = {
  Engine: { on: (s) => s.engine, character: [description()], bvh: [BVH, 'motion'], parseStyle: [STYLE, { 'effects.floppy.angular': 0.5 }], crowd: (s) => [[{ character: s.character, style: {} }], { limit: 3, outputs: ['positions'], step: 0 }], state: [], memory: [0, 16], write: [0, new Uint8Array(4)], resume: [{ bytes: 0, characters: [] }], dispose: [] }, // prettier-ignore
  Character: {
    on: (s) => s.character,
    mesh: [0],
    skin: [0],
    clip: [0],
    contacts: [0],
    rigidParts: [],
    clipIndex: [0],
    restPositions: [],
    paint: [{ auto: 'joint', joint: 1, formula: 'height', values: Array(20).fill(0.5), smooth: 1 }],
    jointIndex: [0],
    layer: [0, 'floppy'],
    setLayer: [0, 'floppy', Array.from({ length: 20 }, (_, i) => Math.floor(i / 4) / 4)],
    setTexture: [0, { width: 2, height: 2, pixels: new Uint8Array(16) }],
    pipeline: [{ effects: { floppy: { angular: 0.3 } } }],
    expectStyle: [STYLE],
    subdivide: [STYLE, 0],
    dispose: [],
  },
  Pipeline: {
    on: (s) => s.pipeline,
    style: [],
    restyle: [STYLE],
    set: [{ 'effects.floppy.angular': 0.3 }],
    warnings: [],
    smears: [],
    exaggerates: [],
    evaluate: [0, 0.3, { positions: floats(60), normals: floats(60), skinned: floats(60) }],
    evaluateJoints: [0, 0.3],
    evaluateVertices: [{ positions: floats(60) }],
    evaluateSmeared: [0, 0.3, 0, { positions: floats(60), deformed: floats(60), offsets: floats(20), smearMeshes: [] }],
    evaluateWhatIf: [0, 0.3, [{ joint: 1, linear: [1, 0, 0], angular: [0, 1, 0] }], 1, { positions: floats(60) }],
    clip: [0],
    stretches: [0],
    sourceTime: [0, 0.3],
    performance: [0],
    holds: [0],
    rigidParts: [],
    kinematics: [{ velocity: floats(6) }],
    worldMatrices: [floats(32)],
    localTransforms: [floats(20)],
    colliders: [],
    morphWeights: [floats(1)],
    curves: [0, 1, [0, 0.5]],
    bake: [{ kind: 'vertex', clips: [0], fps: 10, range: [0, 0.5], tolerance: 1, normals: true, smearMeshes: 'none' }],
    live: [undefined],
    pack: [{ normals: true }],
    dispose: [],
  },
  Live: {
    on: (s) => s.live,
    push: [floats(20).fill(1), 1, [0]],
    evaluate: [{ positions: floats(60) }],
    setSmears: [{ fps: 30, history: 8, teleport: 0.5 }],
    evaluateSmeared: [{ positions: floats(60), smearMeshes: [] }],
    setGround: [0],
    reset: [],
    dispose: [],
  },
  Pack: { on: (s) => s.pack, joints: [], obeyed: [floats(4)], frame: [floats(4096 * 8), 0], columns: [new Int16Array(400)] }, // prettier-ignore
};
METHODS.Crowd = {
  on: (s) => s.crowd,
  evaluate: [[{ kind: 0, clip: 0, start: 0, speed: 1, every: 1 }], 0.3, 0],
  prepare: [0, 0],
  time: [{ kind: 0, clip: 0, start: 0, speed: 1 }, 0.3],
  positions: [0, floats(60)],
  normals: [0, floats(60)],
  palettes: [0, floats(32)],
  texels: [0, floats(4096 * 8)],
  columns: [0],
  smears: [0],
  warnings: [0],
  shader: [0],
  joints: [0],
  dispose: [],
};
const INTERNAL = { Engine: ['adopt', 'forget', 'readyCharacter', 'readyOrder', 'expectNew', 'memoryBytes'], Character: ['handle', 'state', 'readyPipeline', 'name', 'readClipHead', 'meshInfo', 'readJoints', 'expectMesh', 'keyedClip', 'layerIndex'], Pipeline: ['handle', 'state', 'change', 'motionOf', 'arrays', 'array', 'copy', 'expectRoom', 'ask', 'fill', 'fillSmeared'], Live: ['handle'], Pack: ['readSettings', 'handle'], Crowd: ['open', 'handle', 'repaint', 'renew', 'kindAt', 'write', 'number', 'array', 'source', 'floats', 'vertices', 'gather', 'gathered', 'firstTexels', 'ofKind', 'written'] }; // prettier-ignore

test('the tables of this file have every method of every class', () => {
  for (const [name, Class] of Object.entries({ Engine, Character, Pipeline, Live, Pack, Crowd })) {
    const known = ['constructor', 'on', ...INTERNAL[name], ...Object.keys(METHODS[name])];
    assert.deepEqual(
      Object.getOwnPropertyNames(Class.prototype).filter((method) => !known.includes(method)),
      [],
      name,
    );
  }
});

for (const [name, { on, ...methods }] of Object.entries(METHODS))
  for (const [method, right] of Object.entries(methods).filter(([, list]) => list.length))
    test(`${name}.${method} takes anything, and gives a result or a LimberError`, async () => {
      const s = await stage();
      const before = frameOf(s);
      const object = on(s);
      const args = typeof right === 'function' ? right(s) : right;
      for (const i of args.keys())
        for (const other of variants(args[i])) {
          const given = [...args];
          given[i] = other;
          try {
            const made = object[method](...given);
            if (typeof made?.dispose === 'function') made.dispose();
          } catch (error) {
            oneLine(error);
          }
        }
      s.character.setLayer(0, 'floppy', METHODS.Character.setLayer[2]);
      assert.equal(largestDifference(frameOf(s), before), 0, 'the module computes what it did');
    });

// --- disposed, of another engine, twice ---

test('what was disposed says so, whatever is asked', async () => {
  for (const [name, { on, ...methods }] of Object.entries(METHODS)) {
    if (name === 'Engine') continue; // only frees its characters
    const s = await stage();
    const object = on(s);
    s.character.dispose();
    const silent = ['dispose', 'clipIndex', 'jointIndex', 'style'];
    for (const [method, args] of Object.entries(methods).filter(([one]) => !silent.includes(one)))
      assert.throws(
        () => (typeof Object.getOwnPropertyDescriptor(object.constructor.prototype, method).get === 'function' ? object[method] : object[method](...args)), // prettier-ignore
        (error) => error instanceof LimberError && /disposed/.test(error.message),
        `${name}.${method}`,
      );
    object.dispose?.();
  }
});

test('a stream cannot continue one of another character or engine', async () => {
  const [a, b] = [await stage(), await stage()];
  assert.throws(() => a.pipeline.live(b.live), /`before` must be a stream of the same character/);
  assert.throws(() => a.engine.character(bar()).pipeline().live(a.live), /the same character/);
  a.plain.live(a.live).dispose();
});

test('a module that is none, or another one, is a LimberError', async () => {
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  for (const source of [5, {}, null, floats(8), empty, 'nowhere.wasm', new WebAssembly.Module(empty)])
    await assert.rejects(createEngine(source), (error) => (oneLine(error), true));
});

// --- limber/three ---

test('limber() refuses what is no object, no option, and an object that has a Toon', async () => {
  const { group, mesh, bones } = tube();
  const refuse = (call, pattern) =>
    assert.rejects(call, (error) => (oneLine(error), assert.match(error.message, pattern), true));
  for (const make of [limber, limberWebgpu]) {
    for (const object of [undefined, null, {}, 'x', new THREE.Matrix4()]) await refuse(make(object), /an Object3D/);
    await refuse(make(group, {}, null), /the options must be an object, not null/);
    await refuse(make(group, {}, { engine: {} }), /`engine` must be what createEngine\(\) resolves to/);
    await refuse(make(group, {}, { compute: 'tpu' }), /`compute` must be one of auto, gpu, cpu, not 'tpu'/);
    await refuse(make(group, {}, { rigid: true }), /`rigid` must be one of/);
    for (const renderer of [5, null, {}]) await refuse(make(group, {}, { renderer }), /`renderer` must be a renderer/);
    await refuse(make(group, {}, { once: 1 }), /`once` must be true or false, not 1/);
    await refuse(make(group, {}, { once: true }), /`once` needs the renderer/);
    await refuse(make(group, {}, { clips: ['walk'] }), /a clip must be an AnimationClip/);
    await refuse(make(group, STYLE, { smear: { history: 99 } }), /`history`/);
    await refuse(make(group, 5), /a style must be an object, not 5/);
  }
  const toon = await limber(group, {});
  await refuse(limber(group, {}), /mesh 'Tube': the mesh has a Toon already/);
  await refuse(limber(mesh, {}), /has a Toon already/);
  toon.dispose();
  (await limber(group, {})).dispose();
  bones[1].position.x = NaN;
  await refuse(limber(group, {}), /finite/);
  bones[1].position.x = 0;
  (await limber(group, {})).dispose(); // a failed attempt leaves no mark
});

test('wrong arguments of a Toon are LimberErrors, and it goes on', async () => {
  const { group } = tube();
  const toon = await limber(group, 'cartoon');
  const clip = new THREE.AnimationClip('none', 1, []);
  const calls = {
    update: ['x'],
    patch: [5],
    exact: ['walk', 0],
    whatIf: [clip, 0, [{ joint: 'Nose' }]],
    exactPipeline: [{}],
    bake: [clip, { fps: NaN }],
    positions: [new THREE.Mesh()],
    raycast: [{}],
  };
  const silent = [
    'constructor',
    'character',
    'meshes',
    'computed',
    'style',
    'reset',
    'repaint',
    'resume',
    'setClips',
    'colliders',
    'dispose',
  ];
  const hidden = ['applyStyle', 'showAgain', 'startLive', 'elapsed', 'push', 'readMorphs', 'findClip', 'exactFor', 'dropExact', 'poseNodes', 'arrays', 'showPlaces', 'showSmearMeshes', 'vertices', 'expectAlive', 'showPasses', 'deformOnce', 'showEffects', 'smearPasses', 'makeSmears', 'forgetMotion', 'dropSmears']; // prettier-ignore
  const known = [...silent, ...hidden, ...Object.keys(calls)];
  assert.deepEqual(
    Object.getOwnPropertyNames(Toon.prototype).filter((name) => !known.includes(name)),
    [],
  );
  const refuse = (call) => assert.throws(call, (error) => (oneLine(error), true));
  for (const [method, args] of Object.entries(calls)) {
    refuse(() => toon[method](...args));
    for (const other of GARBAGE.slice(1)) {
      try {
        toon[method](other, other, other, other);
      } catch (error) {
        oneLine(error);
      }
    }
  }
  refuse(() => (toon.style = null));
  refuse(() => toon.positions(undefined, []));
  refuse(() => toon.exact(clip, '1'));
  toon.reset();
  toon.update(0.01);
  const { positions } = toon.character.pipeline().evaluate(-1, 0);
  assert.ok(positions.every(Number.isFinite));
  toon.dispose();
  for (const [method, args] of Object.entries(calls)) assert.throws(() => toon[method](...args), /disposed/);
});

// --- above two gigabytes ---

test('memory above 2 GiB, where addresses are negative numbers, is memory like any other', async (one) => {
  const low = await stage();
  const { engine } = await stage();
  const { heap } = engine;
  try {
    heap.wasm.memory.grow(0x8000); // 2 GiB of zeros, which take no room; the allocator goes on behind them
  } catch {
    return one.skip('no room for 2 GiB of addresses');
  }
  for (const size of [65536, 4096, 256, 16]) while (heap.allocate(size) < 2 ** 31); // fills what is below
  assert.ok(heap.wasm.memory_allocate(1 << 16) < 0, 'the module gives it as a negative number');
  const character = engine.character(description());
  const pipeline = character.pipeline(STYLE);
  assert.ok(pipeline.handle > 2 ** 31);
  assert.deepEqual(pipeline.evaluate(0, 0.3).positions, low.pipeline.evaluate(0, 0.3).positions);
  assert.deepEqual(character.joints, low.character.joints);
  assert.deepEqual(character.mesh(0), low.character.mesh(0));
  assert.deepEqual(character.paint({ formula: 'height', smooth: 2 }), low.character.paint({ formula: 'height', smooth: 2 })); // prettier-ignore
  assert.deepEqual(pipeline.bake(), low.pipeline.bake());
  assert.deepEqual(pipeline.curves(0, 1, [0, 0.5]), low.pipeline.curves(0, 1, [0, 0.5]));
  assert.equal(pipeline.style.effects.floppy.angular, 0.3);
  const pack = character.pipeline({ effects: { floppy: { angular: 0.3, layer: 'floppy' } } }).pack();
  assert.match(pack.defines, /#define/);
  assert.equal(pack.joints().joints.length, 80);
  assert.ok(engine.bvh(BVH).pipeline('cartoon').evaluate(0, 0.1).positions.every(Number.isFinite));
  assert.throws(() => character.pipeline('{"effects": {"flopy": {}}}'), /flopy/);
});

test('more memory than a module can have is an error, not a wrapped number', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const heap = new Heap({ memory, memory_allocate: () => 8 });
  assert.throws(() => heap.allocate(2 ** 32 + 8), /not enough memory/);
  assert.throws(() => heap.allocate(NaN), /not enough memory/);
});
