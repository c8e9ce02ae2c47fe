// Plays a baked file in Babylon.js; bundled by baked.test.mjs, runs in the page.
import { Engine } from '@babylonjs/core/Engines/engine.js';
import { ImportMeshAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { FreeCamera } from '@babylonjs/core/Cameras/freeCamera.js';
import { HemisphericLight } from '@babylonjs/core/Lights/hemisphericLight.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { Scene } from '@babylonjs/core/scene.js';
import '@babylonjs/core/Animations/animatable.js';
import '@babylonjs/loaders/glTF/2.0/index.js';

/** Places of all vertices at some times, in seconds of the first clip, and the weights of the morph targets. */
export async function play(url, times) {
  const engine = new Engine(document.body.appendChild(document.createElement('canvas')), false);
  const scene = new Scene(engine);
  new FreeCamera('camera', new Vector3(0, 1, -5), scene);
  new HemisphericLight('light', new Vector3(0, 1, 0), scene);
  const { meshes, animationGroups } = await ImportMeshAsync(url, scene);
  const [clip] = animationGroups;
  scene.animationGroups.forEach((one) => one.stop());
  clip.start(false);
  clip.pause();
  const frames = times.map((time) => {
    clip.goToFrame(clip.from + time * clip.targetedAnimations[0].animation.framePerSecond);
    scene.render();
    const drawn = meshes.filter((mesh) => mesh.getTotalVertices() > 0);
    return {
      places: drawn.flatMap((mesh) => [...mesh.getPositionData(true, true)]),
      weights: drawn.flatMap(({ morphTargetManager: all }) =>
        Array.from({ length: all?.numTargets ?? 0 }, (_, i) => all.getTarget(i).influence),
      ),
    };
  });
  scene.dispose();
  engine.dispose();
  return frames;
}
