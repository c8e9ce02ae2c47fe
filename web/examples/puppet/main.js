import { Plane, Raycaster, Vector2, Vector3 } from 'three';
import { limber } from 'limber/three';
import { loadModel, makeStage, run } from '../stage.js';

const stage = makeStage({ reach: 3, eye: [0, 2.2, 5], target: [0, 0.9, 0], orbit: false });
const { scene: puppet } = await loadModel('cow');
stage.scene.add(puppet);
const toon = await limber(puppet, 'jelly');

const wanted = new Vector3(0, 0.4, 0);
const ray = new Raycaster();
const plane = new Plane(new Vector3(0, 0, 1), 0);
const speed = new Vector3();
addEventListener('pointermove', (event) => {
  ray.setFromCamera(
    new Vector2((2 * event.clientX) / innerWidth - 1, 1 - (2 * event.clientY) / innerHeight),
    stage.camera,
  );
  if (ray.ray.intersectPlane(plane, wanted))
    wanted.set(Math.max(-2.5, Math.min(2.5, wanted.x)), Math.max(0, Math.min(2, wanted.y - 0.7)), 0);
});

let heading = 0.6;
run(stage, (dt) => {
  const step = Math.min(dt, 0.05);
  const before = puppet.position.x;
  speed.addScaledVector(wanted.clone().sub(puppet.position), 60 * step).multiplyScalar(Math.exp(-9 * step)); // a soft spring
  puppet.position.addScaledVector(speed, step);
  const turn = Math.sign(puppet.position.x - before || 1) * Math.min(Math.abs(speed.x), 1.2);
  heading += (turn - heading) * Math.min(1, 4 * step);
  puppet.rotation.y = heading;
  toon.update(dt);
});
