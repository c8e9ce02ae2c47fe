// Shared by the examples: a renderer, light, a floor with shadows, and a render loop.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const SKY = '#f3e9dc';
const GROUND = '#e4d3bd';

function addLight(scene, reach) {
  const sun = new THREE.DirectionalLight('#fff1dd', 2.6);
  sun.position.set(0.5, 1.6, 0.9).multiplyScalar(2 * reach);
  sun.castShadow = true;
  sun.shadow.mapSize.setScalar(2048);
  sun.shadow.normalBias = 0.02;
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, far: 8 * reach });
  scene.add(sun, new THREE.HemisphereLight('#eef4ff', '#c9a98a', 1.4));
}

/** Creates a scene of size `reach`, with the camera at `eye`. */
export function makeStage({ reach = 3, eye = [0, 1.2, 4], target = [0, 0.8, 0], orbit = true } = {}) {
  const renderer = new THREE.WebGLRenderer({ antialias: true });
  const scene = new THREE.Scene();
  const camera = new THREE.PerspectiveCamera(40, 1, 0.05, 40 * reach);
  renderer.shadowMap.enabled = true;
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  document.body.append(renderer.domElement);
  scene.background = new THREE.Color(SKY);
  scene.fog = new THREE.Fog(SKY, 4 * reach, 12 * reach);
  const floor = new THREE.Mesh(
    new THREE.CircleGeometry(20 * reach, 64).rotateX(-Math.PI / 2),
    new THREE.MeshStandardMaterial({ color: GROUND, roughness: 1 }),
  );
  floor.receiveShadow = true;
  scene.add(floor);
  addLight(scene, reach);
  camera.position.set(...eye);
  camera.lookAt(...target);
  if (orbit) {
    const controls = new OrbitControls(camera, renderer.domElement);
    controls.target.set(...target);
    controls.maxPolarAngle = 0.49 * Math.PI;
    controls.update();
  }
  const fit = () => {
    renderer.setSize(innerWidth, innerHeight);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
  };
  addEventListener('resize', fit);
  fit();
  return { renderer, scene, camera };
}

/** Calls `frame(dt)` before drawing each frame; `dt` is in seconds. */
export function run({ renderer, scene, camera }, frame) {
  let before = performance.now();
  renderer.setAnimationLoop(() => {
    const now = performance.now();
    frame((now - before) / 1000);
    before = now;
    renderer.render(scene, camera);
    document.body.dataset.frames = renderer.info.render.frame; // for tests
  });
}

/** Loads a model made by `limber sample`, with shadows. */
export async function loadModel(name) {
  const gltf = await new GLTFLoader().loadAsync(`${import.meta.env.BASE_URL}models/${name}.glb`);
  gltf.scene.traverse((object) => {
    if (object.isMesh) object.castShadow = object.receiveShadow = true;
  });
  return gltf;
}
