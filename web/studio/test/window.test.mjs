// The window: what the camera sees, where the floor is, what keys do whatever was clicked, and how narrow it may be.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import {
  becomes,
  character,
  draws,
  drop,
  editedGlb,
  isPressed,
  open,
  pause,
  picture,
  resize,
  settle,
  start,
  until,
} from './help/kit.mjs';

const LONG = Boolean(process.env.LIMBER_TEST_LONG); // all characters and themes

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage, { width: 1280, height: 720, drawn: false });
  ({ page } = app);
  await pause(page);
});
after(async () => {
  // three.js lets go of what was lost with a context.
  assert.deepEqual(
    app?.faults().filter((one) => !/does not belong to this context|context lost/i.test(one)),
    [],
  );
  await stage?.close();
});

const style = () => page.evaluate(() => window.studio.store.current.style);
const playing = () => page.evaluate(() => window.studio.player.playing.value);
const activeTool = () => page.evaluate(() => window.studio.tool.value.id);
const slider = (path) => page.locator(`.key-row[data-path="${path}"] [role=slider]`);
const openPart = (path) => page.locator(`[data-part="${path}"]`).evaluate((part) => (part.open = true));

/** How far vertices of the whole motion come out of the free part of the view, in pixels. */
const cropped = () =>
  page.evaluate(() => {
    const { viewer, session, store, player } = window.studio;
    const { start, end } = player.span.value;
    const { pipeline, clip } = session.value.pipeline(store.current.clip);
    const pane = viewer.styledPane();
    const bottom = pane.y + pane.height - viewer.covered;
    const at = viewer.camera.position.clone();
    const box = { out: -Infinity, left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    for (let i = 0; i <= 20; i++) {
      const { positions } = pipeline.evaluate(clip, start + ((end - start) * i) / 20);
      for (let v = 0; v < positions.length; v += 30) {
        const { x, y } = viewer.project(at.fromArray(positions, v), pane);
        box.left = Math.min(box.left, x - pane.x);
        box.right = Math.max(box.right, x - pane.x);
        box.top = Math.min(box.top, y);
        box.bottom = Math.max(box.bottom, y);
      }
    }
    const tall = (box.bottom - box.top) / (bottom - pane.y);
    const wide = (box.right - box.left) / pane.width;
    const out = Math.max(-box.left, box.right - pane.width, -box.top, box.bottom - bottom);
    return { out, fills: Math.max(tall, wide) };
  });

test('the whole motion is in view, above the first hint, and fills it; also in the panes of a comparison', async () => {
  await page.locator('.hint').waitFor();
  for (const name of LONG ? ['cow', 'hero'] : ['hero'])
    for (const compare of ['split', 'off']) {
      await page.evaluate(
        async ([one, how]) => {
          if (window.studio.session.value.file.builtIn !== one) await window.studio.openBuiltIn(one);
          window.studio.viewer.compare.value = how;
        },
        [name, compare],
      );
      await page.waitForFunction((one) => window.studio.session.value.file.builtIn === one, name);
      await page.locator('.viewport').focus();
      await page.keyboard.press('f');
      await settle(page);
      const { out, fills } = await cropped();
      assert.ok(out <= 0, `${name}, ${compare}: ${out} pixels are cropped`);
      assert.ok(fills > 0.6, `${name}, ${compare}: it fills ${fills} of the view`);
    }
});

test('front, side and back views frame the motion as well', async () => {
  const seen = new Set();
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press('Shift+v');
    await settle(page);
    assert.ok((await cropped()).out <= 0);
    const [x, z] = await page.evaluate(() => {
      const { camera, controls } = window.studio.viewer;
      const away = camera.position.clone().sub(controls.target).normalize();
      return [Math.round(away.x), Math.round(away.z)];
    });
    seen.add(`${x} ${z}`);
  }
  for (const side of ['0 1', '1 0', '0 -1']) assert.ok(seen.has(side), `no view from ${side}: ${[...seen]}`);
});

test('the floor is where the character stands, not at the lowest point of the motion', async () => {
  await page.evaluate(() => window.studio.openBuiltIn('cow'));
  await page.waitForFunction(() => window.studio.session.value.file.builtIn === 'cow');
  const heights = () =>
    page.evaluate(() => {
      const { session, store, viewer } = window.studio;
      const { clip } = store.current;
      const { levels } = session.value.pipeline(clip).pipeline.character.contacts(clip);
      const { size } = session.value;
      return {
        ground: viewer.stage.ground.position.y / size,
        level: levels[0] / size,
        lowest: viewer.home.box.min.y / size,
      };
    });
  const plain = await heights();
  assert.ok(Math.abs(plain.ground - plain.level) < 1e-6);
  assert.ok(Math.abs(plain.ground) < 0.03, `the cow stands at ${plain.ground} L`);
  // One end of the tail reaches deep below the hoofs, as the tip of a sword does.
  await page.evaluate(() => {
    const { session, viewer } = window.studio;
    const reach = session.value.reach(0);
    reach.box.min.y -= session.value.size;
    viewer.fit(reach, session.value.size, session.value.floor(0, reach.box.min.y));
  });
  const deep = await heights();
  assert.ok(deep.lowest < deep.ground - 0.5);
  assert.ok(Math.abs(deep.ground - plain.ground) < 0.03);
});

test('space plays and Enter does nothing, whatever was clicked last', async () => {
  const chip = page.getByRole('button', { name: 'jelly' });
  await chip.click();
  await isPressed(chip, true);
  const before_ = await style();
  for (const clicked of [
    page.getByRole('button', { name: 'Loop' }),
    page.locator('[data-part="effects.floppy"] > .section-head [role=switch]'),
    page.getByRole('button', { name: 'Frame the character' }),
  ]) {
    await clicked.click();
    await page.keyboard.press('Space');
    await becomes(playing, true);
    await page.keyboard.press('Space');
    await becomes(playing, false);
  }
  const switched = await style();
  await page.keyboard.press('Enter');
  await settle(page);
  assert.deepEqual(await style(), switched);
  await page.locator('.viewport').focus();
  await page.keyboard.press('Control+z');
  await becomes(async () => JSON.stringify(await style()), JSON.stringify(before_));
});

test('with the keyboard, Enter presses buttons and turns switches, and space still plays', async () => {
  const flip = page.locator('[data-part="effects.squash"] > .section-head [role=switch]');
  const before_ = await flip.isChecked();
  await flip.focus();
  await page.keyboard.press('Enter');
  await becomes(() => flip.isChecked(), !before_);
  await page.keyboard.press('Space');
  await becomes(playing, true);
  await page.keyboard.press('Space');
  await becomes(playing, false);
  assert.equal(await flip.isChecked(), !before_);
  const chip = page.getByRole('button', { name: 'rubberhose' });
  await chip.focus();
  await page.keyboard.press('Enter');
  await isPressed(chip, true);
});

test('a preset keeps the edits of the skeleton', async () => {
  const edit = [{ joint: 'Head', keys: [[0.5, [0, 0.2, 0]]], relative: true, window: 0.4, weight: 100 }];
  await page.evaluate((list) => {
    window.studio.changeStyle('Edit', (now) => ({ ...now, exaggerate: { ...now.exaggerate, constraints: list } }));
    window.studio.store.settle();
  }, edit);
  const jelly = page.getByRole('button', { name: 'jelly' });
  await jelly.click();
  await isPressed(jelly, true);
  assert.deepEqual((await style()).exaggerate.constraints, edit);
});

test('Escape brings back the value from before typing', async () => {
  const cartoon = page.getByRole('button', { name: 'cartoon' });
  await cartoon.click();
  await isPressed(cartoon, true);
  await openPart('effects.overlap');
  const path = 'effects.overlap.gain';
  const before_ = (await style()).effects.overlap.gain;
  await slider(path).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('1.5');
  await becomes(async () => (await style()).effects.overlap.gain, 1.5);
  await page.keyboard.press('Escape');
  await becomes(async () => (await style()).effects.overlap.gain, before_);
  assert.match(await slider(path).textContent(), new RegExp(`^${before_}`));
});

test('no tool takes a key of the window', async () => {
  const window_ = await page.evaluate(() =>
    [...window.studio.keyboard.groups]
      .filter(([group]) => ['Time', 'View', 'Edit', 'File', 'Tools'].includes(group))
      .flatMap(([, list]) => list.map((one) => one.key)),
  );
  const taken = await page.evaluate((keys) => {
    const { studio } = window;
    const found = [];
    for (const tool of studio.tools) {
      studio.choose(tool);
      for (const { key } of studio.activeTool.value?.keys ?? [])
        if (keys.includes(key) && !['Escape', 'Ctrl+z'].includes(key)) found.push(`${tool.name}: ${key}`);
    }
    studio.choose(studio.tools[0]);
    return found;
  }, window_);
  assert.deepEqual(taken, []);
});

test('Ctrl+S saves the character from any tool', async () => {
  await page.locator('.viewport').focus();
  await page.keyboard.press('p');
  await becomes(activeTool, 'paint');
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
  assert.equal(download.suggestedFilename(), 'cow-toon.glb');
  await page.keyboard.press('v');
  await becomes(activeTool, 'select');
});

test('joints are shown without the prefix that all have, and warnings in plain words', async () => {
  const bytes = editedGlb(character('cow'), (json) => {
    for (const joint of json.skins.flatMap((skin) => skin.joints))
      json.nodes[joint].name = `mixamorig:${json.nodes[joint].name}`;
    for (const mesh of json.meshes)
      for (const { attributes } of mesh.primitives)
        for (const name of Object.keys(attributes)) if (/^_LIMBER/.test(name)) delete attributes[name];
  });
  await drop(page, 'prefixed.glb', bytes);
  await page.waitForFunction(() => window.studio.session.value.file.name === 'prefixed.glb');
  await settle(page);
  const names = await page.locator('.tree-name').allTextContents();
  assert.ok(names.includes('Head'), names.join(' '));
  assert.ok(!names.some((name) => name.includes('mixamorig')), names.join(' '));
  await page.keyboard.press('j');
  await page.locator('.tree-row', { hasText: /^Head$/ }).click();
  await becomes(() => page.locator('.joint-title').textContent(), 'Head');
  assert.equal(await page.locator('.joint-title').getAttribute('title'), 'mixamorig:Head');
  await page.keyboard.press('o');
  await becomes(() => page.evaluate(() => window.studio.store.history.value.undo), 'Switch off Head');
  await page.keyboard.press('v');
  await page.locator('.hint').waitFor({ state: 'hidden' }); // who opens a file needs no hint
  await page.getByRole('button', { name: 'cartoon' }).click();
  await page
    .locator('.style-note')
    .filter({ hasText: /whole character: the layer/ })
    .waitFor();
});

test('a capture starts after its T-pose, and its preset is one click away', async () => {
  const bvh =
    'HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT Chest\n {\n  OFFSET 0 1 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 1 0\n  }\n }\n}\nMOTION\nFrames: 61\nFrame Time: 0.0333333\n' +
    Array.from({ length: 61 }, (_, i) =>
      i === 0 ? '0 1 0 0 0 0 0 0 0' : `40 9 30 80 0 120 ${60 + 20 * Math.sin(i / 6)} 0 0`,
    ).join('\n') +
    '\n';
  await drop(page, 'capture.bvh', Buffer.from(bvh));
  await page.waitForFunction(() => window.studio.session.value.file.name === 'capture.bvh');
  await page.getByRole('button', { name: 'Use mocap-toon' }).click();
  await isPressed(page.getByRole('button', { name: 'mocap-toon', exact: true }), true);
  const { from, start } = await page.evaluate(() => ({
    from: window.studio.player.span.value.start,
    start: window.studio.session.value.clipInfo(0).start,
  }));
  assert.ok(Math.abs(from - start - 1 / 30) < 1e-3, `the motion starts ${from - start} s after the clip`);
});

/** Pairs of visible controls in a bar that overlap, and those that are cut off or too small to use. */
const crowding = () =>
  page.evaluate(() => {
    const faults = [];
    for (const bar of ['.transport', '.top']) {
      const controls = [...document.querySelectorAll(`${bar} button, ${bar} select, ${bar} .counter`)]
        .filter((one) => one.checkVisibility())
        .map((one) => ({
          name: `${bar} ${one.getAttribute('aria-label') ?? one.className}`,
          box: one.getBoundingClientRect(),
        }));
      controls.forEach(({ name, box }, i) => {
        if (box.left < -0.5 || box.right > innerWidth + 0.5) faults.push(`${name} is cut off`);
        if (box.width < 20) faults.push(`${name} is ${box.width} wide`);
        for (const other of controls.slice(i + 1))
          if (
            Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 0.5 &&
            Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 0.5
          )
            faults.push(`${name} overlaps ${other.name}`);
      });
    }
    return faults;
  });

test('the bars have room at every width', async () => {
  const faults = [];
  for (let width = 360; width <= 2560; width += width < 1400 ? 20 : 116) {
    await page.setViewportSize({ width, height: 700 });
    await page.waitForFunction((wanted) => innerWidth === wanted, width);
    for (const fault of await crowding()) faults.push(`${width}: ${fault}`);
  }
  await resize(page, 1280, 720);
  assert.deepEqual(faults, []);
});

test('switches and legends say what is on from the start', async () => {
  const state = await page.evaluate(() => {
    const { store } = window.studio;
    const on = [...document.querySelectorAll('[data-part] > .section-head [role=switch]')];
    const legends = [...document.querySelectorAll('.curve-head > *')].filter((one) => one.checkVisibility());
    return {
      effects: Object.keys(store.current.style.effects ?? {}).length,
      on: on.filter((one) => one.checked).length,
      legends: legends.length,
      cut: legends
        .filter((one) => one.getBoundingClientRect().bottom > one.closest('.lane').getBoundingClientRect().bottom + 0.5)
        .map((one) => one.textContent),
    };
  });
  assert.ok(state.effects > 0 && state.on >= state.effects, JSON.stringify(state));
  assert.ok(state.legends >= 4, JSON.stringify(state));
  assert.deepEqual(state.cut, []);
});

test('the picture comes back after the browser has taken the graphics away', async () => {
  const colors = () =>
    page.evaluate(() => {
      const { viewer } = window.studio;
      const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
      const context = canvas.getContext('2d');
      context.drawImage(viewer.shoot(), 0, 0, 64, 64);
      const { data } = context.getImageData(0, 0, 64, 64);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) seen.add(`${data[i] >> 4} ${data[i + 1] >> 4} ${data[i + 2] >> 4}`);
      return seen.size;
    });
  await draws(page, true);
  const before_ = await colors();
  assert.ok(before_ > 5, `${before_} colors`);
  await page.evaluate(() => {
    window.lender = window.studio.viewer.renderer.getContext().getExtension('WEBGL_lose_context');
    window.lender.loseContext();
  });
  await page.locator('.message.error', { hasText: 'taken the graphics away' }).waitFor();
  await page.evaluate(() => window.lender.restoreContext());
  await page.locator('.message.error').waitFor({ state: 'detached' });
  await settle(page);
  const after_ = await colors();
  assert.ok(after_ > 0.8 * before_, `${after_} colors instead of ${before_}`);
  await draws(page, false);
});

test('a new file starts at its start, without the messages about the last one', async () => {
  await drop(page, 'broken.glb', Buffer.from('no glTF'));
  await page.locator('.message.error').waitFor();
  await page.evaluate(() => {
    const { player } = window.studio;
    player.seek(player.span.value.end);
  });
  await drop(page, 'dog.glb', character('dog'));
  await page.waitForFunction(() => window.studio.session.value.file.name === 'dog.glb');
  assert.equal(await page.locator('.message').count(), 0);
  assert.equal(await page.evaluate(() => window.studio.player.frame), 0);
});

test('a character that looks the other way is seen from its front', async () => {
  const turned = editedGlb(character('dog'), (json) => {
    const scene = json.scenes[json.scene ?? 0];
    json.nodes.push({ name: 'Turned', rotation: [0, 1, 0, 0], children: scene.nodes });
    scene.nodes = [json.nodes.length - 1];
  });
  const looks = () =>
    page.evaluate(() => {
      const { camera, controls } = window.studio.viewer;
      return camera.position.z > controls.target.z;
    });
  assert.equal(await looks(), true);
  await drop(page, 'turned.glb', turned);
  await page.waitForFunction(() => window.studio.session.value.file.name === 'turned.glb');
  await settle(page);
  assert.equal(await looks(), false);
  assert.ok((await cropped()).out <= 0);
});

test('clips have pictures, and are found by parts of their names', async () => {
  const many = editedGlb(character('ball'), (json) => {
    const [first] = json.animations;
    json.animations = Array.from({ length: 40 }, (_, i) => ({ ...first, name: `${i % 2 ? 'Run' : 'Walk'}_Left_${i}` }));
  });
  await drop(page, 'many.glb', many);
  await page.waitForFunction(() => window.studio.session.value.file.name === 'many.glb');
  const clip = page.locator('.clips');
  const options = page.locator('.clip-option:visible');
  await clip.click();
  await becomes(() => options.count(), 40);
  const drawn = () =>
    page.evaluate(() => [...document.querySelectorAll('.clip-option canvas')].map((one) => one.toDataURL().length));
  await until(async () => Math.min(...(await drawn())) > 600, 'clips have no pictures');
  await picture(page, 'clips');
  await page.keyboard.type('left run 3');
  await becomes(() => options.locator('span').allTextContents().then(String), 'Run_Left_3,Run_Left_13,Run_Left_23,Run_Left_31,Run_Left_33,Run_Left_35,Run_Left_37,Run_Left_39'); // prettier-ignore
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await becomes(() => clip.textContent(), 'Run_Left_13');
  await page.locator('.clip-list').waitFor({ state: 'detached' });
  await clip.click();
  await page.keyboard.press('Escape');
  await page.locator('.clip-list').waitFor({ state: 'detached' });
});

test('a click hides a mesh in both views; the papers and the amount are one click away', async () => {
  const row = page.locator('.mesh-row').first();
  const shown = () =>
    page.evaluate(() => {
      const { session } = window.studio;
      return [session.value.toon.meshes[0], session.value.plainToon?.meshes[0]].map((mesh) => mesh?.visible).join();
    });
  await becomes(shown, /^true,(true)?$/);
  await row.click();
  await becomes(shown, /^false,(false)?$/);
  await isPressed(row, false);
  await row.click();
  await becomes(shown, /^true/);
  await page.locator('.papers summary').click();
  const chips = page.getByRole('group', { name: 'Presets from the papers' }).getByRole('button');
  assert.equal(await chips.count(), 11);
  await chips.filter({ hasText: 'vs-floppy' }).click();
  await becomes(async () => Object.keys((await style()).effects).join(), 'floppy');
  const amount = page.locator('.words .key-row').first();
  await becomes(() => amount.locator('.key-name').textContent(), 'Amount');
  await amount.getByRole('slider').focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await becomes(async () => (await style()).strength < 1, true);
});

test('others stand beside a character, in its style; backgrounds and lights are a few, and kept', async () => {
  await page.evaluate(() => window.studio.openBuiltIn('ball'));
  await page.waitForFunction(() => window.studio.session.value.file.builtIn === 'ball');
  const beside = async (name) => {
    await page.click('.file-button');
    await page.getByRole('menuitem', { name: 'Add a character beside…' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  const company = () => page.evaluate(() => window.studio.company.names.value.join());
  await beside('Cylinder');
  await becomes(company, 'cylinder.glb');
  await beside('Ball');
  await becomes(company, 'cylinder.glb,ball.glb');
  const places = await page.evaluate(() => window.studio.company.object.children.map(({ position }) => position.x));
  const size = await page.evaluate(() => window.studio.session.value.size);
  assert.ok(places[0] > 0.5 * size && places[1] > places[0] + 0.5 * size, places.join());
  await page.locator('.preset[data-preset="jelly"]').click();
  const worn = () =>
    page.evaluate(() =>
      window.studio.company.guests.map(({ session }) => session.toon.style.effects?.overlap?.max).join(),
    );
  await becomes(worn, '45,45');
  await picture(page, 'company');
  await beside('Only the first character');
  await becomes(company, '');
  const choose = async (name) => {
    await page.getByRole('button', { name: 'Background and light' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  const sky = () => page.evaluate(() => window.studio.viewer.stage.scene.background.getHexString());
  const before = await sky();
  await choose(/^Green background/);
  await becomes(sky, '00b140');
  await choose(/^Dramatic light/);
  assert.equal(await page.evaluate(() => localStorage.getItem('limber-studio.light')), '"dramatic"');
  await choose(/^Theme background/);
  await becomes(sky, before);
});

test('every panel can be reached in narrow windows, and nothing is cut off', async () => {
  await page.evaluate(() => window.studio.openBuiltIn('cow'));
  await page.waitForFunction(() => window.studio.session.value.file.builtIn === 'cow');
  for (const [width, height, ...themes] of [
    [800, 600, 'dark', ...(LONG ? ['light'] : [])],
    [420, 800, 'light', ...(LONG ? ['dark'] : [])],
  ])
    for (const theme of themes) {
      await resize(page, width, height);
      await page.emulateMedia({ colorScheme: theme });
      await becomes(() => page.locator('html').getAttribute('data-theme'), theme);
      await settle(page);
      const inside = async (selector) => {
        let box;
        await until(
          async () => {
            box = await page.locator(selector).first().boundingBox();
            return (
              box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1
            );
          },
          () => `${selector} is ${box ? 'cut off' : 'not shown'} at ${width} × ${height}: ${JSON.stringify(box)}`,
        );
      };
      for (const part of ['.file-button', '[aria-label=Compare]', '.play', '.counter', '.clips', '.hint'])
        await inside(part);
      assert.ok((await cropped()).out <= 0, `the character is cropped at ${width} × ${height}`);
      await picture(page, `${theme}-${width}`);
      await page.getByRole('button', { name: 'Tool and character' }).click();
      await inside('.left');
      if (width < 640) {
        await page.getByRole('button', { name: 'Style', exact: true }).click();
        await picture(page, `${theme}-${width}-style`);
      }
      await inside('.right');
      await inside('.presets');
      await page.getByRole('button', { name: 'jelly' }).click();
      await page.locator('.viewport').click({ position: { x: width < 640 ? 20 : 400, y: 60 } });
      await page.locator('.left').waitFor({ state: 'hidden' });
    }
});
