// Pictures of the papers' kind: arrows of velocity and acceleration, the plain as a ghost, two styles, the papers' presets;
// and cameras of the file.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import {
  becomes,
  character,
  difference,
  drop,
  editedGlb,
  open,
  pause,
  picture,
  settle,
  start,
  until,
  view,
} from './help/kit.mjs';

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage);
  ({ page } = app);
  await pause(page);
  await page.evaluate(async () => {
    window.studio.viewer.compare.value = 'off';
    await window.studio.openBuiltIn('dog');
    window.studio.player.seek(0.2);
  });
  await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'dog');
  await settle(page);
});
after(() => stage?.close());

/** The arrows in the scene: how many ends, their colors, and how far the longest straight one is off, in sizes. */
const arrows = () =>
  page.evaluate(() => {
    const { viewer, session, store, player, motionView } = window.studio;
    const lines = viewer.helpers.children.filter((one) => one.isLineSegments && one.geometry.getAttribute('color'));
    if (!lines.some((one) => one.visible)) return { count: 0 };
    const { geometry } = lines[0];
    const { pipeline, clip } = session.value.pipeline(store.current.clip);
    pipeline.evaluateJoints(clip, player.time.value);
    const motion = pipeline.kinematics();
    const worlds = pipeline.worldMatrices();
    const [ways, span] = motionView.value === 'velocity' ? [motion.velocity, 0.1] : [motion.acceleration, 0.01];
    const { size, joints } = pipeline.character;
    const places = geometry.getAttribute('position');
    let off = 0;
    let wanted = 0;
    joints.forEach((_, j) => {
      const way = [0, 1, 2].map((c) => span * ways[3 * j + c]);
      if (Math.hypot(...way) <= 0.02 * size) return;
      wanted++;
      const from = [0, 1, 2].map((c) => worlds[16 * j + 12 + c]);
      let best = Infinity;
      for (let i = 0; i + 1 < places.count; i += 2) {
        const start = [places.getX(i), places.getY(i), places.getZ(i)];
        const end = [places.getX(i + 1), places.getY(i + 1), places.getZ(i + 1)];
        const miss = Math.hypot(...start.map((v, c) => v - from[c]), ...end.map((v, c) => v - from[c] - way[c]));
        best = Math.min(best, miss);
      }
      off = Math.max(off, best / size);
    });
    const colors = new Set();
    const color = geometry.getAttribute('color');
    for (let i = 0; i < color.count; i++) colors.add(color.getX(i).toFixed(3));
    return { count: places.count, wanted, off, colors: [...colors] };
  });

test('Shift + A shows velocities, then accelerations, then none', async () => {
  assert.equal((await arrows()).count, 0);
  const plain = await view(page);
  await page.locator('.viewport').focus();
  await page.keyboard.press('Shift+A');
  await becomes(() => page.evaluate(() => window.studio.motionView.value), 'velocity');
  await settle(page);
  const velocity = await arrows();
  assert.ok(velocity.wanted > 1 && velocity.off < 1e-5, `${velocity.wanted} arrows, ${velocity.off} off`);
  assert.notDeepEqual(await view(page), plain);
  await picture(page, 'view-velocity');
  await page.keyboard.press('Shift+A');
  await becomes(() => page.evaluate(() => window.studio.motionView.value), 'acceleration');
  await settle(page);
  const acceleration = await arrows();
  assert.ok(acceleration.wanted > 1 && acceleration.off < 1e-5, `${acceleration.wanted}, ${acceleration.off} off`);
  assert.ok(!acceleration.colors.some((one) => velocity.colors.includes(one)), 'colors of their own');
  await picture(page, 'view-acceleration');
  await page.keyboard.press('Shift+A');
  await becomes(async () => (await arrows()).count, 0);
});

test('the panel of joints has the same choice', async () => {
  const choice = page.getByRole('radiogroup', { name: 'Arrows of the joints' });
  await choice.getByRole('radio', { name: /^Acceleration/ }).click();
  await becomes(() => page.evaluate(() => window.studio.motionView.value), 'acceleration');
  await choice.getByRole('radio', { name: 'No arrows' }).click();
  await becomes(async () => (await arrows()).count, 0);
});

/** Of the compared character: whether it is drawn, and how its materials are. */
const ghost = () =>
  page.evaluate(() => {
    const session = window.studio.session.value;
    const looks = [];
    session.plain.traverse(
      (one) => one.isMesh && [one.material].flat().forEach((m) => looks.push([m.transparent, m.opacity, m.depthWrite])),
    );
    return { visible: session.plain.visible, styled: session.styled.visible, looks };
  });

test('the plain is a transparent ghost over the styled, and solid again afterwards', async () => {
  await page.evaluate(() => (window.studio.viewer.compare.value = 'split'));
  await page.waitForFunction(() => window.studio.session.value.plainReady);
  await settle(page);
  const before = (await ghost()).looks;
  await page.evaluate(() => (window.studio.viewer.compare.value = 'off'));
  await settle(page);
  const styled = await view(page);
  await page.getByRole('radio', { name: 'The plain as a ghost over the styled' }).click();
  await settle(page);
  const now = await ghost();
  assert.ok(now.visible && now.styled);
  assert.ok(now.looks.length > 0 && now.looks.every(([clear, opacity, writes]) => clear && opacity < 0.6 && !writes));
  assert.notDeepEqual(await view(page), styled);
  await picture(page, 'ghost');
  await page.evaluate(() => (window.studio.viewer.compare.value = 'split'));
  await settle(page);
  assert.deepEqual((await ghost()).looks, before);
});

test('the presets of the papers can be worn, and compared with', async () => {
  const papers = page.locator('summary', { hasText: 'From the papers' });
  assert.equal(await papers.count(), 1);
  await page.locator('.view-label.plain').click();
  const items = await page.getByRole('menuitem').allTextContents();
  for (const name of ['cartoon', 'vs-floppy', 'as-drag', 'sm-elongate'])
    assert.ok(items.includes(name), `${name} is not among ${items.join(', ')}`);
  await page.getByRole('menuitem', { name: 'vs-floppy', exact: true }).click();
  await becomes(() => page.evaluate(() => window.studio.compareWith.value?.name), 'vs-floppy');
  assert.deepEqual(app.faults(), []);
});

/** The dog with a camera that turns as its first joint does that turns. */
const filmed = () =>
  editedGlb(character('dog'), (json) => {
    json.cameras = [{ type: 'perspective', perspective: { aspectRatio: 2, yfov: 0.6, znear: 0.01 } }];
    json.nodes.push({ name: 'Shot', camera: 0, translation: [0.5, 1, 4] });
    json.scenes[json.scene ?? 0].nodes.push(json.nodes.length - 1);
    for (const { channels } of json.animations) {
      const { sampler } = channels.find(({ target }) => target.path === 'rotation');
      channels.push({ sampler, target: { node: json.nodes.length - 1, path: 'rotation' } });
    }
  });

test('a camera of the file, which moves, is a view that films keep; moving the camera ends it', async () => {
  await page.evaluate(() => (window.studio.viewer.compare.value = 'off'));
  await drop(page, 'filmed.glb', filmed());
  await becomes(() => page.evaluate(() => window.studio.session.value.file.name), 'filmed.glb');
  await page.getByRole('button', { name: 'Front, side or back view' }).click();
  await page.getByRole('menuitem', { name: 'Camera: Shot' }).click();
  await page.locator('.view-label.shot').waitFor();
  const at = (time) =>
    page.evaluate((seconds) => {
      const { viewer, player, session, store } = window.studio;
      player.seek(seconds);
      viewer.shoot();
      const { camera } = viewer;
      const clip = session.value.clip(store.current.clip);
      const track = clip.tracks.find(({ name }) => name === 'Shot.quaternion');
      return {
        place: camera.position.toArray(),
        turn: camera.quaternion.toArray(),
        wanted: [...track.createInterpolant().evaluate(seconds)],
        field: camera.fov,
        aspect: camera.aspect,
      };
    }, time);
  const views = [await at(0.1), await at(0.31)];
  assert.ok(difference(views[0].turn, views[1].turn) > 1e-3, 'it does not move');
  for (const { place, turn, wanted, field, aspect } of views) {
    assert.ok(difference(place, [0.5, 1, 4]) < 1e-5);
    assert.ok(
      Math.min(
        difference(turn, wanted),
        difference(
          turn.map((x) => -x),
          wanted,
        ),
      ) < 1e-5,
    );
    const half = Math.tan(0.3) * Math.max(2 / aspect, 1); // all of the camera's picture is seen
    assert.ok(Math.abs(field - (Math.atan(half) * 360) / Math.PI) < 1e-3);
  }
  await picture(page, 'shot');
  // A film looks through it, whatever the turntable says, in every frame.
  await page.evaluate(() => {
    const { viewer, player } = window.studio;
    const { start } = player.span.value;
    player.setSpan({ start, end: start + 0.1, fps: 30 });
    const shoot = viewer.shoot.bind(viewer);
    window.shots = [];
    viewer.shoot = () => {
      const canvas = shoot();
      window.shots.push([...viewer.camera.position.toArray(), ...viewer.camera.quaternion.toArray()]);
      return canvas;
    };
  });
  await page.keyboard.press('x');
  await page.getByRole('switch', { name: 'Turntable' }).click();
  await page.getByRole('radio', { name: 'Loops in chats and documents; 256 colors per frame' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save film' }).click();
  assert.match((await download).suggestedFilename(), /\.gif$/);
  const shots = await page.evaluate(() => window.shots);
  assert.equal(shots.length, 3);
  for (const shot of shots) assert.ok(difference(shot.slice(0, 3), [0.5, 1, 4]) < 1e-5);
  assert.ok(difference(shots[0], shots[2]) > 1e-4, 'the film stands still');
  assert.equal(await page.evaluate(() => window.studio.viewer.shot.value?.name), 'Shot');
  const box = await page.locator('.viewport').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 30, box.y + box.height / 2);
  await page.mouse.up();
  await until(() => page.locator('.view-label.shot').isHidden(), 'the shot does not end');
  assert.deepEqual(app.faults(), []);
});
