// A character as animators get it from rigs with inverse kinematics: its paws hang on the root, and clips move them there.
import { AnimationMixer, Matrix4, Quaternion, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

globalThis.self ??= globalThis; // needed by GLTFLoader
const FPS = 60;

/** Local transforms of the paws below the root, now. */
function pose(scene, root, paws) {
  scene.updateMatrixWorld(true);
  const below = root.matrixWorld.clone().invert();
  return paws.map((paw) => {
    const [place, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    new Matrix4().multiplyMatrices(below, paw.matrixWorld).decompose(place, turn, scale);
    return { place: place.toArray(), turn: turn.toArray() };
  });
}

/** The .glb with the nodes of these names below the root. */
export async function withIk(bytes, rootName, names) {
  const whole = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { scene, animations } = await new GLTFLoader().parseAsync(whole, '');
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length));
  const parts = [bytes.subarray(28 + length, 28 + length + json.buffers[0].byteLength)];
  let size = parts[0].length;
  const put = (values, type, more = {}) => {
    const data = Buffer.from(Float32Array.from(values.flat()).buffer);
    json.bufferViews.push({ buffer: 0, byteOffset: size, byteLength: data.length });
    parts.push(data);
    size += data.length;
    return json.accessors.push({ bufferView: json.bufferViews.length - 1, componentType: 5126, type, count: values.length, ...more }) - 1; // prettier-ignore
  };
  const numbers = names.map((name) => json.nodes.findIndex((node) => node.name === name));
  const [root, ...paws] = [rootName, ...names].map((name) => scene.getObjectByName(name));
  const rest = pose(scene, root, paws);
  for (const node of json.nodes) node.children = node.children?.filter((child) => !numbers.includes(child));
  for (const node of json.nodes) if (!node.children?.length) delete node.children;
  const top = json.nodes.find((node) => node.name === rootName);
  top.children = [...(top.children ?? []), ...numbers]; // behind their legs
  numbers.forEach((number, i) => {
    const { matrix: _matrix, ...node } = json.nodes[number];
    json.nodes[number] = { ...node, translation: rest[i].place, rotation: rest[i].turn };
  });
  for (const [i, clip] of animations.entries()) {
    const mixer = new AnimationMixer(scene);
    mixer.clipAction(clip).play();
    const count = Math.max(2, Math.round(clip.duration * FPS) + 1);
    const times = Array.from({ length: count }, (_, k) => (k / (count - 1)) * clip.duration * (1 - 1e-6));
    const poses = times.map((time) => (mixer.setTime(time), pose(scene, root, paws)));
    mixer.stopAllAction();
    const { channels, samplers } = json.animations[i];
    const input = put(times.map((time) => [time]), 'SCALAR', { min: [times[0]], max: [Math.fround(times.at(-1))] }); // prettier-ignore
    const kept = channels.filter(({ target }) => !numbers.includes(target.node));
    numbers.forEach((node, k) => {
      const add = (path, type, values) =>
        kept.push({ sampler: samplers.push({ input, output: put(values, type) }) - 1, target: { node, path } });
      add('translation', 'VEC3', poses.map((one) => one[k].place)); // prettier-ignore
      add('rotation', 'VEC4', poses.map((one) => one[k].turn)); // prettier-ignore
    });
    json.animations[i].channels = kept;
  }
  json.buffers[0].byteLength = size;
  const text = Buffer.from(JSON.stringify(json));
  const head = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const words = Buffer.alloc(28);
  [0x46546c67, 2, 28 + head.length + size, head.length, 0x4e4f534a].forEach((word, i) =>
    words.writeUInt32LE(word, 4 * i),
  );
  words.writeUInt32LE(size, 20);
  words.writeUInt32LE(0x004e4942, 24);
  return Buffer.concat([words.subarray(0, 20), head, words.subarray(20), ...parts]);
}
