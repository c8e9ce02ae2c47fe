// Motions that are dropped onto the open character: their clips come beside those that are there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before, describe } from 'node:test';
import { becomes, character, characters, drop, isTold, open, pause, picture, start } from './help/kit.mjs';

const program = process.env.LIMBER_PROGRAM;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-motion-'));
after(() => fs.rmSync(folder, { recursive: true }));

/** Drops a file onto the card for motions. */
async function dropMotion(page, name, bytes) {
  const dataTransfer = await page.evaluateHandle(
    ([title, list]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(list), (c) => c.charCodeAt(0))], title));
      return transfer;
    },
    [name, Buffer.from(bytes).toString('base64')],
  );
  await page.dispatchEvent('.viewport', 'dragenter', { dataTransfer });
  const { x, y, width, height } = await page.locator('.drop-motion').boundingBox();
  const at = { dataTransfer, clientX: x + width / 2, clientY: y + height / 2 };
  await page.dispatchEvent('.viewport', 'dragover', at);
  await picture(page, 'motion-drop');
  await page.dispatchEvent('.viewport', 'drop', at);
}

const clipNames = (page) => page.evaluate(() => window.studio.session.value.clips.map((clip) => clip.name).join());
const takes = (page) =>
  page.evaluate(() =>
    window.studio.store.current.takes.map(({ name, clip }) => ({
      name,
      channels: clip.channels.map(({ path: what, target, times, values }) => ({
        what,
        node: window.studio.session.value.joints[target].node.name,
        times: [...times],
        values: [...values],
      })),
    })),
  );

/** The keys of an animation of a .glb: { 'node path': values }. */
function keysOf(bytes, name) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length));
  const bin = bytes.subarray(28 + length);
  const animation = json.animations.find((one) => one.name === name);
  return Object.fromEntries(
    animation.channels.map(({ target, sampler }) => {
      const { bufferView, byteOffset = 0, count, type } = json.accessors[animation.samplers[sampler].output];
      const from = (json.bufferViews[bufferView].byteOffset ?? 0) + byteOffset;
      const values = Array.from({ length: count * (type === 'VEC4' ? 4 : 3) }, (_, i) => bin.readFloatLE(from + 4 * i));
      return [`${json.nodes[target.node].name} ${target.path}`, values];
    }),
  );
}

describe('a motion on the open character', () => {
  let stage;
  let app;
  let page;
  before(async () => {
    stage = await start();
    app = await open(stage);
    ({ page } = app);
    await drop(page, 'toon.glb', character('toon'));
    await becomes(() => page.evaluate(() => window.studio.store.current.file.name), 'toon.glb');
    await pause(page);
  });
  after(async () => {
    assert.deepEqual(app.faults(), []);
    await stage.close();
  });

  test('its clips come beside those that are there, with what was matched', async () => {
    const own = await clipNames(page);
    await dropMotion(page, 'hero.glb', character('hero'));
    await isTold(page, 'joints follow it, matched by name');
    const added = await takes(page);
    assert.ok(added.length > 1 && added.every(({ channels }) => channels.length > 10));
    await becomes(() => clipNames(page), [own, ...added.map(({ name }) => name)].join());
    const clip = await page.evaluate(() => window.studio.store.current.clip);
    assert.equal(clip, own.split(',').length);
    assert.equal(new Set((await clipNames(page)).split(',')).size, clip + added.length, 'two clips have one name');
    await picture(page, 'motion-added');
  });

  const expectProgrammed = async (options) => {
    const made = path.join(folder, 'toon.glb');
    const motion = ['--motion', path.join(characters, 'hero.glb'), ...options];
    execFileSync(program, ['convert', path.join(characters, 'toon.glb'), ...motion, '-o', made, '--quiet']);
    const [first] = await takes(page);
    const theirs = keysOf(fs.readFileSync(made), first.name);
    for (const { what, node, values } of first.channels) {
      const other = theirs[`${node} ${what}`];
      assert.ok(other, `${node} ${what}`);
      assert.equal(other.length, values.length);
      values.forEach((value, i) =>
        assert.ok(Math.abs(value - other[i]) < 1e-4, `${node} ${what} ${value} ${other[i]}`),
      );
    }
  };

  test('its keys are those of limber convert --motion', { skip: !program }, () => expectProgrammed([]));

  test('undo takes them away', async () => {
    await page.locator('.viewport').focus();
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.studio.store.current.takes.length === 0);
  });

  test('the menu moves its travel to the root, or closes its cycle', { skip: !program }, async () => {
    const add = async (how) => {
      await page.locator('.file-button').click();
      await page.getByRole('menuitem', { name: 'Add a motion' }).click();
      const asked = page.waitForEvent('filechooser');
      await page.getByRole('menuitem', { name: how }).click();
      await (await asked).setFiles(path.join(characters, 'hero.glb'));
    };
    await add(/^Its travel/);
    await isTold(page, 'joints follow it');
    await expectProgrammed(['--root-motion']);
    await page.evaluate(() => window.studio.undo());
    await page.waitForFunction(() => window.studio.store.current.takes.length === 0);
    await add(/^As a cycle/);
    await isTold(page, "no cycle in clip 'swing'");
  });

  test('a capture plays, too', async () => {
    const capture = `HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
${['Left', 'Right'].map((side, i) => leg(side, i ? -1 : 1)).join('')}}
MOTION
Frames: 3
Frame Time: 0.0333333
${[0, 10, 20].map((angle) => [0, 9, 0, 0, 0, 0, 0, angle, 0, ...Array(21).fill(0)].join(' ')).join('\n')}
`;
    await dropMotion(page, 'step.bvh', Buffer.from(capture));
    await isTold(page, 'step is added');
    const [take] = await takes(page);
    const thigh = take.channels.find(({ node, what }) => node === 'LegUpperLeft' && what === 'rotation');
    assert.ok(Math.abs(thigh.values[0] - thigh.values.at(-4)) > 0.05, 'the leg does not move');
  });

  test('what does not fit is a line, and nothing changes', async () => {
    const before = await clipNames(page);
    for (const [name, bytes, words] of [
      ['dog.glb', character('dog'), 'the motion goes on all fours'],
      ['flower.glb', character('flower'), 'cannot find two legs'],
      ['broken.bvh', Buffer.from('HIERARCHY'), 'does not fit toon.glb'],
      ['words.txt', Buffer.from('words'), 'unsupported format'],
    ]) {
      await dropMotion(page, name, bytes);
      await isTold(page, words);
    }
    await picture(page, 'motion-refused');
    assert.equal(await clipNames(page), before);
  });
});

/** A leg of a BVH file. */
function leg(side, sign) {
  const joint = (name, offset, inside) => `JOINT ${side}${name}
{
  OFFSET ${offset}
  CHANNELS 3 Zrotation Xrotation Yrotation
  ${inside}
}
`;
  const toe = joint('ToeBase', '0 -0.5 1.5', 'End Site\n{\n  OFFSET 0 0 0.5\n}');
  return joint('UpLeg', `${sign} 0 0`, joint('Leg', '0 -4 0', joint('Foot', '0 -4 0', toe)));
}
