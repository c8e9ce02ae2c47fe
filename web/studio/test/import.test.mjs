// Files that the page converts: .fbx has the shape and the motion that the program imports, Draco what was packed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import {
  assets,
  becomes,
  character,
  difference,
  drop,
  dropAll,
  isTold,
  open,
  pause,
  picture,
  start,
} from './help/kit.mjs';

const program = process.env.LIMBER_PROGRAM;
/** Makers of files; their packages are those of the tests of the program. */
const kit = await Promise.all([
  import('../../../tests/js/fbx_samples.mjs'),
  import('../../../tests/js/run.mjs'),
  import('../../../tests/js/pack_draco.mjs'),
]).catch(() => undefined);
const [samples, running, packing] = kit ?? [];

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage);
  ({ page } = app);
  await pause(page);
});
after(() => stage?.close());

async function openDropped(name, bytes) {
  await drop(page, name, bytes);
  await page.waitForFunction((one) => window.studio.session.value?.file.name === one, name);
}

/** Plain vertices at some times of a clip, and the names of the joints. */
const shown = (times, clip) =>
  page.evaluate(
    ([moments, name]) => {
      const { session } = window.studio;
      const index = Math.max(
        session.value.clips.findIndex((one) => one.name === name),
        0,
      );
      const { pipeline, clip: number } = session.value.pipeline(index);
      const plain = pipeline.character.pipeline({});
      const frames = moments.map((time) => [...plain.evaluate(number, time).positions]);
      plain.dispose();
      return { frames, size: session.value.size, joints: session.value.joints.map(({ name: one }) => one) };
    },
    [times, clip],
  );

/** How far the points of one list are from the nearest of the other, at most. */
function apart(points, others) {
  let worst = 0;
  for (let i = 0; i < points.length; i += 3) {
    let nearest = Infinity;
    for (let k = 0; k < others.length && nearest > 1e-12; k += 3) {
      const [x, y, z] = [points[i] - others[k], points[i + 1] - others[k + 1], points[i + 2] - others[k + 2]];
      nearest = Math.min(nearest, x * x + y * y + z * z);
    }
    worst = Math.max(worst, Math.sqrt(nearest));
  }
  return worst;
}

/** The same file in the program: frames at the times, all vertices in a row. */
function imported(file, clip, fps) {
  const folder = running.temporaryFolder();
  const one = running.dump(program, file, folder, '--clip', clip, '--fps', String(fps));
  const skinned = one.array('skinned');
  const [frames, vertices] = skinned.shape;
  return {
    joints: one.manifest.joints,
    at: (frame) => skinned.data.subarray(3 * vertices * frame, 3 * vertices * (frame + 1)),
    frames,
  };
}

/** As programs write it: three.js counts tabs. */
function indented(text) {
  let depth = 0;
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .map((line) => {
      if (line.startsWith('}')) depth--;
      const tabs = '\t'.repeat(depth);
      if (line.endsWith('{')) depth++;
      return tabs + line;
    })
    .join('\n');
}

test('an .fbx moves in the page as in the program', { skip: !(kit && program) && 'no program' }, async () => {
  for (const name of ['plain', 'pre-rotation', 'inches, Z up']) {
    const folder = running.temporaryFolder();
    const file = path.join(folder, 'sample.fbx');
    const text = indented(samples.makeSample(samples.SAMPLES[name]));
    fs.writeFileSync(file, text);
    await openDropped(`${name.replace(/\W+/g, '-')}.fbx`, Buffer.from(text));
    const theirs = imported(file, '0', 2);
    const { frames, size } = await shown([0, 0.5, 1]);
    for (const [i, frame] of frames.entries()) {
      const far = apart(frame, theirs.at(i)) / size;
      assert.ok(far < 1e-4, `${name}: frame ${i} is ${far} of the size away`);
    }
  }
});

const folder = assets();
const MIXAMO = folder && path.join(folder, 'more/mixamo.fbx');

test(
  'an .fbx of a stranger has the joints and the motion that the program imports',
  { skip: !(kit && program && MIXAMO && fs.existsSync(MIXAMO)) && 'no such file' },
  async () => {
    await openDropped('mixamo.fbx', fs.readFileSync(MIXAMO));
    const theirs = imported(MIXAMO, '0', 2);
    const { frames, size, joints } = await shown([0, 1, 2]);
    const missing = theirs.joints.filter((name) => !joints.includes(name));
    assert.deepEqual(missing, []);
    for (const [i, frame] of frames.entries()) {
      const some = frame.filter((_, k) => Math.floor(k / 3) % 40 === 0);
      const far = apart(some, theirs.at(2 * i)) / size;
      assert.ok(far < 2e-3, `second ${i}: ${far} of the size`);
    }
    await picture(page, 'fbx');
  },
);

test('a .glb with Draco looks as the decoder of its makers has it', { skip: !kit && 'no packer' }, async () => {
  const { packed, plain } = await packing.packed(
    fs.readFileSync(new URL('../public/characters/ball.glb', import.meta.url)),
  );
  await openDropped('plain.glb', plain);
  const wanted = await shown([0, 0.4]);
  await openDropped('packed.glb', packed);
  const found = await shown([0, 0.4]);
  for (const i of [0, 1]) assert.ok(difference(found.frames[i], wanted.frames[i]) < 1e-5 * wanted.size);
  const bytes = await page.evaluate(() => window.studio.store.current.file.bytes.length);
  assert.notEqual(bytes, packed.length); // what is kept, saved and exported is unpacked
  const damaged = Buffer.from(packed);
  const [from] = packing.packedViews(packed);
  damaged.fill(0x5a, from, from + 40);
  await drop(page, 'damaged.glb', damaged);
  await isTold(page, 'its meshes are damaged');
  assert.equal(await page.locator('.file-name').textContent(), 'packed.glb');
});

/** A .glb as a .gltf with its buffer in a file, and a picture beside it. */
function inPieces(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length));
  json.buffers[0].uri = 'data/all%20of%20it.bin';
  json.images = [{ uri: 'skin.png' }];
  json.textures = [{ source: 0 }];
  for (const material of (json.materials ??= [{}])) material.pbrMetallicRoughness = { baseColorTexture: { index: 0 } };
  return {
    gltf: Buffer.from(JSON.stringify(json)),
    bin: bytes.subarray(28 + length, 28 + length + json.buffers[0].byteLength),
  };
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGP4z8DAAMIM/4EAAB/uBfsL2WiLAAAAAElFTkSuQmCC',
  'base64',
);
const pictureWidth = () =>
  page.evaluate(() => {
    let width = 0;
    window.studio.session.value.loaded.object.traverse((one) => {
      const image = [window.studio.session.value.materialOf(one)].flat()[0]?.map?.image;
      if (image) width = image.width;
    });
    return width;
  });

test('a .gltf is opened with the files it refers to: dropped together, or in a folder', async () => {
  const { gltf, bin } = inPieces(character('ball'));
  await openDropped('ball.glb', character('ball'));
  const wanted = await shown([0, 0.4]);
  await drop(page, 'alone.gltf', gltf);
  await isTold(page, 'alone.gltf refers to another file, data/all of it.bin');
  await dropAll(page, { 'all of it.bin': bin, 'skin.png': PNG, 'together.gltf': gltf });
  await becomes(() => page.locator('.file-name').textContent(), 'together.gltf');
  const together = await shown([0, 0.4]);
  for (const i of [0, 1]) assert.equal(difference(together.frames[i], wanted.frames[i]), 0);
  assert.equal(await pictureWidth(), 2);
  await dropAll(page, { 'mine/folder.gltf': gltf, 'mine/data/all of it.bin': bin, 'mine/skin.png': PNG });
  await becomes(() => page.locator('.file-name').textContent(), 'folder.gltf');
  assert.equal(await pictureWidth(), 2);
  assert.deepEqual(
    await page.evaluate(() => [window.studio.store.current.file.kind, window.studio.session.value.file.bytes[0]]),
    ['glb', 0x67],
  );
});

test('a .gltf with Draco and a buffer beside it is unpacked', { skip: !kit && 'no packer' }, async () => {
  const { packed, plain } = await packing.packed(character('ball'));
  await openDropped('plain.glb', plain);
  const wanted = await shown([0, 0.4]);
  const { gltf, bin } = inPieces(packed);
  await dropAll(page, { 'draco.gltf': gltf, 'all of it.bin': bin, 'skin.png': PNG });
  await becomes(() => page.locator('.file-name').textContent(), 'draco.gltf');
  const found = await shown([0, 0.4]);
  for (const i of [0, 1]) assert.ok(difference(found.frames[i], wanted.frames[i]) < 1e-5 * wanted.size);
});

/** The text of a sample whose body has a picture beside the file, by a path of another machine. */
function withTexture(text) {
  const body = /Model: (\d+), "Model::Body"/.exec(text)[1];
  const file = 'FileName: "C:\\art\\skin.png"\nRelativeFilename: "..\\art\\skin.png"';
  const objects = [
    'Material: 700, "Material::Skin", "" {\nVersion: 102\nShadingModel: "phong"\nProperties70: {\n}\n}',
    `Texture: 701, "Texture::Skin", "" {\nType: "TextureVideoClip"\n${file}\n}`,
    `Video: 702, "Video::Skin", "Clip" {\nType: "Clip"\n${file}\n}`,
  ];
  const links = [`C: "OO",700,${body}`, 'C: "OP",701,700, "DiffuseColor"', 'C: "OO",702,701'];
  return text
    .replace('Objects: {\n', `Objects: {\n${objects.join('\n')}\n`)
    .replace('Connections: {\n', `Connections: {\n${links.join('\n')}\n`);
}

test('an .fbx gets the picture that lies beside it', { skip: !kit && 'no samples' }, async () => {
  const textured = indented(withTexture(samples.makeSample(samples.SAMPLES.plain)));
  await dropAll(page, { 'bare.fbx': Buffer.from(textured) });
  await becomes(() => page.locator('.file-name').textContent(), 'bare.fbx');
  assert.equal(await pictureWidth(), 0);
  await dropAll(page, { 'dressed.fbx': Buffer.from(textured), 'Skin.PNG': PNG });
  await becomes(() => page.locator('.file-name').textContent(), 'dressed.fbx');
  assert.equal(await pictureWidth(), 2);
});

test('neither is loaded before it is needed; a meter shows what the stages cost', async () => {
  const fresh = await stage.browser.newContext({ reducedMotion: 'reduce' });
  const other = await fresh.newPage();
  const asked = [];
  other.on('request', (request) => asked.push(request.url()));
  await other.goto(`${stage.server.address}?perf`);
  await other.waitForSelector('html[data-ready]', { state: 'attached' });
  assert.deepEqual(
    asked.filter((url) => /fbx|draco/.test(url)),
    [],
  );
  assert.deepEqual(
    app.faults().filter((text) => !/Z-UP/.test(text)),
    [],
  );
  const meter = other.locator('.perf-meter');
  for (const name of ['Frame', 'Drawing', 'File', 'Character', 'Longest task'])
    await meter.getByRole('rowheader', { name }).waitFor();
  await picture(other, 'perf');
  await fresh.close();
});
