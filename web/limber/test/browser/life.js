// Creates and disposes of characters, and measures frames (for test/bench.mjs); runs in the page.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { limber, sharedEngine } from 'limber/three';
import { load, renderer } from './stage.js';

function dispose(object) {
  object.traverse((one) => {
    one.geometry?.dispose();
    one.skeleton?.dispose();
    for (const material of [one.material].flat()) material?.dispose();
  });
}

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 100);
const light = new THREE.DirectionalLight();
camera.position.set(0, 1, 6);
scene.add(light);

/**
 * Loads a character, shows it in some styles, and disposes of it. The first one is kept, to keep its shaders compiled.
 */
async function round(bytes, styles, stays = false) {
  const gltf = await new GLTFLoader().parseAsync(bytes.slice(0), '');
  scene.add(gltf.scene);
  const toon = await limber(gltf.scene, styles[0], { clips: gltf.animations });
  for (const style of styles) {
    toon.style = style;
    for (let i = 0; i < 2; i++) {
      gltf.scene.position.x += 0.1;
      toon.update(1 / 60);
    }
    renderer.render(scene, camera);
  }
  if (stays) return;
  toon.exact(0, 0.1);
  toon.dispose();
  renderer.render(new THREE.Scene(), camera);
  scene.remove(gltf.scene);
  dispose(gltf.scene);
}

async function measure() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { geometries, textures } = renderer.info.memory;
  const engine = await sharedEngine();
  return {
    heap: performance.memory.usedJSHeapSize,
    geometries,
    textures,
    programs: renderer.info.programs.length,
    wasm: engine.memoryBytes,
  };
}

/** Memory in use before and after `rounds` characters. */
export async function comeAndGo(name, styles, rounds, warm, spare) {
  renderer.setSize(64, 64);
  const bytes = await (await fetch(`/models/${name}.glb`)).arrayBuffer();
  await round(bytes, styles, true);
  for (let i = 0; i < warm; i++) await round(bytes, styles);
  const before = await measure();
  for (let i = 0; i < rounds; i++) await round(bytes, styles);
  let after = await measure();
  // The garbage collector decides when to run; only what survives many more calls is a leak.
  for (let i = 0; i < 50 && after.heap - before.heap >= spare; i++) after = await measure();
  return { before, after };
}

/** Milliseconds of `toon.update`, sorted. */
export async function updateTimes(name, style, frames) {
  const gltf = await load(name);
  const toon = await limber(gltf.scene, style);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const times = [];
  mixer.clipAction(gltf.animations[0]).play();
  for (let i = 0; i < frames; i++) {
    mixer.update(1 / 60);
    // Clocks in browsers are coarse, so each measurement covers several updates.
    const start = performance.now();
    for (let k = 0; k < 10; k++) toon.update(1 / 600);
    times.push((performance.now() - start) / 10);
  }
  toon.dispose();
  return times.sort((a, b) => a - b);
}
