// Runs in the page: crowds, and what the vertex shader makes of some of their members.
import * as THREE from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { limber, limberCrowd } from 'limber/three';
import { load, renderer } from './stage.js';

const WIDTH = 256;
const which = { value: 0 };

/** Each vertex of one member becomes a pixel with its position or normal. */
function tell(material, what) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.told_member = which;
    const value = what === 'normal' ? 'vec4(normalize(objectNormal), 1.0)' : 'modelMatrix * vec4(transformed, 1.0)';
    shader.vertexShader = `uniform int told_member;\nvarying vec4 told;\n${shader.vertexShader}`.replace(
      /}\s*$/,
      `
      told = ${value};
      gl_Position = vec4((vec2(gl_VertexID % ${WIDTH}, gl_VertexID / ${WIDTH}) + 0.5) / ${WIDTH / 2}.0 - 1.0, 0.0, 1.0);
      if (gl_InstanceID != told_member) gl_Position = vec4(9.0, 9.0, 9.0, 1.0);
      gl_PointSize = 1.0;
    }`,
    );
    shader.fragmentShader = `varying vec4 told;\n${shader.fragmentShader}`.replace(
      /}\s*$/,
      '  gl_FragColor = told;\n}',
    );
  };
  material.customProgramCacheKey = () => `tell a member ${what}`;
  return material;
}

const target = new THREE.WebGLRenderTarget(WIDTH, WIDTH, { type: THREE.FloatType, depthBuffer: false });

// Software takes a minute for all vertices of 500 members, so `range` may draw only some of the triangles.
function readMember(scene, mesh, member, range) {
  which.value = member;
  mesh.geometry.setDrawRange(...(range ?? [0, Infinity]));
  const others = [];
  scene.traverse((one) => one.isMesh && one !== mesh && one.visible && (others.push(one), (one.visible = false)));
  Object.assign(mesh, { isMesh: false, isPoints: true, frustumCulled: false });
  renderer.setRenderTarget(target);
  renderer.setClearColor(0, 0);
  renderer.clear();
  renderer.render(scene, new THREE.PerspectiveCamera());
  const { count } = mesh.geometry.getAttribute('position');
  const pixels = new Float32Array(4 * WIDTH * Math.ceil(count / WIDTH));
  renderer.readRenderTargetPixels(target, 0, 0, WIDTH, Math.ceil(count / WIDTH), pixels);
  renderer.setRenderTarget(null);
  delete mesh.isPoints;
  Object.assign(mesh, { isMesh: true, frustumCulled: true });
  for (const one of others) one.visible = true;
  const out = new Float32Array(3 * count);
  for (let u = 0; u < count; u++)
    for (let k = 0; k < 3; k++) out[3 * u + k] = pixels[4 * u + 3] === 1 ? pixels[4 * u + k] : NaN;
  return out;
}

function place(crowd, gltf, side = 25) {
  crowd.members.forEach((member, i) => {
    member.clip = i % gltf.animations.length;
    member.time = (0.618 * i) % gltf.animations[i % gltf.animations.length].duration;
    member.speed = 0.8 + 0.001 * i;
    member.place(3 * ((i % side) - side / 2), 0, -3 * Math.floor(i / side), 0.7 * i, 1 + 0.2 * Math.sin(i));
  });
}

/** Draw calls, and the distance between the shader and the engine for some members, of L. */
export async function compareCrowd(name, style, { count, members, ranges = [undefined], frames = 3 }) {
  const gltf = await load(name);
  gltf.scene.traverse((one) => one.isMesh && (one.material = tell(new THREE.MeshStandardMaterial(), 'position')));
  const crowd = await limberCrowd(gltf, style, { count });
  const scene = new THREE.Scene().add(crowd);
  crowd.position.set(0.5, 0.1, -1);
  place(crowd, gltf);
  for (let f = 0; f < frames; f++) crowd.update(1 / 30);
  const rows = members.map((member) => {
    const wanted = crowd.positions(member);
    let most = 0;
    let told = 0;
    crowd.meshes.forEach((mesh, m) => {
      const { firstVertex } = crowd.character.meshes[m];
      for (const range of ranges) {
        const got = readMember(scene, mesh, member, range);
        for (let i = 0; i < got.length; i += 3) {
          if (Number.isNaN(got[i])) continue;
          const at = 3 * firstVertex + i;
          const distance = Math.hypot(got[i] - wanted[at], got[i + 1] - wanted[at + 1], got[i + 2] - wanted[at + 2]);
          if (!(distance <= most)) most = distance;
          told++;
        }
      }
    });
    return { member, most: most / crowd.character.size, told };
  });
  const [a, b] = members.map((member) => crowd.positions(member));
  let differ = 0; // two members do different things, wherever they are
  for (let i = 3; i < a.length; i += 3)
    differ = Math.max(
      differ,
      Math.abs(
        Math.hypot(a[i] - a[0], a[i + 1] - a[1], a[i + 2] - a[2]) -
          Math.hypot(b[i] - b[0], b[i + 1] - b[1], b[i + 2] - b[2]),
      ),
    );
  const { size } = crowd.character;
  crowd.dispose();
  return { rows, differ: differ / size };
}

/** What a frame of the whole crowd costs the renderer, with a shadow. */
export async function countCalls(name, style, count) {
  const gltf = await load(name);
  const crowd = await limberCrowd(gltf, style, { count });
  const scene = new THREE.Scene().add(crowd);
  const camera = new THREE.PerspectiveCamera(60, 1, 0.1, 500);
  camera.position.set(0, 20, 30);
  camera.lookAt(0, 0, -20);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x888888, 3));
  place(crowd, gltf);
  renderer.setSize(48, 48, false);
  crowd.update(1 / 30);
  renderer.setClearColor(0, 1);
  renderer.render(scene, camera);
  const { calls } = renderer.info.render;
  const parts = crowd.meshes.reduce((sum, mesh) => sum + (Array.isArray(mesh.material) ? mesh.material.length : 1), 0);
  const gl = renderer.getContext();
  const pixels = new Uint8Array(4 * 48 * 48);
  gl.readPixels(0, 0, 48, 48, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let drawn = 0;
  for (let i = 0; i < pixels.length; i += 4) drawn += pixels[i] + pixels[i + 1] + pixels[i + 2] > 30 ? 1 : 0;
  camera.position.z = 60;
  camera.lookAt(0, 20, 100); // away from them
  camera.updateMatrixWorld();
  renderer.render(scene, camera);
  const away = renderer.info.render.calls;
  const textures = renderer.info.memory.textures;
  crowd.dispose();
  renderer.render(scene, camera);
  return { calls, parts, drawn, away, freed: textures - renderer.info.memory.textures };
}

/** Dark pixels of the floor under two members, left and right, and after the right one was hidden. */
export async function compareShadows(name, style) {
  const gltf = await load(name);
  gltf.scene.traverse((one) => one.isMesh && (one.castShadow = true));
  const unseen = new THREE.MeshBasicMaterial({ colorWrite: false, depthWrite: false });
  gltf.scene.traverse((one) => one.isMesh && (one.material = unseen));
  const crowd = await limberCrowd(gltf, style, { count: 2 });
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(16, 16).rotateX(-Math.PI / 2), new THREE.MeshLambertMaterial());
  floor.receiveShadow = true;
  const light = new THREE.DirectionalLight(0xffffff, 3);
  light.position.set(0, 20, 0.1);
  light.castShadow = true;
  Object.assign(light.shadow.camera, { left: -8, right: 8, top: 8, bottom: -8, far: 40 });
  const scene = new THREE.Scene().add(crowd, floor, light);
  const camera = new THREE.OrthographicCamera(-8, 8, 8, -8, 0.1, 40);
  camera.position.set(0, 20, 0);
  camera.lookAt(0, 0, 0);
  renderer.shadowMap.enabled = true;
  renderer.setSize(64, 64, false);
  const gl = renderer.getContext();
  // Dark pixels of the left and of the right half.
  const shot = () => {
    const pixels = new Uint8Array(4 * 64 * 64);
    renderer.render(scene, camera);
    gl.readPixels(0, 0, 64, 64, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return [0, 32].map((first) => {
      let dark = 0;
      for (let i = 0; i < 32 * 64; i++) dark += pixels[4 * (64 * (i >> 5) + first + (i & 31))] < 40 ? 1 : 0;
      return dark;
    });
  };
  crowd.members.forEach((member) => (member.clip = 0));
  crowd.members[0].place(-4, 0, 0);
  crowd.members[1].place(4, 0, 0);
  crowd.update(0.2);
  const both = shot();
  crowd.members[1].visible = false;
  crowd.update(0);
  const one = shot();
  crowd.dispose();
  renderer.shadowMap.enabled = false;
  return { both, one };
}

// --- for the benchmark ---

let runs = [];

/**
 * Frames (animation, limber, and calls of the renderer) of separate characters, of a crowd, and of a crowd whose members
 * share moments. The GPU draws one triangle of each, since it is not what is measured.
 */
export async function prepareFrames(name, style, count) {
  const gltf = await load(name);
  const little = (object) => object.traverse((one) => one.isMesh && one.geometry.setDrawRange(0, 3));
  const camera = new THREE.PerspectiveCamera(60, 1, 0.1, 1000);
  camera.position.set(0, 20, 60);
  little(gltf.scene);
  renderer.setSize(16, 16, false);
  const separate = async () => {
    const scene = new THREE.Scene();
    const all = [];
    for (let i = 0; i < count; i++) {
      const object = clone(gltf.scene);
      const mixer = new THREE.AnimationMixer(object);
      const clip = gltf.animations[i % gltf.animations.length];
      all.push({ mixer, toon: await limber(object, style) });
      mixer.clipAction(clip).play();
      mixer.setTime(((0.618 * i) % 1) * clip.duration);
      object.traverse((one) => (one.frustumCulled = false));
      scene.add(object);
    }
    const frame = () => {
      for (const { mixer } of all) mixer.update(1 / 60);
      for (const { toon } of all) toon.update(1 / 60);
      renderer.render(scene, camera);
    };
    return { frame, dispose: () => all.forEach(({ toon }) => toon.dispose()) };
  };
  const together = async (step) => {
    const crowd = await limberCrowd(gltf, style, { count, step });
    const scene = new THREE.Scene().add(crowd);
    little(crowd);
    place(crowd, gltf);
    const frame = () => {
      crowd.update(1 / 60);
      renderer.render(scene, camera);
    };
    return { frame, dispose: () => crowd.dispose() };
  };
  for (const run of runs) run.dispose();
  runs = [await separate(), await together(0), await together(1 / 60)];
}

export function runFrames(which, frames) {
  for (let f = 0; f < frames; f++) runs[which].frame();
}
