// A reader of UsdSkel that is not limber: three.js parses the text, and what UsdSkel's documentation says is done with
// the values here: blend shapes, then linear skinning.
import fs from 'node:fs';
import * as THREE from 'three';
import { USDLoader } from 'three/examples/jsm/loaders/USDLoader.js';
import { USDAParser } from 'three/examples/jsm/loaders/usd/USDAParser.js';

const targets = (text) => text.replace(/[[\]\s]/g, '').split(',').filter(Boolean);
const matrices = (values) => {
  const flat = values.flat(Infinity);
  return Array.from({ length: flat.length / 16 }, (_, i) => new THREE.Matrix4().fromArray(flat, 16 * i)); // rows of USD are columns here
};

export class UsdFile {
  static read(file) {
    return new UsdFile(fs.readFileSync(file, 'utf8'));
  }

  constructor(text) {
    this.text = text;
    this.specs = new USDAParser().parseData(text).specsByPath;
    this.root = `/${text.match(/defaultPrim = "(\w+)"/)[1]}`;
  }

  header(name) {
    return Number(this.text.match(new RegExp(`\\n {4}${name} = (\\S+)`))[1]);
  }

  /** Paths of all prims of a type, in the order of the file. */
  prims(type) {
    return Object.keys(this.specs).filter((path) => this.specs[path].fields.typeName === type && this.specs[path].specType === 6);
  }

  value(path, name) {
    return this.specs[`${path}.${name}`]?.fields.default;
  }

  link(path, name) {
    const link = this.specs[`${path}.${name}`]?.fields.targetPaths?.[0];
    return link === undefined ? [] : targets(link);
  }

  /** Times of all samples of an attribute. */
  times(path, name) {
    return this.specs[`${path}.${name}`]?.fields.timeSamples?.times ?? [];
  }

  at(path, name, code) {
    const samples = this.specs[`${path}.${name}`]?.fields.timeSamples;
    if (!samples) return this.value(path, name);
    const i = samples.times.findIndex((time) => time >= code - 1e-3);
    if (i < 0 || Math.abs(samples.times[i] - code) > 1e-2) throw new Error(`${name} has no sample at ${code}`);
    return samples.values[i];
  }
}

// Joint matrices in the space of the skeleton.
function jointsAt(usd, skeleton, animation, code) {
  const joints = usd.value(skeleton, 'joints');
  const order = usd.value(animation, 'joints');
  const rest = matrices(usd.value(skeleton, 'restTransforms'));
  const [t, r, s] = ['translations', 'rotations', 'scales'].map((name) => usd.at(animation, name, code));
  const world = [];
  joints.forEach((joint, j) => {
    const i = order.indexOf(joint);
    const local = i < 0 ? rest[j] : new THREE.Matrix4().compose(new THREE.Vector3().fromArray(t, 3 * i),
      new THREE.Quaternion().fromArray(r, 4 * i), new THREE.Vector3().fromArray(s, 3 * i));
    const above = joint.includes('/') ? joints.indexOf(joint.slice(0, joint.lastIndexOf('/'))) : -1;
    if (joint.includes('/') && !(above >= 0 && above < j)) throw new Error(`${joint} comes before its parent`);
    world.push(above < 0 ? local : world[above].clone().multiply(local));
  });
  return world;
}

function shapedPoints(usd, mesh, animation, code) {
  const points = Float64Array.from(usd.value(mesh, 'points'));
  const tokens = usd.value(animation, 'blendShapes') ?? [];
  const weights = usd.at(animation, 'blendShapeWeights', code) ?? [];
  const shapes = usd.link(mesh, 'skel:blendShapeTargets');
  (usd.value(mesh, 'skel:blendShapes') ?? []).forEach((token, k) => {
    const weight = weights[tokens.indexOf(token)];
    if (weight === undefined) throw new Error(`${token} has no weight`);
    if (!weight) return;
    const offsets = usd.value(shapes[k], 'offsets');
    const indices = usd.value(shapes[k], 'pointIndices');
    if (!indices && offsets.length !== points.length) throw new Error(`${shapes[k]} has ${offsets.length / 3} offsets`);
    for (let i = 0; i < offsets.length / 3; i++) for (let c = 0; c < 3; c++) points[3 * (indices ? indices[i] : i) + c] += weight * offsets[3 * i + c];
  });
  return points;
}

function skinnedPoints(usd, mesh, code) {
  const [skeleton] = usd.link(mesh, 'skel:skeleton');
  const [animation] = usd.link(skeleton, 'skel:animationSource');
  const place = new THREE.Matrix4().fromArray(usd.value(mesh, 'primvars:skel:geomBindTransform'));
  const bind = matrices(usd.value(skeleton, 'bindTransforms'));
  const palette = jointsAt(usd, skeleton, animation, code).map((world, j) => world.clone().multiply(bind[j].clone().invert()).multiply(place));
  const points = shapedPoints(usd, mesh, animation, code);
  const joints = usd.value(mesh, 'primvars:skel:jointIndices'), weights = usd.value(mesh, 'primvars:skel:jointWeights');
  const width = (joints.length * 3) / points.length;
  const out = new Float64Array(points.length), p = new THREE.Vector3();
  for (let v = 0; v < points.length / 3; v++) for (let k = 0; k < width; k++) {
    const weight = weights[v * width + k];
    if (!weight) continue;
    p.fromArray(points, 3 * v).applyMatrix4(palette[joints[v * width + k]]);
    out[3 * v] += weight * p.x;
    out[3 * v + 1] += weight * p.y;
    out[3 * v + 2] += weight * p.z;
  }
  return out;
}

/** three.js's own loader plays skeletons, though not blend shapes: world positions of every corner of every triangle. */
export function playedCorners(text, times) {
  globalThis.self = globalThis; // what the loader expects of a browser
  const group = new USDLoader().parse(text);
  const mixer = new THREE.AnimationMixer(group), action = mixer.clipAction(group.animations[0]).play();
  const v = new THREE.Vector3();
  return times.map((time) => {
    action.time = time;
    mixer.update(0);
    group.updateMatrixWorld(true);
    const out = [];
    group.traverse((object) => {
      object.skeleton?.update();
      for (let i = 0; object.isMesh && i < object.geometry.attributes.position.count; i++) out.push(...object.getVertexPosition(i, v).applyMatrix4(object.matrixWorld).toArray());
    });
    return Float64Array.from(out);
  });
}

/** World positions of all meshes at a time code, one after the other. */
export function pointsAt(usd, code) {
  return Float64Array.from(usd.prims('Mesh').flatMap((mesh) => Array.from(skinnedPoints(usd, mesh, code))));
}

/** Whether three.js finds skinned meshes and a clip in the bytes of a file. */
export function opensInThree(bytes) {
  const group = new USDLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  let meshes = 0;
  group.traverse((object) => { meshes += object.isSkinnedMesh ? 1 : 0; });
  return meshes > 0 && group.animations.length > 0;
}
