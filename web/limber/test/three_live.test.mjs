// Live characters: clocks, cuts, styles and positions.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as THREE from 'three';
import { limber } from '../dist/three.js';
import { sampleFile } from './kit.mjs';
import { apart, loadGlb, skinned, tube } from './three_kit.mjs';

const FLOPPY = { effects: { floppy: { linear: 0.1, angular: 0.3 } } };

/** Swings the tube for some frames, at `rate` radians per second. */
function swing(toon, bones, frames, step = 1 / 60, rate = 6) {
  for (let i = 0; i < frames; i++) {
    bones[1].rotation.z += rate * step;
    toon.update(step);
  }
}

const effect = (toon, mesh) => apart(toon.positions(mesh), skinned(mesh)) / toon.character.size;

test("a style without effects is three's own skinning, wherever the character stands", async () => {
  const parent = new THREE.Group();
  const { group, mesh, bones } = tube();
  parent.add(group);
  parent.position.set(40, -3, 7);
  parent.rotation.set(0.3, 1, 0.2);
  for (const scale of [
    [1, 1, 1],
    [100, 100, 100],
    [0.01, 0.01, 0.01],
    [-1, 1, 1],
    [2, 1, 0.5],
  ]) {
    parent.scale.set(...scale);
    const toon = await limber(group, {});
    bones[1].rotation.z += 0.4;
    bones[2].rotation.x += 0.3;
    toon.update(1 / 60);
    const size = toon.character.size * Math.max(...scale.map(Math.abs));
    assert.ok(apart(toon.positions(), skinned(mesh)) < 2e-6 * (size + 45), `${scale}`);
    toon.dispose();
  }
});

test('a parent that shears shears the character', async () => {
  const parent = new THREE.Group();
  const { group, mesh, bones } = tube();
  parent.add(group);
  parent.scale.set(1.5, 1, 0.8);
  group.rotation.z = 0.5;
  const toon = await limber(group, {});
  bones[1].rotation.z = 0.3;
  toon.update(1 / 60);
  assert.ok(apart(toon.positions(), skinned(mesh)) < 1e-5);
  toon.dispose();
});

test('meshes with matrices of their own, attached and detached', async () => {
  for (const mode of ['attached', 'detached']) {
    const { mesh, bones } = tube();
    mesh.position.set(0.3, 0, 0.1);
    mesh.scale.setScalar(mode === 'detached' ? 2 : 0.5);
    mesh.bindMode = mode;
    const toon = await limber(mesh, {});
    bones[2].rotation.x = 0.7;
    toon.update(1 / 60);
    assert.ok(apart(toon.positions(), skinned(mesh)) < 1e-5, mode);
    toon.dispose();
  }
});

test('effects do not depend on the size, place and heading of the parent', async () => {
  const results = [];
  for (const [scale, far, turn] of [
    [1, 0, 0],
    [50, 0, 0],
    [0.02, 3, 1],
    [1, 1e5, 2],
  ]) {
    const parent = new THREE.Group();
    const { group, mesh, bones } = tube();
    parent.add(group);
    parent.scale.setScalar(scale);
    parent.position.x = far;
    parent.rotation.y = turn;
    const toon = await limber(group, FLOPPY);
    swing(toon, bones, 10);
    const local = toon.positions(mesh);
    const point = new THREE.Vector3();
    for (let i = 0; i < local.length; i += 3) parent.worldToLocal(point.fromArray(local, i)).toArray(local, i);
    results.push({ local, far });
    toon.dispose();
  }
  for (const { local, far } of results.slice(1))
    assert.ok(apart(local, results[0].local) < (far > 10 ? 0.02 : 1e-4), `${far}: ${apart(local, results[0].local)}`);
});

test('a character that its parent carries is moved by it', async () => {
  const parent = new THREE.Group();
  const { group, mesh } = tube();
  parent.add(group);
  const toon = await limber(group, FLOPPY);
  for (let i = 0; i < 10; i++) {
    parent.position.x += 0.05;
    toon.update(1 / 60);
  }
  assert.ok(effect(toon, mesh) > 0.05);
  for (let i = 0; i < 60; i++) toon.update(1 / 60);
  assert.ok(effect(toon, mesh) < 1e-3);
  toon.dispose();
});

test('it may be put into a scaled parent after it was made', async () => {
  const parent = new THREE.Group();
  const { group, mesh, bones } = tube();
  parent.scale.setScalar(0.01);
  const toon = await limber(group, FLOPPY);
  swing(toon, bones, 5);
  parent.add(group);
  toon.update(1 / 60);
  assert.ok(effect(toon, mesh) / 0.01 < 1e-3, 'a new size starts at rest');
  swing(toon, bones, 8);
  assert.ok(effect(toon, mesh) > 1e-4 && effect(toon, mesh) < 0.01);
  toon.dispose();
});

test('a pause holds the shape, and it goes on afterwards', async () => {
  const { group, mesh, bones } = tube();
  const toon = await limber(group, FLOPPY);
  swing(toon, bones, 10);
  const before = toon.positions(mesh);
  assert.ok(effect(toon, mesh) > 0.02);
  for (let i = 0; i < 30; i++) toon.update(0);
  assert.ok(apart(toon.positions(mesh), before) < 1e-6);
  swing(toon, bones, 1);
  assert.ok(apart(toon.positions(mesh), before) < 0.5);
  toon.dispose();
});

test('slow motion: less speed, less effect; a slower clock for both shows the same shapes', async () => {
  const at = async (frames, step, rate) => {
    const { group, mesh, bones } = tube();
    const toon = await limber(group, FLOPPY);
    swing(toon, bones, frames, step, rate);
    const out = { positions: toon.positions(mesh), effect: effect(toon, mesh) };
    toon.dispose();
    return out;
  };
  const full = await at(12, 1 / 60, 6);
  const half = await at(24, 1 / 60, 3);
  const slow = await at(24, 1 / 120, 6);
  assert.ok(half.effect < 0.7 * full.effect);
  assert.ok(apart(slow.positions, full.positions) < 1e-3);
});

test('a tab that was away, a teleport, a clip change and time that goes back start at rest', async () => {
  const events = {
    'tab away': ({ toon, bones }) => ((bones[1].rotation.z += 2), toon.update(30)),
    teleport: ({ toon, group }) => ((group.position.x += 50), toon.update(1 / 60)),
    'clip change': ({ toon, bones }) => (bones[1].rotation.set(0, 0, -2.5), toon.update(1 / 60)),
    'time goes back': ({ toon, bones }) => ((bones[1].rotation.z += 0.1), toon.update(-1)),
    reset: ({ toon, bones }) => (toon.reset(), (bones[1].rotation.z += 1), toon.update(1 / 60)),
  };
  for (const [name, happen] of Object.entries(events)) {
    const { group, mesh, bones } = tube();
    const toon = await limber(group, FLOPPY);
    swing(toon, bones, 10);
    assert.ok(effect(toon, mesh) > 0.02);
    happen({ toon, group, bones });
    assert.ok(effect(toon, mesh) < 1e-4, `${name}: ${effect(toon, mesh)}`);
    swing(toon, bones, 10);
    assert.ok(effect(toon, mesh) > 0.02 && effect(toon, mesh) < 1, name);
    toon.dispose();
  }
});

test('no clock and no clip change makes a character explode', async () => {
  const gltf = await loadGlb(sampleFile('cow'));
  const toon = await limber(gltf.scene, 'jelly');
  const mixer = new THREE.AnimationMixer(gltf.scene);
  let seed = 1;
  let worst = 0;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < 300; i++) {
    if (random() < 0.05) {
      mixer.stopAllAction();
      mixer.clipAction(gltf.animations[Math.floor(random() * gltf.animations.length)]).play();
    }
    const step = [0, 1e-5, 1 / 240, 1 / 60, 1 / 30, 0.2, 3][Math.floor(random() * 7)];
    mixer.update(step);
    toon.update(step);
    if (i % 3 === 0) for (const mesh of toon.meshes) worst = Math.max(worst, effect(toon, mesh));
  }
  assert.ok(worst > 0.01 && worst < 1.5, `${worst} sizes`);
  toon.dispose();
});

test('steps that are no numbers are refused, and change nothing', async () => {
  const { group, mesh, bones } = tube();
  const toon = await limber(group, FLOPPY);
  swing(toon, bones, 5);
  const before = toon.positions(mesh);
  assert.throws(() => toon.update(NaN), /finite number of seconds, not NaN/);
  assert.throws(() => toon.update(Infinity), /finite number of seconds, not Infinity/);
  assert.ok(apart(toon.positions(mesh), before) < 1e-6);
  toon.dispose();
});

test('without a step the clock on the wall is taken', async (one) => {
  const { group, mesh, bones } = tube();
  const toon = await limber(group, FLOPPY);
  let now = 1000; // a fake clock, independent of the speed of the machine
  one.mock.method(performance, 'now', () => now);
  for (let i = 0; i < 6; i++, now += 15) {
    bones[1].rotation.z += 0.1;
    toon.update();
  }
  assert.ok(effect(toon, mesh) > 0.01);
  toon.dispose();
});

test('styles change in motion: patched, replaced, refused; the copy cannot be written to', async () => {
  const { group, mesh, bones } = tube();
  const toon = await limber(group, FLOPPY);
  const material = mesh.material;
  swing(toon, bones, 12);
  const full = effect(toon, mesh);
  toon.patch({ 'effects.floppy.angular': 0.1, 'effects.floppy.linear': 0 });
  assert.equal(toon.style.effects.floppy.angular, 0.1);
  const less = effect(toon, mesh);
  assert.ok(less > 0.001 && less < 0.7 * full, 'the motion goes on in another style');
  assert.throws(() => toon.patch({ 'effects.flopy.angular': 1 }), /floppy/);
  assert.throws(() => (toon.style = 'cartoony'), /there is no preset/);
  assert.equal(toon.style.effects.floppy.angular, 0.1);
  assert.throws(() => (toon.style.effects.floppy.angular = 2), TypeError);
  toon.style = {};
  assert.ok(effect(toon, mesh) < 1e-6);
  toon.style = 'jelly';
  swing(toon, bones, 3);
  assert.equal(mesh.material, material, 'no other material, so no other shader');
  toon.dispose();
});

test('what the shader cannot do is done on the CPU, with the same result', async () => {
  const make = async (compute, style) => {
    const { group, mesh, bones } = tube();
    const toon = await limber(group, style, { compute });
    swing(toon, bones, 12);
    return { toon, positions: toon.positions(mesh), places: mesh.material.customProgramCacheKey() };
  };
  const gpu = await make('auto', FLOPPY);
  const cpu = await make('cpu', FLOPPY);
  assert.deepEqual([gpu.toon.computed.on, cpu.toon.computed.on], ['gpu', 'cpu']);
  assert.ok(apart(gpu.positions, cpu.positions) < 1e-5);
  const uneven = { effects: { floppy: { angular: 0.3, twist: 'height' } } };
  const fallen = await make('auto', uneven);
  assert.equal(fallen.toon.computed.on, 'cpu');
  assert.match(fallen.toon.computed.reason, /twist/);
  await assert.rejects(make('gpu', uneven), /twist/);
  for (const { toon } of [gpu, cpu, fallen]) toon.dispose();
});

test('live smears: longer into the past, and copies that go away with the style', async () => {
  const { group, mesh, bones } = tube();
  const style = { smear: { elongate: { amount: '6 * offset * speed', past: 1 }, multiples: { past: 2, future: 1 } } };
  const toon = await limber(group, style);
  for (let i = 0; i < 20; i++) {
    group.position.x += 0.1;
    toon.update(1 / 60);
  }
  assert.equal(toon.computed.reason, 'smears');
  assert.ok(effect(toon, mesh) > 0.02);
  const smears = group.children.find((child) => child.name === 'limber smears');
  const seen = smears.children.filter((child) => child.visible);
  assert.equal(seen.length, 2); // no smears into the future
  group.updateMatrixWorld(true);
  for (const copy of seen) {
    const center = new THREE.Box3()
      .setFromBufferAttribute(copy.geometry.getAttribute('position'))
      .getCenter(new THREE.Vector3())
      .applyMatrix4(copy.matrixWorld);
    assert.ok(center.x < group.position.x - 0.05 && center.x > group.position.x - 2, 'behind');
    assert.ok(copy.material.transparent && copy.material !== mesh.material);
  }
  void bones;
  toon.patch({ 'smear.multiples.past': 0, 'smear.multiples.future': 0 });
  toon.style = {};
  assert.ok(!group.children.some((child) => child.name === 'limber smears'));
  toon.dispose();
});

/** Red where x > 0, blue where x < 0: u goes around the tube, from +z over +x. */
function twoColors(flipY) {
  const pixels = [255, 0, 0, 255, 0, 0, 255, 255];
  const map = new THREE.DataTexture(new Uint8Array([...pixels, ...pixels]), 2, 2);
  map.colorSpace = THREE.SRGBColorSpace;
  map.flipY = flipY;
  map.needsUpdate = true;
  return map;
}

/** Start and color of each line that is seen. */
function linesOf(group) {
  const lines = group.children
    .find((child) => child.name === 'limber smears')
    .children.find((child) => child.name === 'lines');
  const place = lines.geometry.getAttribute('position');
  const color = lines.geometry.getAttribute('color');
  const each = place.count / 40;
  return Array.from({ length: 40 }, (_, i) => i * each)
    .filter((at) => Math.abs(place.getZ(at + each - 2) - place.getZ(at + each - 1)) > 0.01)
    .map((at) => ({
      start: [place.getX(at + each - 2), place.getZ(at + each - 2)], // the middle of the first ring
      color: [color.getX(at), color.getY(at), color.getZ(at)],
    }));
}

test('motion lines have the color of the surface that they start from', async () => {
  for (const flipY of [false, true]) {
    const material = new THREE.MeshStandardMaterial({ map: twoColors(flipY), color: new THREE.Color(0.5, 1, 0.25) });
    const { group } = tube({ material });
    const style = { smear: { lines: { count: 40, length: -3, min_speed: 0.001, taper: 0 } } };
    const toon = await limber(group, style, { smear: { fps: 60 } });
    for (let i = 0; i < 6; i++) {
      group.position.z += 0.1;
      toon.update(1 / 60);
    }
    const lines = linesOf(group);
    assert.ok(lines.length > 20, `${lines.length} lines`);
    const wall = lines.filter(({ start: [x, z] }) => Math.hypot(x, z - 0.6) > 0.18 && Math.abs(x) > 0.02); // not the lids
    assert.ok(wall.length > 15, `${wall.length} on the wall`);
    for (const { start, color } of wall) assert.deepEqual(color, start[0] > 0 ? [0.5, 0, 0] : [0, 0, 0.25], `${start}`);
    toon.style = { smear: { lines: { ...style.smear.lines, color: '#00ff00' } } };
    group.position.z += 0.1;
    toon.update(1 / 60);
    for (const { color } of linesOf(group)) assert.deepEqual(color, [0, 1, 0]);
    toon.dispose();
  }
});

test('motion lines have the colors of vertices', async () => {
  const { group, mesh } = tube({ material: new THREE.MeshStandardMaterial({ vertexColors: true }) });
  const { count } = mesh.geometry.getAttribute('position');
  mesh.geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * count).fill(0.25), 3));
  const toon = await limber(group, { smear: { lines: { count: 40, length: -3, min_speed: 0.001 } } });
  for (let i = 0; i < 6; i++) {
    group.position.z += 0.1;
    toon.update(1 / 60);
  }
  assert.ok(linesOf(group).length > 20);
  for (const { color } of linesOf(group)) for (const part of color) assert.ok(Math.abs(part - 0.25) < 1e-6);
  toon.dispose();
});

test('a pose held still moves as it is told, stays so in another style, and lets go', async () => {
  const { group, mesh, bones } = tube();
  const still = new THREE.AnimationClip('still', 1, []);
  const toon = await limber(group, FLOPPY, { clips: [still] });
  const motion = [{ joint: 1, angular: [0, 0, 3] }];
  toon.whatIf('still', 0, motion, 0);
  assert.ok(effect(toon, mesh) < 1e-6, 'no amount, no effect');
  toon.whatIf('still', 0, motion);
  const whole = effect(toon, mesh);
  assert.ok(whole > 0.01, `it bends (${whole})`);
  toon.style = { effects: { floppy: { angular: 0.15 } } };
  const half = effect(toon, mesh);
  assert.ok(half > 0.2 * whole && half < 0.8 * whole, `half as much (${half})`);
  bones[1].rotation.z = 0.4;
  toon.update(1 / 60);
  assert.ok(effect(toon, mesh) < 1e-6, 'the first live pose is at rest');
  toon.dispose();
});
