// Materials and shadows; runs in the page.
import * as THREE from 'three';
import { limber, limberChunk } from 'limber/three';
import { tube } from '/limber/test/tube.mjs';
import { compare, readMesh, renderer, tellPlaces, turned } from './stage.js';

// Software renderers of Chromium on ARM fail on integer divisions, and the morph targets of three.js contain one. The
// meshes here are small enough to need only the first row.
const MORPHS = THREE.ShaderChunk.morphtarget_pars_vertex;
const DIVISION = 'texelIndex / morphTargetsTextureSize.x';
if (!MORPHS.includes(DIVISION)) throw new Error('three has other morph targets now');
THREE.ShaderChunk.morphtarget_pars_vertex = MORPHS.replace(DIVISION, '0');

const STYLE = {
  normals: 'jacobian',
  effects: {
    floppy: { linear: 0.1, angular: 0.3 },
    squash: { linear: 0.1, angular: 0.1 },
    stretch: { angular: 0.004 },
  },
};

/** A tube with every kind of attribute. */
function richTube(material, sides = 12) {
  const made = tube({ material, sides, rings: 25 });
  const { geometry } = made.mesh;
  const base = geometry.getAttribute('position');
  const { count } = base;
  const swollen = new Float32Array(3 * count);
  const tilted = new Float32Array(3 * count);
  const colors = new Float32Array(3 * count).fill(0.5);
  for (let u = 0; u < count; u++) {
    swollen.set([0.5 * base.getX(u), 0, 0.5 * base.getZ(u)], 3 * u);
    tilted.set([0, 0.4, 0], 3 * u);
  }
  geometry.morphAttributes = {
    position: [new THREE.BufferAttribute(swollen, 3)],
    normal: [new THREE.BufferAttribute(tilted, 3)],
  };
  geometry.morphTargetsRelative = true;
  geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
  geometry.computeTangents();
  made.mesh.updateMorphTargets();
  made.mesh.morphTargetInfluences[0] = 0.6;
  made.group.rotation.set(0.2, 0.5, 0.1);
  made.group.scale.setScalar(1.4);
  made.group.position.set(2, 0, 1);
  return made;
}

function swing(toon, bones, frames = 12, axis = 'z') {
  for (let i = 0; i < frames; i++) {
    bones[1].rotation[axis] += 0.09;
    toon.update(1 / 60);
  }
}

const texture = new THREE.DataTexture(new Uint8Array(16).fill(128), 2, 2);
texture.needsUpdate = true;

const MATERIALS = {
  basic: () => new THREE.MeshBasicMaterial(),
  'basic with a reflection': () =>
    new THREE.MeshBasicMaterial({
      envMap: new THREE.CubeTexture(Array.from({ length: 6 }, () => new THREE.DataTexture(new Uint8Array(4), 1, 1))),
    }),
  lambert: () => new THREE.MeshLambertMaterial({ vertexColors: true }),
  phong: () => new THREE.MeshPhongMaterial({ flatShading: true }),
  standard: () => new THREE.MeshStandardMaterial({ map: texture }),
  'standard with a normal map and tangents': () => new THREE.MeshStandardMaterial({ normalMap: texture }),
  'standard with displacement': () =>
    new THREE.MeshStandardMaterial({ displacementMap: texture, displacementScale: 0 }),
  physical: () =>
    new THREE.MeshPhysicalMaterial({ clearcoat: 1, iridescence: 1, anisotropy: 0.5, side: THREE.DoubleSide }),
  toon: () => new THREE.MeshToonMaterial(),
  normal: () => new THREE.MeshNormalMaterial(),
  matcap: () => new THREE.MeshMatcapMaterial({ matcap: texture }),
  depth: () => new THREE.MeshDepthMaterial(),
  "a shader with three's chunks": () =>
    new THREE.ShaderMaterial({
      vertexShader: THREE.ShaderLib.lambert.vertexShader,
      fragmentShader: 'void main() {\n}',
      uniforms: THREE.UniformsUtils.clone(THREE.ShaderLib.lambert.uniforms),
    }),
};

// Their vertex shaders do nothing that those of the others do not. Each takes seconds to compile without a GPU.
const ALIKE = ['standard', 'toon', 'normal', 'matcap'];

/**
 * Vertex positions of a tube with every kind of attribute, for each material: distance from the engine's result,
 * relative to the character's size.
 */
export async function compareMaterials(all) {
  const out = {};
  for (const [title, make] of Object.entries(MATERIALS).filter(([one]) => all || !ALIKE.includes(one))) {
    const { group, bones } = richTube(tellPlaces(make()));
    const scene = new THREE.Scene();
    scene.add(group, new THREE.DirectionalLight(), new THREE.HemisphereLight());
    const toon = await limber(group, STYLE);
    swing(toon, bones);
    out[title] = compare(toon, 1.4 * toon.character.size);
    toon.dispose();
  }
  // A shader that calls limber itself, without the includes of three.js.
  const own = new THREE.ShaderMaterial({
    vertexShader: `${limberChunk}\nvoid main() {\n  vec3 transformed = position, n = normal;\n  limber(transformed, n);\n}`,
    fragmentShader: 'void main() {\n}',
  });
  const { group, bones, mesh } = richTube(tellPlaces(own));
  mesh.morphTargetInfluences[0] = 0;
  const toon = await limber(group, STYLE);
  swing(toon, bones);
  out["a shader with limber's chunk"] = compare(toon, 1.4 * toon.character.size);
  toon.dispose();
  return out;
}

/** Unskinned meshes, several materials, mirrored and detached meshes. */
export async function compareOthers() {
  const out = {};
  const toons = [];
  const check = async (title, change) => {
    const made = richTube(tellPlaces(new THREE.MeshStandardMaterial()));
    const scene = new THREE.Scene();
    scene.add(made.group);
    change(made);
    const toon = await limber(made.group, STYLE);
    swing(toon, made.bones);
    made.group.updateMatrixWorld(true);
    out[title] = compare(toon, 1.4 * toon.character.size);
    toons.push(toon); // keep them, so that their programs are kept
  };
  await check('a hat', ({ bones }) =>
    bones[3].add(new THREE.Mesh(new THREE.TorusGeometry(0.3, 0.1), tellPlaces(new THREE.MeshBasicMaterial()))),
  );
  await check('several materials', ({ mesh }) => {
    mesh.geometry.clearGroups();
    mesh.geometry.addGroup(0, 300, 0);
    mesh.geometry.addGroup(300, Infinity, 1);
    mesh.material = [mesh.material, tellPlaces(new THREE.MeshPhongMaterial())];
  });
  await check('mirrored', ({ group }) => group.scale.set(-1.4, 1.4, 1.4));
  await check('detached', ({ mesh }) => {
    mesh.bindMode = 'detached';
    mesh.position.x = 0.4;
  });
  await check('a mesh with a matrix of its own', ({ mesh }) => {
    mesh.scale.set(0.3, 2, 1);
    mesh.position.set(3, 1, 0);
    mesh.rotation.x = 1;
  });
  for (const toon of toons) toon.dispose();
  return out;
}

/** Normals and tangents computed by the shader. */
export async function compareFrames() {
  const toons = [];
  const read = async (what, compute, mirrored) => {
    const material = tellPlaces(new THREE.MeshStandardMaterial({ normalMap: texture }), what);
    const { group, mesh, bones } = richTube(material, 96);
    if (mirrored) group.scale.x *= -1;
    mesh.morphTargetInfluences[0] = what === 'objectTangent' ? 0 : 0.6;
    const toon = await limber(group, STYLE, { compute });
    swing(toon, bones);
    toons.push(toon);
    return { vectors: readMesh(mesh), positions: toon.positions(mesh), mesh };
  };
  const onCard = await read('objectNormal', 'auto');
  const onCpu = await read('objectNormal', 'cpu');
  const mirrored = await read('objectNormal', 'auto', true);
  const mirroredCpu = await read('objectNormal', 'cpu', true);
  // Along the rim, a tangent points from one vertex to the next.
  const { vectors, positions, mesh } = await read('objectTangent', 'auto');
  const along = new Float32Array(vectors.length);
  const rest = mesh.geometry.getAttribute('position');
  const tangent = mesh.geometry.getAttribute('tangent');
  const normal = mesh.geometry.getAttribute('normal');
  for (let u = 0; u < rest.count; u++) {
    const next =
      Math.abs(normal.getY(u)) < 0.5 &&
      u + 1 < rest.count &&
      Math.hypot(rest.getX(u + 1) - rest.getX(u), rest.getY(u + 1) - rest.getY(u), rest.getZ(u + 1) - rest.getZ(u)) <
        0.03
        ? u + 1
        : u;
    const sign = Math.sign(
      (rest.getX(next) - rest.getX(u)) * tangent.getX(u) + (rest.getZ(next) - rest.getZ(u)) * tangent.getZ(u),
    );
    for (let k = 0; k < 3; k++)
      along[3 * u + k] = next === u ? vectors[3 * u + k] : sign * (positions[3 * next + k] - positions[3 * u + k]);
  }
  for (const toon of toons) toon.dispose();
  return {
    normals: turned(onCard.vectors, onCpu.vectors, 3),
    mirrored: turned(mirrored.vectors, mirroredCpu.vectors, 3),
    tangents: turned(vectors, along, 8),
  };
}

// --- shadows ---

const SIZE = 192;

function dark(scene, camera) {
  const target = new THREE.WebGLRenderTarget(SIZE, SIZE);
  const pixels = new Uint8Array(4 * SIZE * SIZE);
  renderer.setRenderTarget(target);
  renderer.setClearColor('white', 1);
  renderer.render(scene, camera);
  renderer.readRenderTargetPixels(target, 0, 0, SIZE, SIZE, pixels);
  renderer.setRenderTarget(null);
  target.dispose();
  return Uint8Array.from({ length: SIZE * SIZE }, (_, i) => (pixels[4 * i] < 100 ? 1 : 0));
}

function overlap(a, b) {
  let both = 0;
  let either = 0;
  for (let i = 0; i < a.length; i++) {
    both += a[i] & b[i];
    either += a[i] | b[i];
  }
  return both / either;
}

/** Compares the shadow on the floor with the character seen from the light, deformed and plain. */
export async function compareShadow(kind) {
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.BasicShadowMap;
  const unseen = new THREE.MeshBasicMaterial({ colorWrite: false, depthWrite: false });
  const black = new THREE.MeshBasicMaterial({ color: 'black' });
  const { group, mesh, bones } = tube({ material: unseen, rings: 33, sides: 16 });
  const scene = new THREE.Scene();
  const floor = new THREE.Mesh(
    new THREE.PlaneGeometry(30, 30).rotateX(-Math.PI / 2),
    new THREE.MeshLambertMaterial({ color: 'white' }),
  );
  const light = kind === 'point' ? new THREE.PointLight('white', 400, 0, 1.5) : new THREE.DirectionalLight('white', 4);
  const camera =
    kind === 'point'
      ? new THREE.PerspectiveCamera(50, 1, 0.1, 50)
      : new THREE.OrthographicCamera(-4, 4, 4, -4, 0.1, 50);
  light.position.set(0, 9, kind === 'point' ? 0 : 0.5);
  light.castShadow = floor.receiveShadow = mesh.castShadow = true;
  light.shadow.mapSize.setScalar(1024);

  camera.position.set(0, 9, kind === 'point' ? 0.0001 : 0.5);
  camera.lookAt(0, 0, 0);
  floor.position.y = -0.5;
  group.rotation.z = -Math.PI / 2;
  group.position.x = -1.5;
  scene.add(group, floor, light, new THREE.AmbientLight('white', 0.1));
  const toon = await limber(group, { effects: { floppy: { angular: 0.5 } } });
  swing(toon, bones, 14, 'x');
  const shadow = dark(scene, camera);
  floor.visible = false;
  mesh.material = black;
  toon.update(0);
  const seen = dark(scene, camera);
  toon.style = {};
  const plain = dark(scene, camera);
  toon.dispose();
  renderer.shadowMap.enabled = false;
  return { shadow: shadow.reduce((a, b) => a + b), deformed: overlap(shadow, seen), plain: overlap(shadow, plain) };
}

/** Number of triangles drawn for a character in view, and for one out of view. */
export async function culling() {
  const { group, bones } = tube();
  const scene = new THREE.Scene();
  const camera = new THREE.OrthographicCamera(-1, 1, 1, -1, -10, 10);
  scene.add(group);
  const toon = await limber(group, {});
  bones[0].position.x = 60;
  toon.update(1);
  camera.position.x = 60;
  renderer.render(scene, camera);
  const there = renderer.info.render.triangles;
  camera.position.x = 0;
  renderer.render(scene, camera);
  const away = renderer.info.render.triangles;
  toon.dispose();
  return { there, away };
}
