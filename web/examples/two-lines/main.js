import { AnimationMixer } from 'three';
import { PRESETS } from 'limber/engine';
import { limber } from 'limber/three';
import { loadModel, makeStage, run } from '../stage.js';

const stage = makeStage({ reach: 2.5, eye: [2.6, 1.5, 3.2], target: [0, 0.7, 0] });
const gltf = await loadModel('cow');
const mixer = new AnimationMixer(gltf.scene);
stage.scene.add(gltf.scene);

const toon = await limber(gltf.scene, 'cartoon'); // the first line
gltf.animations.forEach((clip) => mixer.clipAction(clip));
let shown = -1;
const next = () => {
  mixer.stopAllAction();
  shown = (shown + 1) % gltf.animations.length;
  mixer.clipAction(gltf.animations[shown]).reset().play();
};
next();
setInterval(next, 4000);

run(stage, (dt) => {
  mixer.update(dt);
  toon.update(dt); // the second
});

const select = document.querySelector('#style');
select.append(...PRESETS.map(({ name }) => new Option(name, name, name === 'cartoon', name === 'cartoon')));
select.onchange = () => (toon.style = select.value);
