import { AnimationMixer } from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { limber } from 'limber/three';
import { loadModel, makeStage, run } from '../stage.js';

const COUNT = Number(new URLSearchParams(location.search).get('count')) || 500;
const ROWS = Math.ceil(Math.sqrt(0.8 * COUNT));
const COLUMNS = Math.ceil(COUNT / ROWS);
const stage = makeStage({ reach: 14, eye: [0, 7, 19], target: [0, 0, 1] });
const gltf = await loadModel('flower');
const people = [];
for (let i = 0; i < COUNT; i++) {
  const flower = clone(gltf.scene);
  const mixer = new AnimationMixer(flower);
  const clip = gltf.animations[i % gltf.animations.length];
  const column = (i % COLUMNS) - (COLUMNS - 1) / 2;
  const row = Math.floor(i / COLUMNS) - (ROWS - 1) / 2;
  flower.position.set(column + 0.3 * Math.sin(12.9 * i), 0, row + 0.3 * Math.sin(7.7 * i * i));
  flower.rotation.y = 0.5 * Math.sin(3.1 * i);
  flower.scale.setScalar(1 + 0.25 * Math.sin(5.3 * i));
  stage.scene.add(flower);
  people.push({ mixer, toon: await limber(flower, 'cartoon') }); // still in the same rest pose, so clones share the character
  mixer.clipAction(clip).play();
  mixer.setTime(((i * 0.618) % 1) * clip.duration);
}

const cost = document.querySelector('#cost');
let spent = 0;
let frames = 0;
run(stage, (dt) => {
  for (const { mixer } of people) mixer.update(dt);
  const start = performance.now();
  for (const { toon } of people) toon.update(dt);
  spent += performance.now() - start;
  if (++frames % 30 === 0) {
    cost.textContent = `${(spent / 30).toFixed(1)} ms for all of them per frame.`;
    spent = 0;
  }
});
