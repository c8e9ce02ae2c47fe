// Opens an .fbx as three.js does and says where its vertices are: for import.mjs.
import fs from 'node:fs';

globalThis.self = globalThis; // which the loader expects of a browser
const THREE = await import('three');
const { FBXLoader } = await import('three/addons/loaders/FBXLoader.js');

function open(file) {
  const bytes = fs.readFileSync(file);
  const { warn, error } = console;
  console.warn = console.error = () => {}; // pictures and exotic materials, which a node has not
  try {
    return new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
  } finally {
    Object.assign(console, { warn, error });
  }
}

function shownVertices(scene, meters, skinned) {
  const found = [];
  const at = new THREE.Vector3();
  scene.updateMatrixWorld(true);
  scene.traverse((item) => {
    if (!item.isMesh) return;
    const places = item.geometry.attributes.position;
    for (let v = 0; v < places.count; v++) {
      at.fromBufferAttribute(places, v);
      if (skinned) item.getVertexPosition(v, at);
      at.applyMatrix4(item.matrixWorld).multiplyScalar(meters);
      found.push(at.x, at.y, at.z);
    }
  });
  return found;
}

/** In meters, Y up: the vertices of the bind pose, then those at each time [s] of a clip (its name, or the longest). */
export function verticesOfThree(file, times, clip) {
  const scene = open(file);
  const meters = 0.01 * (scene.userData.unitScaleFactor ?? 1);
  const lists = [shownVertices(scene, meters, false)];
  const take = scene.animations.find((a) => a.name === clip) ?? [...scene.animations].sort((a, b) => b.duration - a.duration)[0];
  const mixer = new THREE.AnimationMixer(scene);
  if (take) mixer.clipAction(take).setLoop(THREE.LoopOnce).play().clampWhenFinished = true;
  for (const time of times) {
    mixer.setTime(time);
    lists.push(shownVertices(scene, meters, true));
  }
  return lists;
}
