import { Raycaster, Vector2 } from 'three';
import { limberCrowd } from 'limber/three';
import { loadModel, makeStage, run } from '../stage.js';

const COUNT = Number(new URLSearchParams(location.search).get('count')) || 500;
const EVERY = 5; // one of five is a cow, the others are flowers
const COLUMNS = Math.ceil(Math.sqrt(1.3 * COUNT));
const ROWS = Math.ceil(COUNT / COLUMNS);
const stage = makeStage({ reach: 20, eye: [0, 7, 23], target: [0, 0.2, 6] });

// A place for the i-th of all, on a grid that nobody sees.
function place(member, i, size) {
  const x = 1.45 * ((i % COLUMNS) - (COLUMNS - 1) / 2) + 0.4 * Math.sin(12.9 * i);
  const z = 1.45 * (ROWS / 2 - Math.floor(i / COLUMNS)) + 0.4 * Math.sin(7.7 * i * i);
  member.place(x, 0, z, 0.9 * Math.sin(3.1 * i), size * (1 + 0.2 * Math.sin(5.3 * i)));
}

async function makeCrowd(name, clips, size, numbers) {
  const crowd = await limberCrowd(await loadModel(name), 'cartoon', {
    count: numbers.length,
    step: 1 / 60, // those in the same moment are computed only once
    rates: [{ distance: 25, every: 2 }],
  });
  crowd.members.forEach((member, k) => {
    place(member, numbers[k], size);
    member.clip = clips[k % clips.length];
    member.time = ((k * 0.618) % 1) * member.clip.duration;
  });
  stage.scene.add(crowd);
  return crowd;
}

const all = Array.from({ length: COUNT }, (_, i) => i);
const isCow = (i) => i % EVERY === 2;
const crowds = [
  await makeCrowd(
    'flower',
    ['sway', 'dance', 'twist'],
    0.85,
    all.filter((i) => !isCow(i)),
  ),
  await makeCrowd('cow', ['jump', 'walk'], 0.8, all.filter(isCow)),
];

// Whoever is clicked does something else.
const raycaster = new Raycaster();
const pointer = new Vector2();
stage.renderer.domElement.addEventListener('click', ({ clientX, clientY }) => {
  pointer.set((2 * clientX) / innerWidth - 1, 1 - (2 * clientY) / innerHeight);
  raycaster.setFromCamera(pointer, stage.camera);
  const [hit] = raycaster.intersectObjects(crowds);
  if (!hit) return;
  const crowd = hit.object.parent;
  const member = crowd.members[hit.instanceId];
  member.clip = crowd.clips[(crowd.clips.indexOf(member.clip) + 1) % crowd.clips.length];
});

const cost = document.querySelector('#cost');
let spent = 0;
let frames = 0;
run(stage, (dt) => {
  const start = performance.now();
  for (const crowd of crowds) crowd.update(dt, stage.camera);
  spent += performance.now() - start;
  if (++frames % 30 === 0) {
    cost.textContent = `${(spent / 30).toFixed(1)} ms for all of them per frame.`;
    spent = 0;
  }
});
