// An animation player that is not limber: three.js's GLTFLoader and AnimationMixer, with its own skinning on the CPU.
import * as THREE from 'three';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { makeGlb, readGltf, shownMeshes } from './gltf_file.mjs';

globalThis.self = globalThis; // what the loader expects of a browser

// Pictures do not move vertices, and decoding them needs a browser. A node can only be in one of three.js's scenes.
function playable(json) {
  const plain = structuredClone(json);
  plain.scenes = [plain.scenes[plain.scene ?? 0]];
  plain.scene = 0;
  delete plain.images;
  delete plain.textures;
  delete plain.samplers;
  if (plain.materials) plain.materials = plain.materials.map(() => ({}));
  if (plain.extensionsRequired) {
    plain.extensionsRequired = plain.extensionsRequired.filter((name) => !/^(KHR_materials_|KHR_texture_|EXT_texture_)/.test(name));
    if (!plain.extensionsRequired.length) delete plain.extensionsRequired;
  }
  return plain;
}

export class Player {
  static async open(file) {
    const { json, buffers } = readGltf(file);
    const rooms = (json.buffers ?? []).filter((buffer) => buffer.extensions?.EXT_meshopt_compression?.fallback);
    if (buffers.length - rooms.length > 1) throw new Error(`${file}: the player takes one buffer`);
    const plain = playable(json);
    if (plain.buffers) delete plain.buffers[0].uri;
    const glb = makeGlb(plain, buffers[0]);
    const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(glb.buffer, '');
    return new Player(json, gltf);
  }

  constructor(json, gltf) {
    this.json = json;
    this.scene = gltf.scene;
    this.clips = gltf.animations;
    this.parts = new Map(); // node -> its primitives' objects
    gltf.scene.traverse((object) => {
      if (!object.isMesh && !object.isPoints && !object.isLine) return;
      const place = gltf.parser.associations.get(object);
      const holder = place.nodes !== undefined ? object : object.parent;
      const node = gltf.parser.associations.get(holder).nodes;
      if (!this.parts.has(node)) this.parts.set(node, []);
      this.parts.get(node)[place.primitives ?? 0] = object;
    });
  }

  // The pose of clip `index` at `time` seconds; index -1 is the default pose.
  pose(index, time) {
    if (this.current !== index) {
      this.mixer?.stopAllAction();
      this.mixer = new THREE.AnimationMixer(this.scene);
      this.action = index >= 0 ? this.mixer.clipAction(this.clips[index]) : null;
      this.action?.play();
      this.current = index;
    }
    if (this.action) this.action.time = time;
    this.mixer.update(0);
    this.scene.updateMatrixWorld(true);
    this.scene.traverse((object) => object.skeleton?.update());
  }

  // World positions of the meshes on `nodes` (default: all, in limber's order), 3 numbers per vertex.
  positions(nodes = shownMeshes(this.json).map((entry) => entry.node)) {
    const out = [];
    const v = new THREE.Vector3();
    for (const node of nodes) {
      for (const object of this.parts.get(node) ?? []) {
        const count = object.geometry.attributes.position.count;
        for (let i = 0; i < count; i++) {
          if (object.getVertexPosition) object.getVertexPosition(i, v);
          else v.fromBufferAttribute(object.geometry.attributes.position, i);
          v.applyMatrix4(object.matrixWorld);
          out.push(v.x, v.y, v.z);
        }
      }
    }
    return Float64Array.from(out);
  }
}
