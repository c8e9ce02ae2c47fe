// Runs in the page: sets up characters and reads back what the GPU makes of them.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { limber, sharedEngine } from 'limber/three';

export const renderer = new THREE.WebGLRenderer({ antialias: false });
renderer.debug.checkShaderErrors = true;
document.body.append(renderer.domElement);

const WIDTH = 256;

export async function load(name) {
  return new GLTFLoader().loadAsync(`/models/${name}.glb`);
}

// An onBeforeCompile of the program, which limber has to keep: each vertex becomes one pixel with its position or
// normal.
export function tellPlaces(material, what = 'transformed') {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `varying vec4 told;\n${shader.vertexShader}`.replace(
      /}\s*$/,
      `
      told = ${what === 'transformed' ? 'modelMatrix * vec4(transformed, 1.0)' : `vec4(inverse(transpose(mat3(modelMatrix))) * ${what}, 1.0)`};
      gl_Position = vec4((vec2(gl_VertexID % ${WIDTH}, gl_VertexID / ${WIDTH}) + 0.5) / ${WIDTH / 2}.0 - 1.0, 0.0, 1.0);
      gl_PointSize = 1.0;
    }`,
    );
    shader.fragmentShader = `varying vec4 told;\n${shader.fragmentShader}`.replace(
      /}\s*$/,
      '  gl_FragColor = told;\n}',
    );
  };
  material.customProgramCacheKey = () => `tell ${what}`;
  return material;
}

const target = new THREE.WebGLRenderTarget(WIDTH, WIDTH, {
  type: THREE.FloatType,
  format: THREE.RGBAFormat,
  minFilter: THREE.NearestFilter,
  magFilter: THREE.NearestFilter,
});

/** The output of a mesh's shader for each vertex; NaN for vertices without triangles. */
export function readMesh(mesh) {
  const camera = new THREE.PerspectiveCamera();
  const scene = new THREE.Scene();
  const culled = mesh.frustumCulled;
  Object.assign(mesh, { isMesh: false, isPoints: true, frustumCulled: false });
  const others = [];
  let top = mesh;
  while (top.parent) top = top.parent;
  top.traverse(
    (object) =>
      object !== mesh &&
      (object.isMesh || object.isPoints) &&
      object.visible &&
      (others.push(object), (object.visible = false)),
  );
  renderer.setRenderTarget(target);
  renderer.setClearColor(0, 0);
  renderer.clear();
  if (top.isScene) renderer.render(top, camera);
  else {
    scene.add(top);
    renderer.render(scene, camera);
    scene.remove(top);
  }
  const { count } = mesh.geometry.getAttribute('position');
  const rows = Math.ceil(count / WIDTH);
  const pixels = new Float32Array(4 * WIDTH * rows);
  renderer.readRenderTargetPixels(target, 0, 0, WIDTH, rows, pixels);
  renderer.setRenderTarget(null);
  for (const object of others) object.visible = true;
  delete mesh.isPoints;
  Object.assign(mesh, { isMesh: true, frustumCulled: culled });
  const out = new Float32Array(3 * count);
  for (let u = 0; u < count; u++)
    for (let k = 0; k < 3; k++) out[3 * u + k] = pixels[4 * u + 3] === 1 ? pixels[4 * u + k] : NaN;
  return out;
}

/** Max distance, and the number of compared vertices. */
export function apart(a, b) {
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

/** Fraction of unit vectors that differ by more than `degrees`. */
export function turned(a, b, degrees) {
  let off = 0;
  let count = 0;
  for (let i = 0; i < a.length; i += 3) {
    if (Number.isNaN(a[i])) continue;
    count++;
    const cosine =
      (a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2]) /
      (Math.hypot(a[i], a[i + 1], a[i + 2]) * Math.hypot(b[i], b[i + 1], b[i + 2]));
    if (!(cosine >= Math.cos((degrees * Math.PI) / 180))) off++;
  }
  return off / count;
}

/** A character at some position, rotation and scale, whose materials output vertex positions. */
export async function enter(name, style, options) {
  const gltf = await load(name);
  const scene = new THREE.Scene();
  scene.add(gltf.scene);
  gltf.scene.position.set(1.5, 0.2, -2);
  gltf.scene.rotation.y = 0.7;
  gltf.scene.scale.setScalar(1.3);
  gltf.scene.traverse((object) => object.isMesh && (object.material = tellPlaces(new THREE.MeshStandardMaterial())));
  const toon = await limber(gltf.scene, style, { ...options, clips: gltf.animations });
  const mixer = new THREE.AnimationMixer(gltf.scene);
  return { gltf, scene, toon, mixer, size: toon.character.size * 1.3 };
}

/** Difference between the GPU and the engine, relative to the character's size. */
export function compare(toon, size) {
  let most = 0;
  let count = 0;
  for (const mesh of toon.meshes) {
    const result = apart(readMesh(mesh), toon.positions(mesh));
    most = Number.isNaN(result.most) ? NaN : Math.max(most, result.most / size);
    count += result.count;
  }
  return { most, count };
}

/** How far the effects move a vertex, relative to the character's size. */
function strength(toon, size) {
  const { style } = toon;
  const deformed = toon.positions();
  toon.style = {};
  const { most } = apart(deformed, toon.positions());
  toon.style = style;
  return most / size;
}

// Characters that are still there keep their programs, which others then need not compile.
const kept = [];

/** A character in each style, animated live by a clip. */
export async function compareStyles(name, styles, { clip, start, frames = 6, step = 1 / 30 }) {
  const { gltf, toon, mixer, size } = await enter(name, {});
  const rows = [];
  mixer.clipAction(gltf.animations[clip]).play();
  readMesh(toon.meshes[0]);
  const programs = renderer.info.programs.length;
  for (const [title, style] of Object.entries(styles)) {
    mixer.setTime(start);
    toon.style = style;
    toon.reset();
    for (let i = 0; i < frames; i++) {
      mixer.update(step);
      toon.update(step);
    }
    rows.push({
      title,
      ...compare(toon, size),
      moved: toon.computed.on === 'gpu' ? strength(toon, size) : 1,
      on: toon.computed.on,
    });
  }
  const compiled = renderer.info.programs.length - programs;
  for (const style of Object.values(styles).slice(0, 12)) {
    toon.style = style;
    toon.update(step);
    readMesh(toon.meshes[0]);
  }
  const again = renderer.info.programs.length - programs - compiled;
  kept.push(toon);
  return { rows, compiled, again, memory: (await sharedEngine()).memoryBytes };
}

/** Exact frames of the first two clips: with and without a part of the style, on the GPU and by the engine. */
export async function compareExact(name, style, without, moments = 6) {
  const { gltf, toon, size } = await enter(name, style);
  let most = 0;
  let held = 0;
  const on = new Set();
  for (const clip of gltf.animations.slice(0, 2))
    for (let i = 0; i < moments; i++) {
      toon.style = style;
      toon.exact(clip, ((i + 0.35) / moments) * clip.duration);
      on.add(toon.computed.on);
      most = Math.max(most, compare(toon, size).most);
      const whole = toon.positions();
      toon.style = { ...style, ...without };
      held = Math.max(held, apart(whole, toon.positions()).most / size);
    }
  kept.push(toon);
  return { most, held, on: [...on] };
}

/** A character in each preset, animated live by a clip; undefined without clips. */
export async function comparePresets(name, styles, motion) {
  if (!(await load(name)).animations.length) return undefined;
  const { rows } = await compareStyles(name, styles, motion);
  kept.splice(0).forEach((toon) => toon.dispose());
  return rows;
}

// --- smears on the GPU ---

/** The texels of a target. */
export function readTarget(target) {
  const pixels = new Float32Array(4 * target.width * target.height);
  renderer.readRenderTargetPixels(target, 0, 0, target.width, target.height, pixels);
  return pixels;
}

export async function compareSmears(name, style, motion, options = {}) {
  const { smearsOf } = await import('./smears.js');
  const stages = [];
  for (const more of [{ compute: 'cpu' }, { renderer }])
    stages.push(await enterPlain(name, style, { ...options, ...more }));
  return smearsOf(stages, motion, async (target) => readTarget(target));
}

async function enterPlain(name, style, options) {
  const gltf = await load(name);
  const scene = new THREE.Scene();
  scene.add(gltf.scene);
  gltf.scene.position.set(1.5, 0.2, -2);
  gltf.scene.rotation.y = 0.7;
  const toon = await limber(gltf.scene, style, options);
  const draw = () => renderer.render(scene, new THREE.PerspectiveCamera());
  return { gltf, scene, toon, mixer: new THREE.AnimationMixer(gltf.scene), draw };
}

/** Vertices that materials read from the texture of a pass, deformed once per frame: how far from the engine, of L. */
export async function compareOnce(name, style, { clip, start, frames = 6, step = 1 / 30 }) {
  const { gltf, toon, mixer, size } = await enter(name, style, { renderer, once: true });
  mixer.clipAction(gltf.animations[clip]).play();
  mixer.setTime(start);
  toon.reset();
  for (let i = 0; i < frames; i++) {
    mixer.update(step);
    toon.update(step);
  }
  const result = { ...compare(toon, size), moved: strength(toon, size), on: toon.computed.on };
  toon.dispose();
  return result;
}

/** Milliseconds of toon.update with live smears, sorted: by the engine and by the GPU, in turns. */
export async function smearTimes(name, style, frames) {
  const stages = [];
  for (const more of [{ compute: 'cpu' }, { renderer }]) stages.push(await enterPlain(name, style, more));
  const times = [[], []];
  for (const { mixer, gltf } of stages) mixer.clipAction(gltf.animations[0]).play();
  for (let i = 0; i < frames; i++) {
    for (const [k, { mixer, toon, draw }] of stages.entries()) {
      mixer.update(1 / 60);
      const start = performance.now();
      toon.update(1 / 60);
      if (i > frames / 4) times[k].push(performance.now() - start);
      if (i % 8 === 0) draw();
      renderer.getContext().finish(); // waits outside of what is measured
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const on = stages.map(({ toon }) => toon.computed.on);
  for (const { toon } of stages) toon.dispose();
  return { on, times: times.map((all) => all.sort((a, b) => a - b)) };
}
