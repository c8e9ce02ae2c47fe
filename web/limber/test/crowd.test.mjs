// Crowds: their numbers are those of single characters, and wrong arguments are errors.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as THREE from 'three';
import { createEngine, LimberError } from '../dist/engine.js';
import { limber, limberCrowd, ToonCrowd } from '../dist/three.js';
import { limberCrowd as limberCrowdNodes } from '../dist/webgpu.js';
import { bar, engine, largestDifference, sampleDescription, sampleFile } from './kit.mjs';
import { apart, loadGlb, tube } from './three_kit.mjs';

const ALL = ['palettes', 'texels', 'positions', 'normals'];
const near = (a, b, limit = 1e-9) => assert.ok(Math.abs(a - b) < limit, `${a} instead of ${b}`);

function fails(work, message, kind = 'argument') {
  assert.throws(work, (error) => {
    assert.ok(error instanceof LimberError, String(error));
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, message);
    return true;
  });
}

// --- the engine ---

test('members of several kinds are what single pipelines compute, to the bit', () => {
  const kinds = [
    { character: engine.character(sampleDescription('cow')), style: 'cartoon' },
    { character: engine.character(sampleDescription('flower')), style: 'jelly' },
    { character: engine.character(sampleDescription('cow')) },
  ];
  const crowd = engine.crowd(kinds, { limit: 20, outputs: ALL });
  const members = Array.from({ length: 12 }, (_, i) => {
    const { clips } = kinds[i % 3].character;
    return {
      kind: i % 3,
      clip: i < 3 ? clips[0].name : (i % (clips.length + 1)) - 1,
      start: 0.37 * i,
      speed: 0.5 + 0.1 * i,
    };
  });
  const { computed, sameAs, changed } = crowd.evaluate(members, 0.8);
  assert.equal(computed, 12);
  assert.deepEqual([...sameAs], [...members.keys()]);
  assert.ok(changed.every((one) => one === 1));
  kinds.forEach(({ character, style }, k) => {
    const pipeline = character.pipeline(style);
    const pack = pipeline.pack();
    const texels = new Float32Array(4 * pack.width * pack.height);
    const shader = crowd.shader(k);
    for (let i = k; i < members.length; i += 3) {
      const time = crowd.time(members[i], 0.8);
      const frame = pipeline.evaluate(members[i].clip, time);
      assert.deepEqual(crowd.positions(i), frame.positions);
      assert.deepEqual(crowd.normals(i), frame.normals);
      const { texelCount } = pack.frame(texels);
      assert.deepEqual(crowd.texels(i), texels.slice(0, 4 * texelCount));
      const { joints } = character.skin(0);
      assert.ok(crowd.palettes(i).length >= 16 * joints.length);
    }
    assert.deepEqual(shader.settings, pack.settings);
    assert.equal(shader.defines, pack.defines);
    assert.deepEqual(shader.columns, pack.columns());
    assert.deepEqual(shader.obeyed, pack.obeyed());
    assert.deepEqual(crowd.joints(k), pack.joints());
    assert.equal(shader.texelLimit, pack.texelLimit);
  });
  assert.ok(largestDifference(crowd.positions(3), crowd.positions(6)) > 1e-3);
  kinds.forEach(({ character }) => character.dispose());
});

test('members in the same moment are computed once, also by rounding, and those far away keep their numbers', () => {
  const character = engine.character(sampleDescription('flower'));
  const members = Array.from({ length: 40 }, (_, i) => ({ clip: 0, start: i % 4 < 2 ? 0.25 : 0.5, speed: 1 }));
  const crowd = engine.crowd([{ character, style: 'cartoon' }], { limit: 40 });
  const first = crowd.evaluate(members, 0.1);
  assert.equal(first.computed, 2);
  assert.deepEqual([...first.sameAs.slice(0, 8)], [0, 0, 2, 2, 0, 0, 2, 2]);
  assert.deepEqual(crowd.positions(5), crowd.positions(0));
  assert.ok(largestDifference(crowd.positions(2), crowd.positions(0)) > 1e-3);

  const rough = engine.crowd([{ character, style: 'cartoon' }], { limit: 40, step: 0.125 });
  members.forEach((member, i) => (member.start = 0.2 + (0.1 * i) / 40));
  assert.equal(rough.evaluate(members, 0).computed, 1);
  assert.deepEqual(rough.positions(39), character.pipeline('cartoon').evaluate(0, 0.25).positions);

  const sparse = members.map((member) => ({ ...member, every: 4 }));
  crowd.evaluate(
    members.map((member) => ({ ...member, every: 1000 })),
    0,
    0,
  ); // only the first
  for (let frame = 1; frame < 9; frame++) {
    const { changed } = crowd.evaluate(sparse, 0.05 * frame, frame);
    sparse.forEach((_, i) => assert.equal(changed[i], (frame + i) % 4 === 0 ? 1 : 0));
  }
  const hidden = crowd.evaluate(
    members.map((member) => ({ ...member, every: Infinity })),
    0.5,
    1,
  );
  assert.equal(hidden.computed, 0);
  character.dispose();
});

test('a repainted layer reaches the crowd', () => {
  const character = engine.character(bar());
  const style = { effects: { floppy: { angular: 0.5, layer: 'floppy' } } };
  const crowd = engine.crowd([{ character, style }], { limit: 1 });
  const members = [{ clip: 0, start: 0.4 }];
  crowd.evaluate(members, 0);
  const before = crowd.positions(0);
  character.setLayer(0, 'floppy', new Float32Array(character.vertexCount));
  crowd.evaluate(members, 0);
  assert.ok(largestDifference(before, crowd.positions(0)) > 1e-3);
  assert.deepEqual(crowd.positions(0), character.pipeline(style).evaluate(0, 0.4).positions);
  character.dispose();
});

test('wrong arguments are errors, and the crowd goes on', async () => {
  const character = engine.character(bar());
  const kinds = [{ character, style: 'cartoon' }];
  const other = await createEngine();
  fails(() => engine.crowd([], { limit: 1 }), /at least one kind/);
  fails(() => engine.crowd(undefined, { limit: 1 }), /at least one kind/);
  fails(() => engine.crowd([{}], { limit: 1 }), /kinds\[0\].*not one of this engine/);
  fails(() => other.crowd(kinds, { limit: 1 }), /not one of this engine/);
  for (const limit of [0, -1, 1.5, NaN, 2 ** 32, undefined, '3'])
    fails(() => engine.crowd(kinds, { limit }), /`limit` must be a whole number/);
  fails(() => engine.crowd(kinds), /`limit` must be/);
  fails(() => engine.crowd(kinds, { limit: 1, step: -1 }), /step/);
  fails(() => engine.crowd(kinds, { limit: 1, step: NaN }), /`step` must be a finite number/);
  fails(() => engine.crowd(kinds, { limit: 1, outputs: ['colors'] }), /no output 'colors'/);
  fails(() => engine.crowd(kinds, { limit: 1, outputs: [] }), /what to compute/);
  const large = [{ character: other.character(sampleDescription('cow')) }];
  fails(() => other.crowd(large, { limit: 2 ** 20, outputs: ['positions'] }), /not enough memory/, 'memory');
  fails(() => engine.crowd([{ character, style: 'cartoonish' }], { limit: 1 }), /no preset 'cartoonish'/);

  const crowd = engine.crowd(kinds, { limit: 2 });
  const good = { clip: 'swing' };
  const bad = [
    [{ ...good, kind: 1 }, /members\[1\].*the kind/],
    [{ ...good, kind: -1 }, /the kind/],
    [{ ...good, kind: 0.5 }, /the kind/],
    [{ clip: 1 }, /the clip/],
    [{ clip: -2 }, /the clip/],
    [{ clip: NaN }, /the clip/],
    [{ clip: 'walk' }, /no clip 'walk'/],
    [{ ...good, start: NaN }, /`start`/],
    [{ ...good, start: 1e308, speed: 1e308 }, /its time is not a number/],
    [{ ...good, speed: Infinity }, /`speed`/],
    [{ ...good, every: -1 }, /`every`/],
    [{ ...good, every: 1.5 }, /`every`/],
    [{ ...good, every: NaN }, /`every`/],
  ];
  for (const [member, message] of bad) fails(() => crowd.evaluate([good, member], 10), message);
  fails(() => crowd.evaluate([good, good, good], 0), /number of members/);
  fails(() => crowd.evaluate([good], NaN), /the time/);
  fails(() => crowd.evaluate([good], 0, -1), /the frame/);
  fails(() => crowd.evaluate([good], 0, 0.5), /the frame/);
  crowd.evaluate([good], 0.25);
  assert.deepEqual(crowd.positions(0), character.pipeline('cartoon').evaluate(0, 0.25).positions);
  for (const i of [1, -1, 0.5, NaN, undefined]) fails(() => crowd.positions(i), /no member/);
  fails(() => crowd.positions(0, new Float32Array(5)), /room for 5/);
  fails(() => crowd.texels(0), /outputs/);
  fails(() => crowd.palettes(0), /outputs/);
  fails(() => crowd.columns(0), /the same for all members/);
  fails(() => crowd.shader(), /no texels/);
  fails(() => crowd.shader(1), /the kind/);
  fails(() => crowd.prepare('walk'), /no clip/);
  fails(() => crowd.prepare(0, 7), /the kind/);
  crowd.prepare('swing');
  character.dispose();
  character.dispose();
  fails(() => crowd.evaluate([good], 0), /disposed/);
  fails(() => crowd.positions(0), /disposed/);
  crowd.dispose();
});

test('styles that the shader does not have are refused for texels only', () => {
  const character = engine.character(bar());
  const style = { effects: { floppy: { angular: 0.3, twist: '0.5 + height' } } };
  const kinds = [{ character, style }];
  fails(() => engine.crowd(kinds, { limit: 1, outputs: ['texels'] }), /kinds\[0\]|effects/, 'unsupported');
  engine.crowd(kinds, { limit: 1 });
  character.dispose();
});

test('crowds that come and go leave no memory behind', () => {
  const character = engine.character(bar());
  const round = () => {
    const crowd = engine.crowd([{ character, style: 'cartoon' }], { limit: 50, outputs: ALL });
    crowd.evaluate(
      Array.from({ length: 50 }, (_, i) => ({ clip: 0, start: 0.01 * i })),
      0,
    );
    crowd.gather(200);
    crowd.dispose();
  };
  for (let i = 0; i < 5; i++) round();
  const bytes = engine.memoryBytes;
  for (let i = 0; i < 50; i++) round();
  assert.equal(engine.memoryBytes, bytes);
  character.dispose();
});

// --- three.js ---

const cow = () => loadGlb(sampleFile('cow'));

test('each member of a crowd in three.js is where limber.exact has a single character', async () => {
  const gltf = await cow();
  const crowd = await limberCrowd(gltf, 'cartoon', { count: 6 });
  assert.ok(crowd instanceof ToonCrowd && crowd.isObject3D);
  crowd.position.set(1, 2, 3);
  crowd.members.forEach((member, i) => {
    member.clip = i % gltf.animations.length;
    member.place(2 * i, 0.5 * i, -i, 0.4 * i, 1 + 0.1 * i);
    member.speed = 1 + 0.2 * i;
    member.time = 0.1 * i;
  });
  for (let f = 0; f < 5; f++) crowd.update(0.05);
  const single = await cow();
  const parent = new THREE.Group();
  parent.position.set(1, 2, 3);
  parent.add(single.scene);
  const toon = await limber(single.scene, 'cartoon', { clips: single.animations });
  crowd.members.forEach((member, i) => {
    member.matrix.decompose(single.scene.position, single.scene.quaternion, single.scene.scale);
    near(member.time, 0.1 * i + 0.25 * (1 + 0.2 * i));
    toon.exact(i % gltf.animations.length, member.time);
    const most = apart(crowd.positions(i), toon.positions()) / toon.character.size;
    assert.ok(most < 2e-6, `member ${i}: ${most} of L apart`);
  });
  toon.dispose();
  crowd.dispose();
});

test('members change clip, time and speed without a jump, and hidden ones cost nothing', async () => {
  const gltf = await cow();
  const crowd = await limberCrowd(gltf, 'cartoon', { count: 8 });
  assert.equal(crowd.computed, 1, 'all in the rest pose');
  crowd.members.forEach((member, i) => {
    member.clip = gltf.animations[0];
    member.time = 0.03 * i;
  });
  crowd.update(0.5);
  assert.equal(crowd.computed, 8);
  const [member] = crowd.members;
  near(member.time, 0.5);
  member.speed = 3;
  near(member.time, 0.5);
  crowd.update(0.1);
  near(member.time, 0.8);
  assert.equal(member.clip, gltf.animations[0]);
  member.clip = null;
  assert.equal(member.clip, null);
  crowd.members[1].visible = crowd.members[2].visible = false;
  crowd.update(0.1);
  assert.equal(crowd.computed, 6);
  assert.equal(crowd.meshes[0].geometry.instanceCount, 6);
  crowd.members.forEach((one) => (one.visible = false));
  crowd.update(0.1);
  assert.equal(crowd.computed, 0);
  assert.equal(crowd.meshes[0].geometry.instanceCount, 0);
  crowd.dispose();
});

test('far members are computed less often, and show nothing old when they start to', async () => {
  const gltf = await cow();
  const options = {
    count: 12,
    rates: [
      { distance: 10, every: 2 },
      { distance: 50, every: 4 },
    ],
  };
  const crowd = await limberCrowd(gltf, 'cartoon', options);
  const camera = new THREE.PerspectiveCamera();
  crowd.members.forEach((member, i) => {
    member.clip = 0;
    member.time = 0.05 * i;
    member.place(i < 4 ? 0 : i < 8 ? 20 : 100, 0, 0);
  });
  crowd.update(1 / 60); // near: they may share numbers
  assert.equal(crowd.computed, 12);
  crowd.update(1 / 60, camera); // who is far gets numbers of its own at once
  assert.equal(crowd.computed, 12);
  const counts = [];
  for (let f = 0; f < 4; f++) {
    crowd.update(1 / 60, camera);
    counts.push(crowd.computed);
  }
  assert.deepEqual(counts, [7, 7, 7, 7]); // 4 + 4 / 2 + 4 / 4
  const waiting = crowd.members.findIndex((one, i) => i >= 8 && crowd.shownAt[i] < one.time - 0.01);
  crowd.members[waiting].clip = 1; // a cut is seen at once
  crowd.update(1 / 60, camera);
  const pipeline = crowd.character.pipeline('cartoon');
  const { positions } = pipeline.evaluate(1, crowd.members[waiting].time);
  const there = crowd.positions(waiting);
  for (let i = 0; i < there.length; i += 3) there[i] -= 100;
  assert.ok(apart(there, positions) < 1e-4);
  crowd.dispose();
});

test('with a step members share moments', async () => {
  const crowd = await limberCrowd(await cow(), 'cartoon', { count: 100, step: 1 / 30 });
  crowd.members.forEach((member, i) => {
    member.clip = 0;
    member.time = 0.001 * i;
  });
  crowd.update(0);
  assert.ok(crowd.computed <= 4, `${crowd.computed}`);
  crowd.dispose();
});

test('bounds hold all members, and rays meet the deformed ones', async () => {
  const gltf = await cow();
  const crowd = await limberCrowd(gltf, 'cartoon', { count: 3 });
  crowd.members.forEach((member, i) => {
    member.clip = 0;
    member.place(10 * i, 0, 0, 0, 1 + i);
  });
  crowd.update(0.4);
  crowd.updateMatrixWorld(true);
  for (let i = 0; i < 3; i++) {
    const all = crowd.positions(i);
    const point = new THREE.Vector3();
    for (let u = 0; u < all.length; u += 3)
      for (const mesh of crowd.meshes)
        assert.ok(mesh.boundingSphere.containsPoint(point.fromArray(all, u)), `member ${i} is outside`);
  }
  const far = new THREE.Raycaster(new THREE.Vector3(10, 500, 0.001), new THREE.Vector3(0, -1, 0));
  const hits = far.intersectObject(crowd);
  assert.ok(hits.length > 0);
  assert.ok(hits.every((hit) => hit.instanceId === 1 && crowd.meshes.includes(hit.object)));
  const highest = Math.max(...crowd.positions(1).filter((_, i) => i % 3 === 1));
  assert.ok(hits[0].point.y <= highest + 1e-4 && hits[0].point.y > 0.2 * highest);
  far.ray.origin.x = 5000;
  assert.equal(far.intersectObject(crowd).length, 0);
  crowd.dispose();
});

test('styles change for all, warnings say what is left out, and a wrong style changes nothing', async () => {
  const crowd = await limberCrowd(await cow(), { effects: {} }, { count: 3 });
  crowd.members.forEach((member) => (member.clip = 0));
  crowd.update(0.4);
  const plain = crowd.positions(0);
  crowd.style = 'jelly';
  assert.ok(apart(plain, crowd.positions(0)) > 1e-3);
  crowd.patch({ 'effects.overlap.gain': 0.1 });
  assert.equal(crowd.style.effects.overlap.gain, 0.1);
  const before = crowd.positions(0);
  fails(() => (crowd.style = 'no such'), /no preset/);
  fails(() => crowd.patch({ 'effects.nothing': 1 }), /nothing/, 'data');
  fails(() => (crowd.style = { effects: { floppy: { angular: '0.5 * height' } } }), /formulas/, 'unsupported');
  crowd.update(0);
  assert.deepEqual(crowd.positions(0), before);
  crowd.style = 'smear';
  assert.ok(crowd.warnings.some((one) => /smears are left out/.test(one)));
  crowd.style = 'cartoon';
  assert.ok(!crowd.warnings.some((one) => /smears/.test(one)));
  crowd.dispose();
});

test('morph targets stay as they are, and their tracks are left out with a warning', async () => {
  const { group, mesh } = tube();
  const { geometry } = mesh;
  const up = new Float32Array(geometry.attributes.position.array.length).map((_, i) => (i % 3 === 1 ? 0.5 : 0));
  geometry.morphAttributes.position = [new THREE.BufferAttribute(up, 3)];
  geometry.morphTargetsRelative = true;
  mesh.updateMorphTargets();
  mesh.morphTargetInfluences[0] = 1;
  const track = new THREE.NumberKeyframeTrack(`${mesh.name}.morphTargetInfluences`, [0, 1], [0, 1]);
  const clip = new THREE.AnimationClip('grow', 1, [track]);
  const crowd = await limberCrowd(group, {}, { count: 2, clips: [clip] });
  assert.match(crowd.warnings.join(), /morph targets are not animated in a crowd/);
  assert.equal(crowd.character.morphCount, 0);
  const y = crowd.positions(0)[1];
  near(y, geometry.attributes.position.getY(0) + 0.5, 1e-6);
  assert.equal(Object.keys(crowd.meshes[0].geometry.morphAttributes).length, 0);
  crowd.dispose();
});

test('wrong arguments of crowds in three.js are errors', async () => {
  const gltf = await cow();
  const rejects = (work, message, kind = 'argument') =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof LimberError, String(error));
      assert.match(error.message, message);
      assert.equal(error.kind, kind);
      return true;
    });
  for (const count of [0, -1, 1.5, NaN, 2 ** 30, undefined])
    await rejects(limberCrowd(gltf, 'cartoon', { count }), /`count` must be a whole number/);
  await rejects(limberCrowd(gltf, 'cartoon', { count: 1, step: -1 }), /step/);
  await rejects(limberCrowd(gltf, 'cartoon', { count: 1, rates: [{ distance: 3 }] }), /`rates`/);
  await rejects(limberCrowd({}, 'cartoon', { count: 1 }), /needs an object/);
  await rejects(limberCrowd(new THREE.Group(), 'cartoon', { count: 1 }), /no mesh/, 'data');
  const crowd = await limberCrowd(gltf, 'cartoon', { count: 2 });
  const [member] = crowd.members;
  fails(() => (member.clip = 'no such'), /no clip 'no such' in the crowd; there are 'walk/);
  fails(() => (member.clip = 99), /no clip 99/);
  fails(() => (member.clip = 0.5), /no clip/);
  fails(() => (member.clip = new THREE.AnimationClip('other', 1, [])), /no clip 'other'/);
  fails(() => (member.time = NaN), /time/);
  fails(() => (member.speed = Infinity), /speed/);
  fails(() => (member.every = 0), /every/);
  fails(() => crowd.update(NaN), /step/);
  fails(() => crowd.positions(2), /no member 2/);
  fails(() => crowd.positions(0, new Float32Array(1)), /room for 1/);
  crowd.update(0.1);
  const scene = new THREE.Scene().add(crowd);
  crowd.dispose();
  crowd.dispose();
  assert.equal(scene.children.length, 0);
  fails(() => crowd.update(0), /disposed/);
  fails(() => member.time, /disposed/);
});

test('the object keeps its materials and geometries, also when it is a toon itself', async () => {
  const gltf = await cow();
  const meshes = [];
  gltf.scene.traverse((one) => one.isMesh && meshes.push(one));
  const materials = meshes.map((mesh) => mesh.material);
  const toon = await limber(gltf.scene, 'cartoon');
  const crowd = await limberCrowd(gltf, 'cartoon', { count: 2 });
  crowd.meshes.forEach((mesh, i) => assert.equal(Object.getPrototypeOf(mesh.material), materials[i]));
  crowd.dispose();
  toon.dispose();
  meshes.forEach((mesh, i) => {
    assert.equal(mesh.material, materials[i]);
    assert.ok(mesh.geometry.attributes.position.count > 0 && mesh.geometry.index);
  });
});

test('limber/webgpu has crowds as well', async () => {
  const crowd = await limberCrowdNodes(await cow(), 'cartoon', { count: 3 });
  crowd.update(0.1);
  assert.ok(crowd.meshes[0].material.positionNode);
  crowd.dispose();
});
