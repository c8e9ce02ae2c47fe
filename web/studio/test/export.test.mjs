// Export: valid files, equal to those of `limber apply`, that keep everything in the original.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before, describe } from 'node:test';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import validator from 'gltf-validator';
import {
  becomes,
  character,
  characters,
  choose as chooseTool,
  difference,
  draws,
  drop,
  isTold,
  open,
  pause,
  picture,
  settle,
  start,
  turn,
  vertices,
} from './help/kit.mjs';

globalThis.self ??= globalThis; // needed by GLTFLoader
const program = process.env.LIMBER_PROGRAM;
const LONG = Boolean(process.env.LIMBER_TEST_LONG); // all bakes and kinds of film
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-export-'));
after(() => fs.rmSync(folder, { recursive: true }));

const wholeOf = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const jsonOf = (bytes) => JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());

async function validate(bytes) {
  const { issues } = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 20 });
  assert.deepEqual(
    issues.messages.filter((one) => one.severity < 2),
    [],
  );
}

/** A .glb made of JSON and the binary chunk of another file. */
function glbOf(json, bytes) {
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const rest = bytes.subarray(20 + bytes.readUInt32LE(12));
  const head = Buffer.alloc(20);
  [0x46546c67, 2, 20 + padded.length + rest.length, padded.length, 0x4e4f534a].forEach((word, i) =>
    head.writeUInt32LE(word, 4 * i),
  );
  return Buffer.concat([head, padded, rest]);
}

/** Where a player without limber puts the vertices of the character's own meshes. */
async function played(bytes, clipName, times) {
  const gltf = await new GLTFLoader().parseAsync(wholeOf(bytes), '');
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations.find((clip) => clip.name === clipName)).play();
  const point = new THREE.Vector3();
  return times.map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const places = [];
    gltf.scene.traverse((mesh) => {
      if (!mesh.isMesh || /multiple|lines/.test(mesh.name)) return;
      mesh.skeleton?.update();
      for (let i = 0; i < mesh.geometry.getAttribute('position').count; i++)
        places.push(...mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld));
    });
    return places;
  });
}

/** What a player says about a film, once it shows its first picture. */
const decoded = (page, bytes, ending) =>
  page.evaluate(
    async ([list, type]) => {
      const video = document.createElement('video');
      video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(list), (c) => c.charCodeAt(0))], { type }));
      await new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(`no film: ${video.error.message}`));
      });
      return { width: video.videoWidth, height: video.videoHeight, duration: video.duration };
    },
    [bytes.toString('base64'), `video/${ending}`],
  );
const probe = ['/usr/bin/ffprobe', '/usr/local/bin/ffprobe'].find((one) => fs.existsSync(one));

describe('export', () => {
  let stage, app, page;
  before(async () => {
    stage = await start();
    app = await open(stage, { drawn: false });
    ({ page } = app);
    await pause(page);
  });
  after(async () => {
    assert.deepEqual(app.faults(), []);
    await app.close();
    await stage.close();
  });

  const openBuiltIn = (name) => page.evaluate((one) => window.studio.openBuiltIn(one), name);
  const wear = (style) =>
    page.evaluate(
      (one) =>
        window.studio.store.change('Style', (document) => ({
          ...document,
          style: window.studio.engine.parseStyle(one),
        })),
      style,
    );
  async function choose(name) {
    const radio = page.getByRole('radio', { name, exact: true });
    await radio.click();
    await becomes(() => radio.getAttribute('aria-checked'), 'true');
  }
  async function saved(name) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    const bytes = fs.readFileSync(await download.path());
    return { name: download.suggestedFilename(), bytes };
  }

  test('a corrective bake of a clip is valid and plays as the studio shows it', async () => {
    await chooseTool(page, 'x');
    await choose('Skin with corrective morph targets');
    const { name, bytes } = await saved('Save .glb');
    assert.equal(name, 'cow-toon.glb');
    await validate(bytes);
    const clip = await page.evaluate(() => window.studio.session.value.clip(window.studio.store.current.clip).name);
    const [at] = await played(bytes, clip, [0.5]);
    await page.evaluate(() => window.studio.player.seek(0.5));
    const size = await page.evaluate(() => window.studio.session.value.size);
    const shown = await vertices(page);
    assert.ok(difference(at, shown) < 1e-4 * size, `${difference(at, shown) / size} L`);
    await picture(page, 'export-dark');
  });

  for (const [title, style, kind] of [
    ...(LONG ? [['effects', 'cartoon', 'corrective']] : []),
    ['effects', 'cartoon', 'vertex'],
    ['smears', 'sm-elongate', 'corrective'],
    [
      'an edited skeleton',
      { exaggerate: { filter: { amount: 0.7, sigma: 0.12 }, stretch_skin: true, constraints: 'auto' } },
      'corrective',
    ],
  ])
    test(
      `equals limber apply with ${title}, ${kind}`,
      { skip: !program && 'LIMBER_PROGRAM says where limber is' },
      async () => {
        await openBuiltIn('cow');
        await wear(style);
        await choose(kind === 'vertex' ? 'Mesh without skin' : 'Skin with corrective morph targets');
        const { clip, size } = await page.evaluate(() => ({
          clip: window.studio.session.value.clip(window.studio.store.current.clip).name,
          size: window.studio.session.value.size,
        }));
        const { bytes } = await saved('Save .glb');
        await validate(bytes);
        const file = path.join(folder, `${kind}.glb`);
        const styleFile = path.join(folder, 'style.json');
        fs.writeFileSync(styleFile, JSON.stringify(await page.evaluate(() => window.studio.store.current.style)));
        execFileSync(
          program,
          ['apply', path.join(characters, 'cow.glb'), '--style', styleFile, '--clip', clip, '--bake', kind, '-o', file],
          { stdio: 'pipe' },
        );
        const times = [0.1, 0.5, 0.9];
        const ours = await played(bytes, clip, times);
        const theirs = await played(fs.readFileSync(file), clip, times);
        const plain = await played(character('cow'), clip, times);
        times.forEach((time, i) => {
          assert.equal(ours[i].length, theirs[i].length);
          assert.ok(
            difference(ours[i], theirs[i]) < 1e-4 * size,
            `at ${time}: ${difference(ours[i], theirs[i]) / size} L`,
          );
        });
        assert.ok(Math.max(...times.map((_, i) => difference(ours[i], plain[i]))) > 1e-3 * size, 'nothing was baked');
        const extras = (buffer) =>
          jsonOf(buffer)
            .nodes.map((node) => node.name)
            .filter((one) => /multiple|lines/.test(one ?? ''));
        assert.deepEqual(extras(bytes), extras(fs.readFileSync(file)));
      },
    );

  test('the exported file opens again, shows the same, and its effects are not added twice', async () => {
    await openBuiltIn('cow');
    await choose('Skin with corrective morph targets');
    await page.evaluate(() => window.studio.player.seek(0.7));
    const before = await vertices(page);
    const { bytes } = await saved('Save .glb');
    await drop(page, 'again.glb', bytes);
    await page.waitForFunction(() => window.studio.session.value?.file.name === 'again.glb');
    await page.evaluate(() => {
      // the same clip
      window.studio.setClip(window.studio.session.value.clips.findIndex((clip) => clip.name === 'headshake-stop'));
      window.studio.player.seek(0.7);
    });
    const size = await page.evaluate(() => window.studio.session.value.size);
    assert.ok(difference(await vertices(page), before) < 1e-4 * size);
    await page.locator('.viewport').focus();
    for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z'); // selecting the clip, and opening the file
    await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'cow');
  });

  test('unknown extensions, extras and other scenes survive, layers and style are added', async () => {
    const source = character('cow');
    const json = jsonOf(source);
    json.extensionsUsed = ['EXAMPLE_anything'];
    json.extensions = { EXAMPLE_anything: { deep: [1, { two: 'three' }] } };
    json.extras = { author: 'a person' };
    json.nodes[0].extras = { rig: { version: 7 } };
    json.materials = [...(json.materials ?? []), { name: 'kept', extensions: { EXAMPLE_anything: { ior: 1.3 } } }];
    json.meshes[0].primitives[0].extras = { tag: true };
    await drop(page, 'odd.glb', glbOf(json, source));
    await page.waitForFunction(() => window.studio.session.value?.file.name === 'odd.glb');
    await page.evaluate(() =>
      window.studio.store.change('Paint', (document) => ({
        ...document,
        layers: { wobble: new Float32Array(window.studio.session.value.character.vertexCount).fill(0.5) },
      })),
    );
    await settle(page);
    const { bytes } = await saved('Save .glb');
    const out = jsonOf(bytes);
    assert.deepEqual(out.extensions, json.extensions);
    assert.deepEqual(out.extras, json.extras);
    assert.deepEqual(out.nodes[0].extras, json.nodes[0].extras);
    assert.deepEqual(out.materials, json.materials);
    assert.deepEqual(out.meshes[0].primitives[0].extras, json.meshes[0].primitives[0].extras);
    assert.deepEqual(out.extensionsUsed, ['EXAMPLE_anything', 'LIMBER_style']);
    assert.equal(out.scenes[out.scene ?? 0].extensions.LIMBER_style.baked, true);
    assert.ok('_LIMBER_WOBBLE' in out.meshes[0].primitives[0].attributes);
    assert.deepEqual(
      out.animations.map((one) => one.name),
      json.animations.map((one) => one.name),
    );
  });

  test('the style is saved as a file that limber reads', async () => {
    const { name, bytes } = await saved('Save style');
    assert.equal(name, 'odd.style.json');
    assert.deepEqual(JSON.parse(bytes), await page.evaluate(() => window.studio.store.current.style));
  });

  test('a picture has the size of the view, and a transparent one no background', async () => {
    await draws(page, true);
    await turn(page.getByRole('switch', { name: 'Transparent background' }), true);
    const { name, bytes } = await saved('Save picture');
    assert.match(name, /^odd-.*-\d{3}\.png$/);
    assert.equal(bytes.readUInt32BE(16), await page.evaluate(() => document.querySelector('.view-canvas').width));
    const corner = await page.evaluate(async (list) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(list), (c) => c.charCodeAt(0))]));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let seen = 0;
      for (let i = 3; i < data.length; i += 4) seen += data[i] > 250 ? 1 : 0;
      return { alpha: data[3], seen };
    }, bytes.toString('base64'));
    assert.equal(corner.alpha, 0);
    assert.ok(corner.seen > 1000, 'the character is not in the picture');
  });

  const FRAMES = 6; // 0.2 s at 30 frames per second
  for (const [format, ending] of [
    ['H.264 film, plays everywhere', 'mp4'],
    ...(LONG ? [['VP9 film for web pages', 'webm']] : []),
  ])
    test(`a film has every frame of the clip in the chosen size, ${ending}`, async () => {
      await page.evaluate(() => window.studio.player.setSpan({ start: 0, end: 0.2, fps: 30 }));
      await choose(format);
      await page.getByRole('combobox', { name: 'Film size' }).selectOption('1280x720');
      const { name, bytes } = await saved('Save film');
      assert.match(name, new RegExp(`^odd-.*\\.${ending}$`));
      assert.deepEqual(await decoded(page, bytes, ending), { width: 1280, height: 720, duration: 0.2 });
      const film = path.join(folder, name);
      fs.writeFileSync(film, bytes);
      if (!probe) return;
      const { streams } = JSON.parse(
        execFileSync(probe, ['-v', 'error', '-count_frames', '-show_streams', '-of', 'json', film]),
      );
      assert.deepEqual(
        streams.map((one) => [one.width, one.height, Number(one.nb_read_frames), one.r_frame_rate]),
        [[1280, 720, FRAMES, '30/1']],
      );
    });

  test('a film can be saved as a GIF that loops, with every frame', async () => {
    await choose('Loops in chats and documents; 256 colors per frame');
    await page.getByRole('combobox', { name: 'Film size' }).selectOption('view');
    await page.evaluate(() => window.studio.player.setSpan({ start: 0, end: 0.1, fps: 30 }));
    const { name, bytes } = await saved('Save film');
    assert.match(name, /^odd-.*\.gif$/);
    assert.equal(bytes.toString('latin1', 0, 6), 'GIF89a');
    assert.ok(bytes.includes('NETSCAPE2.0'), 'it loops');
    const seen = await page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/gif;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const colors = (from) => {
        const pixels = from.getImageData(0, 0, canvas.width, canvas.height).data;
        const all = new Set();
        for (let i = 0; i < pixels.length; i += 4) all.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
        return all.size;
      };
      return { width: image.width, colors: colors(context) };
    }, bytes.toString('base64'));
    assert.ok(seen.width > 100 && seen.colors > 30 && seen.colors <= 256, JSON.stringify(seen));
    const film = path.join(folder, name);
    fs.writeFileSync(film, bytes);
    if (!probe) return;
    const { streams } = JSON.parse(
      execFileSync(probe, ['-v', 'error', '-count_frames', '-show_streams', '-of', 'json', film]),
    );
    assert.deepEqual(
      streams.map((one) => Number(one.nb_read_frames)),
      [3],
    );
  });

  test('a film can be saved as pictures, with a transparent background and a camera that goes round', async () => {
    const camera = () => page.evaluate(() => window.studio.viewer.camera.position.toArray());
    const place = await camera();
    await turn(page.getByRole('switch', { name: 'Turntable' }), true);
    await turn(page.getByRole('switch', { name: 'Transparent background' }), true);
    await choose('Frames as PNG pictures in a .zip, with transparency');
    await page.getByRole('combobox', { name: 'Film size' }).selectOption('1080x1080');
    await page.evaluate(() => window.studio.player.setSpan({ start: 0, end: 0.1, fps: 30 }));
    const { name, bytes } = await saved('Save film');
    assert.match(name, /^odd-.*-frames\.zip$/);
    const file = path.join(folder, name);
    fs.writeFileSync(file, bytes);
    const files = JSON.parse(
      execFileSync('python3', [
        '-c',
        'import json, sys, zipfile as z; f = z.ZipFile(sys.argv[1]); assert f.testzip() is None; ' +
          'assert len({f.read(n) for n in f.namelist()}) == 3; ' +
          'print(json.dumps([(n[-9:], list(f.read(n)[16:26])) for n in f.namelist()]))',
        file,
      ]),
    );
    assert.ok(difference(await camera(), place) < 1e-5);
    await turn(page.getByRole('switch', { name: 'Turntable' }), false);
    const header = [0, 0, 4, 56, 0, 0, 4, 56, 8, 6]; // 1080 × 1080, 8 bits, with alpha
    assert.deepEqual(files, [
      ['-0000.png', header],
      ['-0001.png', header],
      ['-0002.png', header],
    ]);
  });

  test('a film that is stopped is not saved, and the view is as before', async () => {
    const before = await page.evaluate(() => window.studio.player.time.value);
    await page.evaluate(() => window.studio.player.setSpan({ start: 0, end: 60, fps: 30 }));
    let downloads = 0;
    const count = () => downloads++;
    page.on('download', count);
    await page.getByRole('button', { name: 'Save film' }).click();
    await page.getByText(/^Frame \d+ of 1800$/).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await isTold(page, 'Stopped: ');
    await page.getByRole('progressbar').waitFor({ state: 'hidden' });
    page.off('download', count);
    assert.equal(downloads, 0);
    assert.equal(await page.evaluate(() => window.studio.player.time.value), before);
    await settle(page);
    const [canvas, view] = await page.evaluate(() => {
      const { width, clientWidth } = document.querySelector('.view-canvas');
      return [width, clientWidth];
    });
    assert.equal(canvas, view);
  });

  test('a film that lacks frames is an error and is not saved', async () => {
    await choose('H.264 film, plays everywhere');
    await page.getByRole('combobox', { name: 'Film size' }).selectOption('view');
    await page.evaluate(() => {
      window.studio.player.setSpan({ start: 0, end: 0.2, fps: 30 });
      const { encode } = VideoEncoder.prototype;
      VideoEncoder.prototype.encode = function (frame, options) {
        VideoEncoder.prototype.encode = frame.timestamp > 1e5 ? encode : VideoEncoder.prototype.encode;
        if (frame.timestamp <= 1e5) encode.call(this, frame, options); // one frame is lost
      };
    });
    await page.getByRole('button', { name: 'Save film' }).click();
    await page.getByText('the browser encoded 5 of 6 frames').waitFor();
  });

  test('a captured skeleton becomes a character with a body', async () => {
    const bvh =
      'HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT Chest\n {\n  OFFSET 0 1 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 1 0\n  }\n }\n}\nMOTION\nFrames: 5\nFrame Time: 0.1\n' +
      [0, 10, 40, 60, 60].map((angle) => `0 1 0 0 0 0 ${angle} 0 0`).join('\n') +
      '\n';
    await drop(page, 'nod.bvh', Buffer.from(bvh));
    await page.waitForFunction(() => window.studio.session.value?.file.name === 'nod.bvh');
    const { name, bytes } = await saved('Save .glb');
    assert.equal(name, 'nod-toon.glb');
    await validate(bytes);
    assert.ok(jsonOf(bytes).nodes.some((node) => node.name === 'Chest'));
  });
});
