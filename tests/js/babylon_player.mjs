// An animation player that is not limber: Babylon.js without a GPU (its NullEngine), with its own skinning on the CPU.
import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { ImportMeshAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { Scene } from '@babylonjs/core/scene.js';
import '@babylonjs/core/Animations/animatable.js';
import '@babylonjs/loaders/glTF/2.0/index.js';
import { makeGlb, readGltf, shownMeshes } from './gltf_file.mjs';

/** Without pictures, which move no vertices. */
function bytesOf(file) {
  const { json, buffers } = readGltf(file);
  const plain = structuredClone(json);
  for (const key of ['images', 'textures', 'samplers']) delete plain[key];
  if (plain.materials) plain.materials = plain.materials.map(() => ({}));
  if (plain.buffers) delete plain.buffers[0].uri;
  return { json, glb: makeGlb(plain, buffers[0]) };
}

/** [mesh, primitive] of the file. */
const placeOf = (mesh) => {
  const found = mesh._internalMetadata?.gltf?.pointers?.map((text) => text.match(/^\/meshes\/(\d+)\/primitives\/(\d+)$/)).find(Boolean);
  return found ? [Number(found[1]), Number(found[2])] : [undefined, 0];
};

export class BabylonPlayer {
  static async open(file) {
    const { json, glb } = bytesOf(file);
    const scene = new Scene(new NullEngine());
    scene.useRightHandedSystem = true;
    const url = `data:model/gltf-binary;base64,${Buffer.from(glb).toString('base64')}`;
    const made = await ImportMeshAsync(url, scene, { pluginExtension: '.glb' });
    return new BabylonPlayer(json, scene, made);
  }

  constructor(json, scene, { meshes, animationGroups }) {
    Object.assign(this, { json, scene, groups: animationGroups, parts: new Map() });
    animationGroups.forEach((group) => group.stop());
    for (const mesh of meshes) {
      if (!mesh.getTotalVertices()) continue;
      const [index, primitive] = placeOf(mesh);
      if (!this.parts.has(index)) this.parts.set(index, []);
      this.parts.get(index)[primitive] = mesh;
    }
  }

  pose(index, time) {
    if (this.group !== this.groups[index]) {
      this.group?.stop();
      this.group = this.groups[index];
      this.group.start(false);
      this.group.pause();
    }
    this.group.goToFrame(time * 60); // its loader makes 60 frames a second
    for (const node of this.scene.transformNodes) node.computeWorldMatrix(true);
    for (const mesh of this.scene.meshes) mesh.computeWorldMatrix(true);
    for (const skeleton of this.scene.skeletons) skeleton.prepare(true);
  }

  /** World positions of all meshes, in limber's order, 3 numbers per vertex. No mesh may hang on two nodes. */
  positions(nodes = shownMeshes(this.json).map((entry) => entry.node)) {
    const out = [];
    for (const node of nodes)
      for (const mesh of this.parts.get(this.json.nodes[node].mesh) ?? []) {
        const data = mesh.getPositionData(true, true);
        const world = mesh.getWorldMatrix();
        for (let i = 0; i < data.length; i += 3) {
          const p = Vector3.TransformCoordinates(Vector3.FromArray(data, i), world);
          out.push(p.x, p.y, p.z);
        }
      }
    return Float64Array.from(out);
  }

  close() {
    this.scene.getEngine().dispose();
  }
}
