// The way of a newcomer to a file, and projects as one file: what is saved comes back, and what is damaged is said.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test, { after, before } from 'node:test';
import { transformSync } from 'esbuild';
import { becomes, drop, isTold, open, pause, picture, settle, start } from './help/kit.mjs';

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage, { drawn: false });
  ({ page } = app);
  await pause(page);
});
after(() => stage?.close());

/** What a document says, without the bytes of its file. */
const content = () =>
  page.evaluate(() => {
    const { file, layers, ...rest } = window.studio.store.current;
    const painted = Object.fromEntries(Object.entries(layers).map(([name, values]) => [name, [...values.slice(0, 9)]]));
    return JSON.stringify({ name: file.name, size: file.bytes.length, painted, ...rest });
  });

/** Saves as browsers do that cannot write files. */
async function saved() {
  const waiting = page.waitForEvent('download');
  await page.locator('.viewport').focus();
  await page.keyboard.press('Shift+s');
  return fs.readFileSync(await (await waiting).path());
}

test('from the opened page to a styled .glb it is three clicks', async () => {
  const waiting = page.waitForEvent('download');
  await page.locator('.preset[data-preset="rubberhose"]').click();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.locator('.export-tool').getByRole('button', { name: 'Save .glb' }).click();
  const glb = fs.readFileSync(await (await waiting).path());
  assert.equal(glb.subarray(0, 4).toString(), 'glTF');
  assert.match(glb.toString('latin1'), /LIMBER_style/);
});

let project, wanted;
test('a project has the character, the style and the edits, and opens by dropping it', async () => {
  await page.evaluate(() => {
    delete window.showSaveFilePicker;
    const { studio } = window;
    const { vertexCount } = studio.session.value.character;
    const layer = Float32Array.from({ length: vertexCount }, (_, i) => (i % 7) / 7);
    const times = new Float32Array([0, 1]);
    const values = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1]);
    const channels = [{ target: 2, path: 'rotation', interpolation: 'linear', times, values }];
    const clip = { name: 'my take', start: 0, end: 1, fps: 30, motionStart: 0, loops: false, travels: false, channels };
    studio.store.change('Edits', (document) => ({
      ...document,
      clip: 1,
      layers: { floppy: layer },
      takes: [{ name: 'my take', clip }],
      shelf: { smear: { lines: { count: 3 } } },
    }));
    studio.setKey('strength', 0.7);
    studio.player.seek(0.4);
  });
  wanted = await content();
  project = await saved();
  assert.equal(project.subarray(0, 2).toString(), 'PK');
  await page.evaluate(() => window.studio.openBuiltIn('ball', { style: 'jelly' }));
  await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'ball');
  await drop(page, 'mine.limber', project);
  await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'cow');
  await becomes(content, wanted);
  assert.ok(Math.abs((await page.evaluate(() => window.studio.player.time.value)) - 0.4) < 1e-6);
  assert.equal(await page.evaluate(() => window.studio.session.value.clips.at(-1).name), 'my take');
  await picture(page, 'project');
});

test('a project that is damaged or of another version is refused with a sentence, and the document stays', async () => {
  const edited = (from, to) => Buffer.from(project.toString('latin1').replace(from, to), 'latin1');
  for (const [bytes, words] of [
    [project.subarray(0, project.length / 2), 'not a zip file'],
    [edited('"strength": 0.7', '"strength": 0.9'), 'damaged'],
    [Buffer.from('PK'), 'not a zip file'],
  ]) {
    await drop(page, 'bad.limber', bytes);
    await isTold(page, words);
  }
  await settle(page);
  assert.equal(await content(), wanted);
});

const { code } = transformSync(fs.readFileSync(new URL('../src/core/zip.ts', import.meta.url), 'utf8'), {
  loader: 'ts',
});
const { filesOfZip, zipOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

/** The project with another text in project.json. */
async function told(change) {
  const files = filesOfZip(project);
  const text = new TextDecoder().decode(files.get('project.json'));
  assert.notEqual(change(text), text);
  files.set('project.json', new TextEncoder().encode(change(text)));
  return Buffer.from(await zipOf([...files].map(([name, bytes]) => ({ name, bytes }))).arrayBuffer());
}

/** All files of the list are the character: files in a zip file do not share bytes. */
function shared() {
  const bytes = Buffer.from(project);
  const list = bytes.readUInt32LE(bytes.length - 6);
  const second = list + 46 + bytes.readUInt16LE(list + 28);
  for (let at = second, i = 2; i < bytes.readUInt16LE(bytes.length - 12); i++) {
    const next = at + 46 + bytes.readUInt16LE(at + 28);
    for (const [field, length] of [
      [16, 12],
      [42, 4],
    ])
      bytes.copy(bytes, next + field, second + field, second + field + length);
    at = next;
  }
  return bytes;
}

test('takes that are damaged or of another character are refused, and so are traps; the document stays', async () => {
  for (const [bytes, words] of [
    [await told((text) => text.replace('"path": "rotation"', '"path": "turns"')), 'a take is damaged'],
    [await told((text) => text.replace('"motionStart": 0', '"motionStart": 9e999')), 'a take is damaged'],
    [await told((text) => text.replace('"channels": [', '"channels": [3, ')), 'a take is damaged'],
    [await told((text) => text.replace('"target": 2', '"target": 999')), 'A take is of another character'],
    [shared(), 'damaged'],
  ]) {
    await drop(page, 'bad.limber', bytes);
    await isTold(page, words);
  }
  await settle(page);
  assert.equal(await content(), wanted);
  await drop(page, 'odd.limber', await told((text) => text.replace(/"time": [0-9.e-]+/, '"time": 1e999')));
  await becomes(() => page.evaluate(() => window.studio.player.time.value), 0);
  assert.deepEqual(app.faults(), []);
});

test('where the browser writes files, the same file is written again without asking', async () => {
  await page.evaluate(() => {
    window.asked = [];
    window.written = [];
    const stream = { write: async (blob) => window.written.push(blob.size), close: async () => undefined };
    window.showSaveFilePicker = async ({ suggestedName }) => {
      window.asked.push(suggestedName);
      return { createWritable: async () => stream };
    };
  });
  await page.click('.file-button');
  await page.getByRole('menuitem', { name: 'Save project' }).click();
  await becomes(() => page.evaluate(() => window.written.length), 1);
  await page.locator('.viewport').focus();
  await page.keyboard.press('Shift+s');
  await becomes(() => page.evaluate(() => window.written.length), 2);
  assert.deepEqual(await page.evaluate(() => window.asked), ['cow.limber']);
  assert.deepEqual(app.faults(), []);
});
