// Characters in three.js: which meshes belong to them, unsupported input, clips, bakes, sharing, and disposal.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import test from 'node:test';
import * as THREE from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { createEngine } from '../dist/engine.js';
import { limber, limberChunk, LimberStyle, sharedEngine } from '../dist/three.js';
import { program, sampleDescription, sampleFile, temporary } from './kit.mjs';
import { apart, loadGlb, skinned, tube } from './three_kit.mjs';

const FLOPPY = { effects: { floppy: { linear: 0.1, angular: 0.3 } } };

// --- the meshes of a character ---

test('a mesh brings everything on its skeleton, and what its bones carry', async () => {
  const { group, mesh, bones } = tube();
  const stage = new THREE.Scene();
  const second = new THREE.SkinnedMesh(mesh.geometry, new THREE.MeshPhongMaterial());
  second.bind(mesh.skeleton, mesh.bindMatrix);
  const hat = new THREE.Mesh(new THREE.BoxGeometry(), new THREE.MeshLambertMaterial());
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(100, 100));
  hat.position.y = 0.5;
  bones[3].add(hat);
  group.add(second, floor);
  stage.add(group, tube().group);
  const toon = await limber(mesh, {});
  assert.equal(toon.root, group);
  assert.deepEqual(toon.meshes, [mesh, second, hat]);
  bones[2].rotation.z = 1;
  toon.update(1 / 60);
  for (const one of toon.meshes) assert.ok(apart(toon.positions(one), skinned(one)) < 1e-5);
  assert.deepEqual(toon.positions().length, 3 * (2 * mesh.geometry.getAttribute('position').count + 24));
  toon.dispose();
  for (const [rigid, count] of Object.entries({ all: 4, none: 2 })) {
    const some = await limber(group, {}, { rigid });
    assert.equal(some.meshes.length, count);
    some.dispose();
  }
});

test('a hat stays on the head that bends', async () => {
  const { group, bones } = tube();
  const hat = new THREE.Mesh(new THREE.BoxGeometry(0.1, 0.1, 0.1));
  bones[3].add(hat);
  const toon = await limber(group, FLOPPY);
  const top = toon.meshes[0].geometry.getAttribute('position');
  for (let i = 0; i < 15; i++) {
    bones[1].rotation.z += 0.1;
    toon.update(1 / 60);
  }
  const body = toon.positions(toon.meshes[0]);
  const box = toon.positions(hat);
  const mean = (points, keep) => {
    const sum = new THREE.Vector3();
    let count = 0;
    for (let u = 0; 3 * u < points.length; u++) {
      if (!keep(u)) continue;
      sum.add(new THREE.Vector3().fromArray(points, 3 * u));
      count++;
    }
    return sum.divideScalar(count);
  };
  const head = mean(body, (u) => top.getY(u) > 2.99);
  const under = mean(box, () => true);
  assert.ok(head.distanceTo(under) < 0.05, `${head.distanceTo(under)}`);
  assert.ok(
    head.distanceTo(bones[3].getWorldPosition(new THREE.Vector3())) > 0.2,
    'the head itself is not where the bone is',
  );
  toon.dispose();
});

test('bones inside of their mesh, bones with matrices by hand, and nodes between bones', async () => {
  const { mesh, bones } = tube();
  const between = new THREE.Object3D();
  mesh.removeFromParent();
  mesh.add(bones[0]);
  bones[1].add(between);
  between.add(bones[2]);
  between.rotation.x = 0.2;
  between.updateMatrix();
  between.matrixAutoUpdate = false;
  const toon = await limber(mesh, {});
  assert.equal(toon.root, mesh);
  bones[1].rotation.z = 0.5;
  toon.update(1 / 60);
  assert.ok(apart(toon.positions(), skinned(mesh)) < 1e-5);
  bones[2].matrixAutoUpdate = false;
  bones[2].matrix.makeRotationX(0.8).setPosition(0, 1.2, 0);
  bones[2].matrixWorldNeedsUpdate = true;
  toon.update(1 / 60);
  assert.ok(bones[2].matrixWorldNeedsUpdate, "three's own mark stays");
  assert.ok(apart(toon.positions(), skinned(mesh)) < 1e-5);
  toon.dispose();
});

test('layers come from attributes, weights that do not add up to one are taken as three would, interleaved arrays are read', async () => {
  const { group, mesh, bones } = tube();
  const { geometry } = mesh;
  const { count } = geometry.getAttribute('position');
  geometry.setAttribute('_limber_floppy', new THREE.BufferAttribute(new Float32Array(count).fill(0), 1));
  const buffer = new THREE.InterleavedBuffer(new Float32Array(8 * count), 8);
  const weights = geometry.getAttribute('skinWeight');
  for (let u = 0; u < count; u++) buffer.set([weights.getX(u), weights.getY(u), 0, 0], 8 * u + 4);
  geometry.setAttribute('skinWeight', new THREE.InterleavedBufferAttribute(buffer, 4, 4));
  const toon = await limber(group, { effects: { floppy: { angular: 0.4, layer: 'floppy' } } });
  assert.deepEqual(toon.warnings, []);
  assert.deepEqual(toon.character.meshes[0].layers, ['floppy']);
  for (let i = 0; i < 10; i++) {
    bones[1].rotation.z += 0.1;
    toon.update(1 / 60);
  }
  assert.ok(apart(toon.positions(), skinned(mesh)) < 1e-5, 'the layer says 0 everywhere');
  toon.patch({ 'effects.floppy.layer': 'nothing' });
  assert.match(toon.warnings.join(), /no mesh has the layer 'nothing'/);
  toon.dispose();
});

test('morph targets come before the skin, relative and absolute', async () => {
  for (const relative of [true, false]) {
    const { group, mesh, bones } = tube();
    const { geometry } = mesh;
    const base = geometry.getAttribute('position');
    const target = base.clone();
    for (let u = 0; u < base.count; u++)
      target.setXYZ(
        u,
        (relative ? 0 : base.getX(u)) + 0.3,
        relative ? 0 : base.getY(u),
        relative ? 0.1 : base.getZ(u) + 0.1,
      );
    geometry.morphAttributes.position = [target];
    geometry.morphTargetsRelative = relative;
    mesh.updateMorphTargets();
    for (const compute of ['auto', 'cpu']) {
      const toon = await limber(group, {}, { compute });
      mesh.morphTargetInfluences[0] = 0.7;
      bones[1].rotation.z = 0.4;
      toon.update(1 / 60);
      assert.ok(apart(toon.positions(), skinned(mesh)) < 1e-5);
      toon.dispose();
    }
  }
});

// --- unsupported input ---

test('what cannot work says so', async () => {
  const refuse = (object, pattern, style = {}) => assert.rejects(limber(object, style), pattern);
  await refuse(new THREE.Group(), /there is no mesh in 'Group'/);
  await refuse(
    new THREE.InstancedMesh(new THREE.BoxGeometry(), new THREE.MeshBasicMaterial(), 3),
    /mesh 'Mesh': instances cannot be deformed individually; use limberCrowd\(\).*SkeletonUtils\.clone/,
  );
  const instanced = tube();
  instanced.mesh.isInstancedMesh = true;
  await refuse(instanced.group, /instances/);
  await refuse(new THREE.SkinnedMesh(new THREE.BoxGeometry()), /no skeleton|skinIndex/);
  const shader = tube({ material: new THREE.ShaderMaterial({ name: 'Glow' }) });
  await refuse(shader.group, /mesh 'Tube', material 'Glow': the shader has no place for limber: .*limberChunk/);
  const node = tube();
  node.mesh.material.isNodeMaterial = true;
  await refuse(node.group, /node material/);
  const many = tube();
  const { geometry } = many.mesh;
  const { count } = geometry.getAttribute('position');
  geometry.setAttribute('weights_1', new THREE.BufferAttribute(new Float32Array(4 * count).fill(0.1), 4));
  await refuse(many.group, /mesh 'Tube': some vertices have more than 4 influences/);
  const bare = tube();
  bare.mesh.geometry.deleteAttribute('skinWeight');
  await refuse(bare.group, /mesh 'Tube': the mesh has no skinIndex and skinWeight/);
  const stray = tube();
  stray.bones[0].removeFromParent();
  await refuse(stray.mesh, /have no common ancestor/);
  await refuse(stray.group, /bone 'Bone0': the bone is not inside 'Character'/);
  await refuse(tube().group.clone(), /bone 'Bone0': .*copy characters with SkeletonUtils\.clone/);
  await refuse(tube().group, /floppy/, { effects: { flopy: {} } });
});

test('a failed attempt leaves the character as it was, and takes nothing', async () => {
  const { group, mesh } = tube();
  const second = new THREE.SkinnedMesh(mesh.geometry, new THREE.ShaderMaterial());
  second.bind(mesh.skeleton, mesh.bindMatrix);
  group.add(second);
  const before = { ...mesh };
  await assert.rejects(limber(group, {}), /ShaderMaterial/);
  assert.deepEqual(
    Object.keys(mesh).filter((key) => mesh[key] !== before[key]),
    [],
  );
  second.material = mesh.material;
  (await limber(group, {})).dispose();
});

test('the first frame refuses other renderers, and the hook is gone after it', async () => {
  const { group, mesh } = tube();
  let called = 0;
  const mine = () => called++;
  mesh.onBeforeRender = mine;
  const toon = await limber(group, {});
  assert.throws(() => mesh.onBeforeRender({ isWebGPURenderer: true }), /mesh 'Tube': .*'limber\/webgpu'/);
  assert.equal(mesh.onBeforeRender, mine);
  toon.dispose();
  const again = await limber(group, {});
  mesh.onBeforeRender({ isWebGLRenderer: true, capabilities: {} });
  assert.equal(called, 1);
  assert.equal(mesh.onBeforeRender, mine);
  again.dispose();
  assert.equal(mesh.onBeforeRender, mine);
});

// --- materials ---

const compile = (material) => {
  const library =
    THREE.ShaderLib[
      { MeshStandardMaterial: 'physical', MeshBasicMaterial: 'basic', MeshDepthMaterial: 'depth' }[material.type]
    ];
  const shader = { uniforms: {}, vertexShader: library.vertexShader, fragmentShader: library.fragmentShader };
  material.onBeforeCompile(shader, {});
  return shader;
};

test('a stand-in follows its material, keeps its hooks, and dispose gives everything back', async () => {
  const material = new THREE.MeshStandardMaterial({ color: 'red' });
  const seen = [];
  material.onBeforeCompile = (shader) => seen.push(shader);
  material.customProgramCacheKey = () => 'mine';
  const { group, mesh } = tube({ material });
  const depth = new THREE.MeshDepthMaterial();
  mesh.customDepthMaterial = depth;
  mesh.computeBoundingSphere();
  const before = { ...mesh };
  const toon = await limber(group, FLOPPY);
  assert.notEqual(mesh.material, material);
  assert.ok(
    mesh.material.isMeshStandardMaterial && mesh.material.id !== material.id && mesh.material.uuid !== material.uuid,
  );
  assert.match(mesh.material.customProgramCacheKey(), /mine limber/);
  const shader = compile(mesh.material);
  assert.equal(seen.length, 1);
  assert.match(shader.vertexShader, /limber_deform/);
  assert.ok(!shader.vertexShader.includes('<skinning_vertex>') && shader.uniforms.limber_texture);
  assert.match(compile(mesh.customDepthMaterial).vertexShader, /limber_deform/);
  material.opacity = 0.5;
  material.color.set('blue');
  const { version } = mesh.material;
  material.needsUpdate = true;
  assert.equal(mesh.material.opacity, 0.5);
  assert.equal(mesh.material.version, version + 1);
  toon.dispose();
  toon.dispose();
  assert.deepEqual(
    Object.keys(mesh).filter((key) => mesh[key] !== before[key]),
    [],
  );
  assert.equal(compile(mesh.material).vertexShader, THREE.ShaderLib.physical.vertexShader);
  assert.throws(() => toon.update(0), /disposed/);
});

test('materials may be arrays, shared, and changed later', async () => {
  const shared = new THREE.MeshStandardMaterial();
  const other = new THREE.MeshBasicMaterial();
  const { group, mesh } = tube();
  const bystander = new THREE.Mesh(mesh.geometry, shared);
  mesh.geometry.clearGroups();
  mesh.geometry.addGroup(0, 30, 0);
  mesh.geometry.addGroup(30, Infinity, 1);
  mesh.material = [shared, other];
  const toon = await limber(group, {});
  assert.equal(mesh.material.length, 2);
  assert.ok(Object.getPrototypeOf(mesh.material[0]) === shared && Object.getPrototypeOf(mesh.material[1]) === other);
  assert.equal(bystander.material, shared);
  const late = new THREE.MeshToonMaterial();
  mesh.material = late;
  toon.update(1 / 60);
  assert.equal(Object.getPrototypeOf(mesh.material), late);
  toon.dispose();
  assert.equal(mesh.material, late);
});

test("shaders of one's own work with three's chunks or with limber's", async () => {
  const chunks = new THREE.ShaderMaterial({
    uniforms: { mine: { value: 1 } },
    vertexShader: THREE.ShaderLib.basic.vertexShader,
    fragmentShader: 'void main() {}',
  });
  const own = new THREE.ShaderMaterial({
    vertexShader: `${limberChunk}\nvoid main() { vec3 p = position, n = normal; limber(p, n); gl_Position = vec4(p, 1.0); }`,
    fragmentShader: 'void main() {}',
  });
  for (const material of [chunks, own]) {
    const { group, mesh } = tube({ material });
    const toon = await limber(group, {});
    assert.ok(mesh.material.uniforms.limber_texture && !material.uniforms.limber_texture);
    if (material === chunks) assert.equal(mesh.material.uniforms.mine, chunks.uniforms.mine);
    toon.dispose();
  }
});

test('an onBeforeCompile that leaves no place for limber is named', async () => {
  const material = new THREE.MeshStandardMaterial({ name: 'Skin' });
  material.onBeforeCompile = (shader) =>
    (shader.vertexShader = shader.vertexShader.replace('#include <skinning_vertex>', ''));
  const { group, mesh } = tube({ material });
  const toon = await limber(group, {});
  assert.throws(() => compile(mesh.material), /mesh 'Tube', material 'Skin': onBeforeCompile removes/);
  toon.dispose();
});

test('bounds follow the bones with room for effects', async () => {
  const { group, mesh, bones } = tube();
  const toon = await limber(group, 'jelly');
  for (let i = 0; i < 30; i++) {
    bones[0].position.x += 0.1;
    bones[1].rotation.z += 0.1;
    toon.update(1 / 60);
    const sphere = mesh.boundingSphere.clone().applyMatrix4(mesh.matrixWorld);
    const points = toon.positions();
    const point = new THREE.Vector3();
    for (let k = 0; k < points.length; k += 3)
      assert.ok(sphere.containsPoint(point.fromArray(points, k)), `frame ${i}`);
    assert.ok(sphere.radius < 4 * toon.character.size);
  }
  toon.dispose();
});

// --- clips ---

const skinnedAt = (gltf, clip, time_s, meshes) => {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(clip).play();
  mixer.setTime(time_s);
  return meshes.map((mesh) => skinned(mesh));
};

// `edits`: the style changes the clip, so that the bones go elsewhere than three.js takes them.
async function checkExact(style, edits) {
  const file = sampleFile('cow');
  const gltf = await loadGlb(file);
  const folder = temporary('cow dump');
  const clip = gltf.animations[0];
  execFileSync(program, ['dump', file, '--style', style, '--clip', clip.name, '--quiet', '-o', folder]);
  const manifest = JSON.parse(fs.readFileSync(`${folder}/manifest.json`));
  const bytes = fs.readFileSync(`${folder}/deformed.npy`);
  const head = 10 + bytes.readUInt16LE(8);
  const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset + head, bytes.byteOffset + bytes.length));
  const toon = await limber(gltf.scene, style, { clips: gltf.animations });
  const vertices = toon.character.vertexCount;
  const frame = 7;
  gltf.scene.position.set(5, 1, 2);
  toon.exact(0, frame / manifest.fps);
  const expected = numbers.slice(3 * vertices * frame, 3 * vertices * (frame + 1));
  const got = toon.positions();
  for (let i = 0; i < got.length; i++) got[i] -= [5, 1, 2][i % 3];
  assert.ok(apart(got, expected) < 1e-4 * manifest.size, `${apart(got, expected)} of ${manifest.size}`);
  const posed = toon.meshes.map((mesh) => skinned(mesh));
  const plain = skinnedAt(gltf, clip, frame / manifest.fps, toon.meshes);
  const off = Math.max(...posed.map((mesh, i) => apart(mesh, plain[i]))) / manifest.size;
  assert.ok(edits ? off > 1e-3 : off < 1e-4, `${off}`);
  assert.throws(() => toon.exact('nothing', 0), /there is no clip 'nothing'/);
  toon.dispose();
}

test('exact frames are those of the command line, and the bones are posed', () => checkExact('as-drag', false));

test('exact frames have the poses that the style makes of a clip', () => checkExact('cartoon', true));

test('tracks of three.js are understood: cubic ones, smooth ones, single morph targets; others are named', async () => {
  const { group, mesh, bones } = tube();
  const { geometry } = mesh;
  const target = geometry.getAttribute('position').clone();
  target.array.fill(0.2);
  geometry.morphAttributes.position = [target, target.clone()];
  geometry.morphTargetsRelative = true;
  mesh.updateMorphTargets();
  mesh.morphTargetDictionary = { smile: 0, frown: 1 };
  const smooth = new THREE.VectorKeyframeTrack(
    'Bone1.position',
    [0, 0.5, 1],
    [0, 1, 0, 0.5, 1, 0, 0, 1.3, 0],
    THREE.InterpolateSmooth,
  );
  const clip = new THREE.AnimationClip('all', -1, [
    smooth,
    new THREE.QuaternionKeyframeTrack('Bone2.quaternion', [0, 1], [0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2]),
    new THREE.VectorKeyframeTrack('Bone3.scale', [0, 0.4], [1, 1, 1, 2, 2, 2], THREE.InterpolateDiscrete),
    new THREE.NumberKeyframeTrack('Tube.morphTargetInfluences[frown]', [0, 1], [0, 1]),
    new THREE.NumberKeyframeTrack('Bone0.rotation[y]', [0, 1], [0, 1]),
    new THREE.ColorKeyframeTrack('Tube.material.color', [0, 1], [0, 0, 0, 1, 1, 1]),
  ]);
  const toon = await limber(group, {});
  const mixer = new THREE.AnimationMixer(group);
  for (const time of [0.1, 0.45, 0.8]) {
    toon.exact(clip, time);
    const got = toon.positions();
    assert.ok(Math.abs(mesh.morphTargetInfluences[1] - time) < 1e-5);
    mixer
      .clipAction(new THREE.AnimationClip('some', -1, clip.tracks.slice(0, 4)))
      .setLoop(THREE.LoopOnce)
      .play();
    mixer.setTime(time);
    assert.ok(apart(got, skinned(mesh)) < 2e-3, `${time}: ${apart(got, skinned(mesh))}`);
    mixer.stopAllAction();
    bones.forEach(
      (bone, i) => bone.position.set(0, i ? 1 : 0, 0) && bone.quaternion.identity() && bone.scale.setScalar(1),
    );
  }
  assert.match(toon.warnings.join(), /clip 'all': exact frames and bakes ignore the track 'Bone0.rotation\[y\]'/);
  toon.dispose();
});

test('a style may correct contacts of a clip by its name; live poses go on without', async () => {
  const gltf = await loadGlb(sampleFile('cow'));
  const [clip] = gltf.animations;
  const toon = await limber(gltf.scene, {}, { clips: gltf.animations });
  toon.style = { contact: 1, contacts: [{ joint: '*', clip: clip.name, amount: 0 }] };
  toon.exact(0, 0.4);
  const { pipeline, clip: index } = toon.exactPipeline(0);
  const holds = pipeline.holds(index);
  assert.deepEqual(holds.contacts, []);
  holds.dispose();
  toon.update(1 / 60);
  toon.style = { contact: 1, contacts: [{ joint: '*', clip: 'no clip of this name', amount: 0 }] };
  assert.throws(() => toon.exact(0, 0.4), /no clip of this name/);
  toon.dispose();
});

test('a style may hold moments of a clip by its name; live poses go on without', async () => {
  const gltf = await loadGlb(sampleFile('cow'));
  const [clip] = gltf.animations;
  const toon = await limber(gltf.scene, {}, { clips: gltf.animations });
  const holds = [{ clip: clip.name, at: 0.4, length: 0.2 }];
  toon.style = { timing: { holds } };
  toon.exact(0, 0.4);
  const { pipeline, clip: index } = toon.exactPipeline(0);
  assert.equal(pipeline.performance(index).holds, 1);
  const passed = pipeline.sourceTime(index, 0.44) - pipeline.sourceTime(index, 0.36);
  assert.ok(passed < 0.06, `${passed} s of the plain clip pass in 0.08 s`);
  assert.deepEqual(toon.style.timing.holds, holds);
  toon.update(1 / 60);
  toon.style = { timing: { holds: [{ ...holds[0], clip: 'no clip of this name' }] } };
  toon.update(1 / 60);
  assert.throws(() => toon.exact(0, 0.4), /no clip of this name/);
  toon.dispose();
});

test('exaggerated clips and smears into the future work in exact frames', async () => {
  const gltf = await loadGlb(sampleFile('cow'));
  const toon = await limber(gltf.scene, {}, { clips: gltf.animations });
  const [mesh] = toon.meshes;
  toon.exact(0, 0.4);
  const plain = toon.positions(mesh);
  toon.style = { exaggerate: { filter: { amount: 0.8, sigma: 0.1 } } };
  const edited = toon.positions(mesh);
  assert.ok(apart(plain, edited) > 1e-3 * toon.character.size, 'the moment that is shown takes the style');
  assert.ok(apart(edited, skinned(mesh)) < 1e-4 * toon.character.size, 'bones go with it');
  toon.style = { smear: { multiples: { past: 1, future: 1 }, lines: { count: 12 } } };
  toon.exact(0, 0.4, { fps: 24 });
  const smears = gltf.scene.children.find((child) => child.name === 'limber smears');
  assert.ok(smears.children.length > 2 * toon.meshes.length && smears.children.some((child) => child.name === 'lines'));
  toon.update(1 / 60);
  toon.dispose();
  assert.ok(!gltf.scene.children.some((child) => child.name === 'limber smears'));
});

test('ribbons and strokes of the preset smear are a mesh in the page, in exact frames and live', async () => {
  const gltf = await loadGlb(sampleFile('toon'));
  const toon = await limber(gltf.scene, 'smear', { clips: gltf.animations });
  const swing = gltf.animations.findIndex((clip) => clip.name === 'swing');
  const ribbons = () =>
    gltf.scene.children
      .find((child) => child.name === 'limber smears')
      ?.children.find((mesh) => mesh.name === 'ribbons');
  const size = () => {
    const mesh = ribbons();
    if (!mesh?.visible) return 0;
    return new THREE.Box3()
      .setFromBufferAttribute(mesh.geometry.getAttribute('position'))
      .getSize(new THREE.Vector3())
      .length();
  };
  toon.exact(swing, 1, { fps: 24 });
  assert.ok(size() > 0.2 * toon.character.size, 'the umbrella leaves a crescent');
  assert.ok(ribbons().material.transparent && ribbons().geometry.getAttribute('color').itemSize === 4);
  toon.exact(swing, 2, { fps: 24 });
  assert.equal(size(), 0, 'the held pose is clean');
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[swing]).play();
  const seen = [];
  for (let i = 0; i < 120; i++) {
    mixer.update(1 / 60);
    toon.update(1 / 60);
    seen.push(size() > 0.2 * toon.character.size);
  }
  assert.ok(seen.slice(50, 66).some(Boolean), 'the swing');
  assert.ok(!seen.slice(90).some(Boolean), 'the pose that is held after it');
  toon.dispose();
});

// --- bakes ---

for (const kind of ['corrective', 'vertex'])
  test(`a ${kind} bake is played by three.js alone`, async () => {
    const gltf = await loadGlb(sampleFile('cylinder'));
    const toon = await limber(gltf.scene, 'jelly', { clips: gltf.animations });
    const materials =
      gltf.scene.getObjectByProperty('isMesh', true) && toon.meshes.map((mesh) => Object.getPrototypeOf(mesh.material));
    gltf.scene.position.x = 2;
    const baked = toon.bake(0, { kind });
    const mixer = new THREE.AnimationMixer(baked.object);
    mixer.clipAction(baked.clip).play();
    const { times } = baked.bake.tracks[0];
    let moved = 0;
    for (const i of [3, 11, 17]) {
      mixer.setTime(times[i]);
      baked.object.updateMatrixWorld(true);
      toon.exact(0, times[i]);
      toon.meshes.forEach((mesh, m) => {
        assert.ok(apart(skinned(baked.meshes[m]), toon.positions(mesh)) < 2e-4 * toon.character.size, `frame ${i}`);
        moved = Math.max(moved, apart(skinned(mesh), toon.positions(mesh)));
      });
    }
    assert.ok(moved > 0.01 * toon.character.size);
    assert.deepEqual(
      baked.meshes.map((mesh) => mesh.material),
      materials,
    );
    const small = toon.bake(0, { kind, tolerance: 2 });
    assert.ok(small.meshes[0].morphTargetInfluences.length < baked.meshes[0].morphTargetInfluences.length);
    toon.dispose();
  });

test('a bake keeps morph targets that were there, and an edited skeleton', async () => {
  const { group, mesh } = tube();
  const { geometry } = mesh;
  const target = geometry.getAttribute('position').clone();
  target.array.fill(0.2);
  geometry.morphAttributes.position = [target];
  geometry.morphTargetsRelative = true;
  mesh.updateMorphTargets();
  const times = Array.from({ length: 31 }, (_, i) => i / 30);
  const clip = new THREE.AnimationClip('wave', -1, [
    new THREE.QuaternionKeyframeTrack(
      'Bone1.quaternion',
      times,
      times.flatMap((t) => new THREE.Quaternion().setFromEuler(new THREE.Euler(0, 0, Math.sin(6 * t))).toArray()),
    ),
    new THREE.NumberKeyframeTrack('Tube.morphTargetInfluences', [0, 1], [0, 1]),
  ]);
  for (const style of [FLOPPY, { ...FLOPPY, exaggerate: { filter: { amount: 0.7, sigma: 0.1 } } }]) {
    const toon = await limber(group, style);
    const baked = toon.bake(clip);
    const mixer = new THREE.AnimationMixer(baked.object);
    mixer.clipAction(baked.clip).play();
    for (const i of [4, 20]) {
      mixer.setTime(times[i]);
      baked.object.updateMatrixWorld(true);
      toon.exact(clip, times[i]);
      assert.ok(apart(skinned(baked.meshes[0]), toon.positions()) < 5e-4 * toon.character.size, `${i}`);
    }
    toon.dispose();
  }
});

// --- files ---

test('the style of a file is worn, with the plugin and without', async () => {
  const styled = temporary('styled.glb');
  const { json, binary } = (await import('./glb.mjs')).readChunks(sampleFile('cylinder'));
  json.extensionsUsed = [...(json.extensionsUsed ?? []), 'LIMBER_style'];
  json.scenes[0].extensions = { LIMBER_style: { limber: 1, effects: { squash: { linear: 0.25 } } } };
  const text = Buffer.from(JSON.stringify(json).padEnd(4 * Math.ceil(JSON.stringify(json).length / 4)));
  const chunk = (type, data) => Buffer.concat([Buffer.from(new Uint32Array([data.length, type]).buffer), data]);
  const body = Buffer.concat([chunk(0x4e4f534a, text), chunk(0x004e4942, binary)]);
  fs.writeFileSync(
    styled,
    Buffer.concat([Buffer.from(new Uint32Array([0x46546c67, 2, 12 + body.length]).buffer), body]),
  );
  for (const plugins of [[(parser) => new LimberStyle(parser)], []]) {
    const gltf = await loadGlb(styled, plugins);
    const toon = await limber(gltf.scene);
    assert.equal(toon.style.effects.squash.linear, 0.25);
    toon.dispose();
    const other = await limber(gltf.scene, 'jelly');
    assert.notEqual(other.style.effects.squash?.linear, 0.25);
    other.dispose();
  }
  const plain = await limber((await loadGlb(sampleFile('cylinder'))).scene);
  const engine = await sharedEngine();
  assert.deepEqual(plain.style, engine.parseStyle('cartoon'));
  plain.dispose();
});

// --- sharing and disposal ---

test('clones share the character, and each has its own motion and style', async () => {
  const { group, mesh, bones } = tube();
  const engine = await sharedEngine();
  const first = await limber(group, FLOPPY);
  const twin = clone(group);
  const second = await limber(twin, FLOPPY);
  const twinMesh = twin.getObjectByName('Tube');
  twin.position.x = 3;
  assert.equal(second.character, first.character);
  for (let i = 0; i < 10; i++) {
    bones[1].rotation.z += 0.1;
    first.update(1 / 60);
    second.update(1 / 60);
  }
  assert.ok(apart(first.positions(), skinned(mesh)) > 0.1);
  assert.ok(apart(second.positions(), skinned(twinMesh)) < 1e-4);
  second.style = 'jelly';
  assert.deepEqual(first.style.effects, engine.parseStyle(FLOPPY).effects);
  first.dispose();
  second.update(1 / 60);
  assert.ok(second.positions().every(Number.isFinite));
  second.dispose();
});

test('characters come and go, and the module does not grow', async () => {
  const engine = await sharedEngine();
  const gltf = await loadGlb(sampleFile('cow'));
  const round = async (style) => {
    const toon = await limber(gltf.scene, style, { clips: gltf.animations });
    toon.update(1 / 60);
    toon.style = 'smear';
    toon.update(1 / 60);
    toon.exact(0, 0.2);
    toon.dispose();
  };
  for (let i = 0; i < 5; i++) await round('cartoon');
  const before = engine.memoryBytes;
  for (let i = 0; i < 40; i++) await round(i % 2 ? 'cartoon' : 'jelly');
  assert.equal(engine.memoryBytes, before);
});

/** Counts how often a function of an engine's module is called. */
function counted(engine, name) {
  const call = engine.heap.wasm[name];
  const found = { count: 0 };
  engine.heap.wasm[name] = (...args) => (found.count++, call(...args));
  return found;
}

test('an engine goes on with what another one has made, and makes nothing again', async () => {
  const show = async (engine) => {
    const { scene, animations } = await loadGlb(sampleFile('dog'));
    const toon = await limber(scene, 'cartoon', { engine, clips: animations });
    toon.exact(0, 0.3);
    return toon;
  };
  const maker = await createEngine();
  const first = await show(maker);
  const state = structuredClone(maker.state());
  const other = await createEngine();
  for (let end = state.bytes; end > 0; end -= Math.min(1 << 20, end))
    other.write(Math.max(end - (1 << 20), 0), maker.memory(Math.max(end - (1 << 20), 0), end));
  other.resume(state);
  const made = ['builder_finish', 'pipeline_create', 'live_create'].map((name) => counted(other, name));
  const second = await show(other);
  assert.deepEqual(
    made.map(({ count }) => count),
    [0, 0, 0],
  );
  assert.deepEqual(second.positions(), first.positions());
  for (const toon of [first, second]) toon.update(1 / 60);
  assert.deepEqual(second.positions(), first.positions());
  second.style = 'jelly';
  assert.ok(made[1].count > 0);
  second.exact(0, 0.3);
  first.style = 'jelly';
  first.exact(0, 0.3);
  assert.deepEqual(second.positions(), first.positions());
  second.dispose();
  assert.equal(other.state().characters.length, 0);
  first.dispose();
});

/** An engine with a copy of all that another one has made. */
async function copyOf(maker) {
  const state = structuredClone(maker.state());
  const other = await createEngine();
  other.write(0, maker.memory(0, state.bytes));
  other.resume(state);
  return other;
}

test('a character wears a style that another engine has made, and makes nothing itself', async () => {
  const show = async (engine, style) => {
    const { scene, animations } = await loadGlb(sampleFile('dog'));
    const toon = await limber(scene, style, { engine, clips: animations });
    toon.exact(0, 0.3);
    return toon;
  };
  const [maker, page] = [await createEngine(), await createEngine()];
  const [away, here] = [await show(maker, 'cartoon'), await show(page, 'cartoon')];
  away.style = 'jelly';
  const other = await copyOf(maker);
  const made = ['builder_finish', 'pipeline_create', 'live_create'].map((name) => counted(other, name));
  here.resume(other, 'jelly');
  here.exact(0, 0.3);
  assert.deepEqual(
    made.map(({ count }) => count),
    [0, 0, 0],
  );
  assert.deepEqual(here.positions(), away.positions());
  assert.equal(page.state().characters.length, 0, 'the engine before it is free');
  assert.throws(() => here.resume(other, { joints: { Nobody: { floppy: 2 } } }), /Nobody/);
  assert.equal(JSON.stringify(here.style), JSON.stringify(away.style), 'it keeps its style');
  for (const toon of [here, away]) {
    toon.update(1 / 60);
    toon.dispose();
  }
});

test('the order of joints comes along with what another engine has made, for clones too', async () => {
  const show = async (engine, { group, mesh }, also) => {
    const { bones } = mesh.skeleton;
    const moves = new THREE.VectorKeyframeTrack(`${bones.at(-1).name}.position`, [0, 1], [0, 1, 0, 0, 2, 0]);
    const clips = [new THREE.AnimationClip('loose', 1, [moves])];
    const toons = [await limber(group, FLOPPY, { engine, clips })];
    toons[0].exact(0, 0.4);
    if (also) toons.push(await limber(also, {}, { engine, clips }));
    return toons;
  };
  const maker = await createEngine();
  const builds = counted(maker, 'builder_finish');
  const [first] = await show(maker, tube());
  assert.equal(builds.count, 3, 'with clips, without, and once to find the order');
  const other = await copyOf(maker);
  const again = counted(other, 'builder_finish');
  const second = tube();
  const toons = await show(other, second, clone(second.group));
  assert.equal(again.count, 0);
  assert.deepEqual(toons[0].positions(), first.positions());
  for (const toon of [first, ...toons]) toon.dispose();
});

test('a style is checked against a character without making a pipeline', async () => {
  const engine = await createEngine();
  const character = engine.character(sampleDescription('dog'));
  const made = counted(engine, 'pipeline_create');
  character.expectStyle('cartoon');
  assert.throws(() => character.expectStyle({ joints: { Nobody: { floppy: 2 } } }), /no joint matches 'Nobody'/);
  assert.throws(() => character.expectStyle({ strength: 'a' }), /strength/);
  assert.equal(made.count, 0);
  character.dispose();
});

test('a character that another engine has made of something else is not taken', async () => {
  const maker = await createEngine();
  const { group } = tube();
  const first = await limber(group, FLOPPY, { engine: maker });
  const state = maker.state();
  const other = await createEngine();
  other.write(0, maker.memory(0, state.bytes));
  other.resume(state);
  const { scene, animations } = await loadGlb(sampleFile('dog'));
  const toon = await limber(scene, FLOPPY, { engine: other, clips: animations });
  assert.notEqual(toon.character.vertexCount, first.character.vertexCount);
  toon.exact(0, 0.2);
  assert.ok(toon.positions().every(Number.isFinite));
  assert.equal(other.state().characters.length, 2); // with clips and without
  toon.dispose();
  first.dispose();
});

test('what a program writes to a material stays when the Toon goes', async () => {
  const { group, mesh } = tube();
  const original = mesh.material;
  const toon = await limber(group, 'cartoon');
  const color = new THREE.Color('red');
  mesh.material.color = color;
  mesh.material.opacity = 0.5;
  toon.update(1 / 60);
  assert.equal(original.color, color, 'the next frame hands it on, so that others with this material have it, too');
  assert.equal(mesh.material.opacity, 0.5);
  mesh.material.wireframe = true; // no frame follows
  toon.dispose();
  assert.equal(mesh.material, original);
  assert.deepEqual([original.opacity, original.wireframe], [0.5, true]);
  assert.equal(original.customProgramCacheKey, THREE.Material.prototype.customProgramCacheKey);
});

test('a mesh that comes onto a bone later is named in the warnings', async () => {
  const { group, bones } = tube();
  const toon = await limber(group, 'cartoon');
  const hat = new THREE.Mesh(new THREE.BoxGeometry());
  hat.name = 'Hat';
  bones[1].add(new THREE.Group().add(hat));
  bones[1].add(new THREE.Object3D());
  assert.deepEqual(
    toon.warnings.filter((one) => /Hat/.test(one)),
    ["'Hat' came to 'Bone1' after limber() and is not deformed; dispose of the Toon and call limber() again"],
  );
  toon.dispose();
  const { length } = toon.warnings;
  bones[0].add(new THREE.Mesh(new THREE.BoxGeometry()));
  assert.equal(toon.warnings.length, length, 'and no longer when it is gone');
});

test('rays meet the deformed surface', async () => {
  const { group, mesh, bones } = tube();
  group.position.x = 3;
  const toon = await limber(group, { effects: { floppy: { angular: 0.4 } } });
  for (let i = 0; i < 12; i++) {
    bones[1].rotation.z = 0.15 * i;
    toon.update(1 / 30);
  }
  group.updateMatrixWorld(true);
  const places = toon.positions();
  const plain = skinned(mesh);
  let u = 0; // the vertex that the effects have moved farthest
  const moved = (v) => Math.hypot(...[0, 1, 2].map((c) => places[3 * v + c] - plain[3 * v + c]));
  for (let v = 1; v < places.length / 3; v++) if (moved(v) > moved(u)) u = v;
  assert.ok(moved(u) > 0.05, 'there is a difference to see');
  const at = new THREE.Vector3().fromArray(places, 3 * u);
  const from = new THREE.Vector3(at.x, at.y, at.z + 10);
  const middle = new THREE.Vector3();
  for (let v = 0; v < places.length; v += 3) middle.add(new THREE.Vector3().fromArray(places, v));
  at.lerp(middle.multiplyScalar(3 / places.length), 0.02); // a little inside
  const raycaster = new THREE.Raycaster(from, at.clone().sub(from).normalize());
  const [hit] = toon.raycast(raycaster);
  assert.equal(hit?.object, mesh);
  assert.ok(hit.point.distanceTo(at) < 0.3, 'near the vertex');
  const near = (a) => Math.min(...Array.from({ length: a.length / 3 }, (_, v) => hit.point.distanceTo(new THREE.Vector3().fromArray(a, 3 * v)))); // prettier-ignore
  assert.ok(near(places) < near(plain), 'on the deformed surface, not on the plain one');
  raycaster.ray.direction.negate();
  assert.deepEqual(toon.raycast(raycaster), []);
  toon.dispose();
});
