// Plays a baked file in PlayCanvas; bundled by baked.test.mjs, runs in the page.
import { Application, Asset } from 'playcanvas';

const load = (app, url) =>
  new Promise((resolve, reject) => {
    const asset = new Asset(url, 'container', { url });
    asset.once('load', () => resolve(asset.resource));
    asset.once('error', (message) => reject(new Error(message)));
    app.assets.add(asset);
    app.assets.load(asset);
  });

/** The weights of the morph targets at some times, in seconds of the first clip. */
export async function play(url, times) {
  const app = new Application(document.body.appendChild(document.createElement('canvas')));
  const container = await load(app, url);
  const character = container.instantiateRenderEntity();
  app.root.addChild(character);
  character.addComponent('anim', { activate: true });
  character.anim.assignAnimation('play', container.animations[0].resource);
  app.start();
  app.update(0); // the clip becomes the active state
  const meshes = character.findComponents('render').flatMap((render) => render.meshInstances);
  return times.map((time) => {
    character.anim.baseLayer.activeStateCurrentTime = time;
    app.update(0);
    return {
      weights: meshes.flatMap(({ morphInstance: all }) =>
        Array.from({ length: all?.morph.targets.length ?? 0 }, (_, i) => all.getWeight(i)),
      ),
    };
  });
}
