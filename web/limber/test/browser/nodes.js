// Runs in the page: characters drawn by WebGPURenderer, and what its vertex shader makes of their vertices.
import * as THREE from 'three/webgpu';
import {
  instanceIndex,
  modelWorldMatrix,
  normalLocal,
  positionLocal,
  uniform,
  varying,
  vec4,
  vertexIndex,
} from 'three/tsl';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { limber, limberCrowd } from 'limber/webgpu';

const WIDTH = 256;
const renderers = {};

async function rendererOf(backend) {
  if (!renderers[backend]) {
    const renderer = new THREE.WebGPURenderer({ antialias: false, forceWebGL: backend === 'webgl' });
    await renderer.init();
    if ((renderer.backend.isWebGPUBackend === true) !== (backend === 'webgpu')) throw new Error(`no ${backend} here`);
    renderers[backend] = renderer;
  }
  return renderers[backend];
}

/** A material that draws each vertex as one pixel with its position or normal. */
export function telling(what, backend) {
  const material = new THREE.MeshBasicNodeMaterial({ blending: THREE.NoBlending, depthTest: false, depthWrite: false });
  const x = vertexIndex
    .mod(WIDTH)
    .toFloat()
    .add(0.5)
    .div(WIDTH / 2)
    .sub(1);
  const up = vertexIndex
    .div(WIDTH)
    .toFloat()
    .add(0.5)
    .div(WIDTH / 2)
    .sub(1);
  const y = backend === 'webgpu' ? up.negate() : up; // where the first row of a picture is
  material.vertexNode = vec4(x, y, 0, 1);
  const place = modelWorldMatrix.mul(vec4(positionLocal, 1)).xyz;
  material.fragmentNode = vec4(varying(what === 'normal' ? normalLocal : place), 1);
  return material;
}

const targets = new WeakMap(); // one per renderer
const newTarget = () =>
  new THREE.RenderTarget(WIDTH, WIDTH, {
    type: THREE.FloatType,
    minFilter: THREE.NearestFilter,
    magFilter: THREE.NearestFilter,
    depthBuffer: false,
  });

async function readMesh(renderer, scene, mesh) {
  const target = targets.get(renderer) ?? newTarget();
  targets.set(renderer, target);
  const others = [];
  scene.traverse((one) => one !== mesh && one.isMesh && one.visible && (others.push(one), (one.visible = false)));
  Object.assign(mesh, { isMesh: false, isPoints: true, frustumCulled: false });
  renderer.setRenderTarget(target);
  renderer.setClearColor(0, 0);
  renderer.render(scene, new THREE.PerspectiveCamera());
  const { count } = mesh.geometry.getAttribute('position');
  const pixels = await renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, Math.ceil(count / WIDTH));
  renderer.setRenderTarget(null);
  delete mesh.isPoints;
  mesh.isMesh = true;
  for (const one of others) one.visible = true;
  const out = new Float32Array(3 * count);
  for (let u = 0; u < count; u++)
    for (let k = 0; k < 3; k++) out[3 * u + k] = pixels[4 * u + 3] === 1 ? pixels[4 * u + k] : NaN;
  return out;
}

function apart(a, b) {
  let most = 0;
  let count = 0;
  for (let i = 0; i < a.length; i += 3) {
    if (Number.isNaN(a[i])) continue;
    count++;
    const distance = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(distance <= most)) most = distance;
  }
  return { most, count };
}

async function enter(name, material) {
  const gltf = await new GLTFLoader().loadAsync(`/models/${name}.glb`);
  const scene = new THREE.Scene();
  scene.add(gltf.scene);
  gltf.scene.position.set(1.5, 0.2, -2);
  gltf.scene.rotation.y = 0.7;
  gltf.scene.scale.setScalar(1.3);
  gltf.scene.traverse((one) => one.isMesh && (one.material = material(one)));
  const mixer = new THREE.AnimationMixer(gltf.scene);
  return { gltf, scene, mixer };
}

/** A morph target that swells the first mesh, with normals. */
function swell(mesh) {
  const { geometry } = mesh;
  const normal = geometry.getAttribute('normal');
  const size = geometry.getAttribute('position');
  geometry.computeBoundingSphere();
  const far = new Float32Array(3 * size.count).map((_, i) => 0.1 * geometry.boundingSphere.radius * normal.array[i]);
  geometry.morphAttributes = {
    position: [new THREE.BufferAttribute(far, 3)],
    normal: [new THREE.BufferAttribute(new Float32Array(3 * size.count).fill(0.2), 3)],
  };
  geometry.morphTargetsRelative = true;
  mesh.updateMorphTargets();
  mesh.morphTargetInfluences[0] = 0.7;
}

/** How far the shader and the engine are apart, of L, and how far the morph target moves a vertex. */
export async function compareMorphs(backend, name, style, motion) {
  const renderer = await rendererOf(backend);
  const stage = await enter(name, () => telling('position', backend));
  const meshes = [];
  stage.gltf.scene.traverse((one) => one.isMesh && meshes.push(one));
  swell(meshes[0]);
  const toon = await limber(stage.gltf.scene, style);
  play(stage, toon, motion);
  const mesh = toon.meshes.find((one) => one === meshes[0]);
  const { most, count } = apart(await readMesh(renderer, stage.scene, mesh), toon.positions(mesh));
  const swollen = toon.positions(mesh);
  const on = toon.computed.on;
  mesh.morphTargetInfluences[0] = 0;
  play(stage, toon, motion);
  const moved = apart(swollen, toon.positions(mesh)).most;
  toon.dispose();
  const size = 1.3 * toon.character.size;
  return { most: most / size, moved: moved / size, count, on };
}

function play({ gltf, mixer }, toon, { clip, start, frames = 6, step = 1 / 30 }) {
  mixer.stopAllAction();
  mixer.clipAction(gltf.animations[clip]).play();
  mixer.setTime(start);
  toon.reset();
  for (let i = 0; i < frames; i++) {
    mixer.update(step);
    toon.update(step);
  }
}

function strength(toon) {
  const { style } = toon;
  const deformed = toon.positions();
  toon.style = {};
  const { most } = apart(deformed, toon.positions());
  toon.style = style;
  return most / (1.3 * toon.character.size);
}

/**
 * How far the shader and the engine are apart, of L: each style, animated live by a clip. `fresh`: a character per style,
 * whose program has only the parts that the style needs.
 */
export async function compareNodes(backend, name, styles, motion, fresh = false) {
  const renderer = await rendererOf(backend);
  const stage = await enter(name, () => telling('position', backend));
  const rows = [];
  let toon;
  for (const [title, style] of Object.entries(styles)) {
    stage.mixer.stopAllAction();
    if (fresh) toon?.dispose();
    if (fresh || !toon) toon = await limber(stage.gltf.scene, style, { clips: stage.gltf.animations });
    else toon.style = style;
    play(stage, toon, motion);
    let most = 0;
    let count = 0;
    const began = performance.now();
    for (const mesh of toon.meshes) {
      const result = apart(await readMesh(renderer, stage.scene, mesh), toon.positions(mesh));
      most = Number.isNaN(result.most) ? NaN : Math.max(most, result.most / (1.3 * toon.character.size));
      count += result.count;
    }
    const ms = performance.now() - began;
    rows.push({ title, most, count, on: toon.computed.on, ms, moved: toon.computed.on === 'gpu' ? strength(toon) : 1 });
  }
  toon.dispose();
  return rows;
}

/** The share of normals of the shader that are more than 3 degrees off those of the engine, and of the plain skin's. */
export async function compareNormals(backend, name, style, motion) {
  const renderer = await rendererOf(backend);
  const read = async (wanted, compute) => {
    const stage = await enter(name, () => telling('normal', backend));
    const toon = await limber(stage.gltf.scene, wanted, { compute });
    play(stage, toon, motion);
    const all = [];
    for (const mesh of toon.meshes) all.push(...(await readMesh(renderer, stage.scene, mesh)));
    toon.dispose();
    return all;
  };
  const gpu = await read(style, 'gpu');
  const off = (b) => {
    let many = 0;
    for (let i = 0; i < gpu.length; i += 3) {
      const dot = gpu[i] * b[i] + gpu[i + 1] * b[i + 1] + gpu[i + 2] * b[i + 2];
      const sizes = Math.hypot(gpu[i], gpu[i + 1], gpu[i + 2]) * Math.hypot(b[i], b[i + 1], b[i + 2]);
      if (!(dot >= Math.cos(Math.PI / 60) * sizes)) many++;
    }
    return (3 * many) / gpu.length;
  };
  return { off: off(await read(style, 'cpu')), turned: off(await read({}, 'cpu')) };
}

/** Pixels of the floor that change with the style of an invisible character: its shadow. */
export async function compareShadows(backend, name, style, motion) {
  const renderer = await rendererOf(backend);
  renderer.shadowMap.enabled = true;
  const stage = await enter(name, () => new THREE.MeshStandardMaterial({ colorWrite: false, depthWrite: false }));
  const toon = await limber(stage.gltf.scene, style);
  toon.meshes.forEach((mesh) => (mesh.castShadow = true));
  const size = 1.3 * toon.character.size;
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(4 * size, 4 * size), new THREE.MeshLambertMaterial());
  floor.rotation.x = -Math.PI / 2;
  floor.position.set(1.5, 0.2, -2);
  floor.receiveShadow = true;
  const light = new THREE.DirectionalLight(0xffffff, 3);
  light.position.set(1.5 + size, 0.2 + 2 * size, -2);
  light.target = floor;
  light.castShadow = true;
  const room = light.shadow.camera;
  Object.assign(room, { left: -2 * size, right: 2 * size, top: 2 * size, bottom: -2 * size, far: 8 * size });
  stage.scene.add(floor, light);
  const camera = new THREE.OrthographicCamera(-2 * size, 2 * size, 2 * size, -2 * size, 0.1, 8 * size);
  camera.position.set(1.5, 0.2 + 4 * size, -2);
  camera.lookAt(floor.position);
  const picture = new THREE.RenderTarget(64, 64);
  const shot = async () => {
    renderer.setRenderTarget(picture);
    renderer.render(stage.scene, camera);
    const pixels = await renderer.readRenderTargetPixelsAsync(picture, 0, 0, 64, 64);
    renderer.setRenderTarget(null);
    return pixels;
  };
  const differ = (a, b) => a.reduce((sum, value, i) => sum + (Math.abs(value - b[i]) > 16 ? 1 : 0), 0);
  play(stage, toon, motion);
  const styled = await shot();
  toon.style = {};
  play(stage, toon, motion);
  const bare = await shot();
  const materials = toon.meshes.map((mesh) => mesh.material);
  toon.dispose();
  const plain = await shot();
  return {
    changed: differ(styled, bare),
    same: differ(bare, plain),
    restored: toon.meshes.every(
      (mesh, i) => mesh.material !== materials[i] && mesh.material.positionNode === undefined,
    ),
  };
}

/** A character in each preset, animated live by a clip; undefined without clips. */
export async function comparePresets(backend, name, styles, motion) {
  const { animations } = await new GLTFLoader().loadAsync(`/models/${name}.glb`);
  return animations.length ? compareNodes(backend, name, styles, motion) : undefined;
}

/** Distance between the shader and the engine for members of a crowd, of L. */
export async function compareCrowdNodes(backend, name, style, { count, members }) {
  const renderer = await rendererOf(backend);
  const gltf = await new GLTFLoader().loadAsync(`/models/${name}.glb`);
  const told = uniform(0);
  gltf.scene.traverse((one) => {
    if (!one.isMesh) return;
    one.material = telling('position', backend);
    const aside = instanceIndex.toFloat().sub(told).abs().mul(9); // members that are not asked for
    one.material.vertexNode = one.material.vertexNode.add(vec4(aside, aside, 0, 0));
  });
  const crowd = await limberCrowd(gltf, style, { count });
  const scene = new THREE.Scene().add(crowd);
  crowd.members.forEach((member, i) => {
    member.clip = i % gltf.animations.length;
    member.time = 0.1 * i;
    member.place(2 * i, 0.3 * i, -i, 0.5 * i, 1 + 0.05 * i);
  });
  crowd.update(0.3);
  const rows = [];
  for (const member of members) {
    told.value = member;
    const wanted = crowd.positions(member);
    let most = 0;
    let count = 0;
    for (const [m, mesh] of crowd.meshes.entries()) {
      const { firstVertex, vertexCount } = crowd.character.meshes[m];
      const part = wanted.subarray(3 * firstVertex, 3 * (firstVertex + vertexCount));
      const result = apart(await readMesh(renderer, scene, mesh), part);
      most = Number.isNaN(result.most) ? NaN : Math.max(most, result.most / crowd.character.size);
      count += result.count;
    }
    rows.push({ member, most, count });
  }
  crowd.dispose();
  return rows;
}

// --- smears on the GPU ---

/** Drawn into a target, not on the page: software has no canvas for WebGPU. */
function drawSmall(renderer, scene) {
  const target = targets.get(scene) ?? new THREE.RenderTarget(32, 32);
  targets.set(scene, target);
  renderer.setRenderTarget(target);
  renderer.render(scene, new THREE.PerspectiveCamera());
  renderer.setRenderTarget(null);
}

export async function compareSmears(backend, name, style, motion, options = {}) {
  const { smearsOf } = await import('./smears.js');
  const renderer = await rendererOf(backend);
  const stages = [];
  for (const more of [{ compute: 'cpu' }, { renderer }]) {
    const stage = await enter(name, () => new THREE.MeshStandardMaterial());
    const toon = await limber(stage.gltf.scene, style, { ...options, ...more });
    stages.push({ ...stage, toon, draw: () => drawSmall(renderer, stage.scene) });
  }
  return smearsOf(stages, motion, (target) =>
    renderer.readRenderTargetPixelsAsync(target, 0, 0, target.width, target.height),
  );
}

/** Vertices that materials read from the texture of a pass, deformed once per frame: how far from the engine, of L. */
export async function compareOnce(backend, name, style, motion) {
  const renderer = await rendererOf(backend);
  const stage = await enter(name, () => telling('position', backend));
  const toon = await limber(stage.gltf.scene, style, { renderer, once: true });
  play(stage, toon, motion);
  const result = { most: 0, count: 0, moved: 0, on: toon.computed.on };
  for (const mesh of toon.meshes) {
    const { most, count } = apart(await readMesh(renderer, stage.scene, mesh), toon.positions(mesh));
    result.most = Math.max(result.most, most / (1.3 * toon.character.size));
    result.count += count;
  }
  result.moved = strength(toon);
  toon.dispose();
  return result;
}
