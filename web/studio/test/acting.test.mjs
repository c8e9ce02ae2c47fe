// The five words of an animator, the timing of a clip on the timeline, and the wipe over a whole clip.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test, { after, before, describe } from 'node:test';
import {
  becomes,
  difference,
  draws,
  isPressed,
  open,
  pause,
  picture,
  ready,
  says,
  settle,
  start,
  until,
  vertices,
} from './help/kit.mjs';

/** With --long only: every change of a style takes half a second without a GPU. */
const LATER = { skip: !process.env.LIMBER_TEST_LONG && 'with --long' };

let stage, app, page;
before(async () => {
  stage = await start();
  app = await open(stage, { width: 1280, height: 760, drawn: false });
  ({ page } = app);
  await page.evaluate(() => window.studio.openBuiltIn('dog', { clip: 'jump', style: 'cartoon' }));
  await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'dog');
  await pause(page);
  await page.evaluate(() => {
    window.studio.viewer.compare.value = 'off';
    window.studio.player.seek(0.9);
  });
  await settle(page);
});
after(() => stage?.close());

const style = () => page.evaluate(() => window.studio.store.current.style);
const parsed = (name) => page.evaluate((one) => window.studio.engine.parseStyle(one), name);
const slider = (word) => page.locator(`[data-word="${word}"] [role=slider]`);
const amount = async (word) => Number(await slider(word).getAttribute('aria-valuenow'));
const undo = async () => {
  await page.locator('.viewport').focus();
  await page.keyboard.press('Control+z');
};

/** Types an amount into a slider. */
async function put(word, value) {
  await slider(word).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type(String(value));
  await page.keyboard.press('Enter');
  await becomes(() => amount(word), value);
}

const goBack = (word) =>
  page
    .locator(`[data-word="${word}"]`)
    .getByRole('button', { name: /as it was chosen/ })
    .click();

describe('five words', () => {
  test('stand for the keys that the documentation lists', async () => {
    const text = fs.readFileSync(new URL('../../../docs/acting.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| (timing|pose|anticipation|squash|drag) \|(.*)\|(.*)\|$/gm)];
    const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
    const told = rows.map(([, name, keys, limits]) => ({ name, keys: names(keys), limits: names(limits) }));
    const source = fs.readFileSync(new URL('../src/core/words.ts', import.meta.url), 'utf8');
    const table = /WORDS[^=]*= (\[.*?\n\]);/s.exec(source)[1];
    const words = new Function(`return ${table}`)().map(({ name, keys, limits }) => ({ name, keys, limits }));
    assert.equal(told.length, 5);
    assert.deepEqual(words, told);
  });

  test('are at 1 for a preset, and a drag to 0 is one step that can be undone', async () => {
    const cartoon = await parsed('cartoon');
    for (const word of ['timing', 'pose', 'anticipation', 'squash', 'drag']) assert.equal(await amount(word), 1, word);
    await picture(page, 'words');
    const box = await slider('timing').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x - 40, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await becomes(() => amount('timing'), 0);
    assert.deepEqual((await style()).timing, { ...cartoon.timing, snap: 0, hang: 0 });
    await undo();
    await becomes(() => amount('timing'), 1);
    assert.deepEqual(await style(), cartoon);
  });

  test('multiply what the preset has, keep what is not theirs, and go back', LATER, async () => {
    const cartoon = await parsed('cartoon');
    await page.evaluate(() => window.studio.setKey('timing.step', 2));
    await put('timing', 0.5);
    const { timing } = await style();
    assert.deepEqual(timing, { snap: cartoon.timing.snap / 2, hang: cartoon.timing.hang / 2, step: 2 });
    await page.evaluate(() => window.studio.setKey('timing.step', undefined));
    await put('squash', 2);
    await put('drag', 0);
    const now = await style();
    assert.equal(now.body.squash, 2 * cartoon.body.squash);
    assert.equal(now.effects.squash.max, 2 * cartoon.effects.squash.max);
    assert.equal(now.effects.overlap.gain, 0);
    assert.equal(now.effects.overlap.max, cartoon.effects.overlap.max, '0 would be no limit');
    await picture(page, 'words-changed');
    await slider('squash').hover();
    for (const word of ['timing', 'squash', 'drag']) await goBack(word);
    await isPressed(page.getByRole('button', { name: 'cartoon' }), true);
    assert.deepEqual(await style(), cartoon);
  });

  test('change what is seen', async () => {
    const shown = async (word, value) => {
      await put(word, value);
      return vertices(page);
    };
    const moved = async (word) => difference(await shown(word, 0), await shown(word, 2));
    const size = await page.evaluate(() => window.studio.session.value.size);
    for (const word of LATER.skip ? ['pose'] : ['timing', 'pose', 'squash', 'drag']) {
      const most = (await moved(word)) / size;
      assert.ok(most > 0.01, `${word} moves nothing by more than ${most} of the size`);
      await put(word, 1);
    }
  });

  test('find their amount in a style without them, and scale formulas', LATER, async () => {
    await page.getByRole('button', { name: 'rubberhose' }).click();
    await isPressed(page.getByRole('button', { name: 'rubberhose' }), true);
    await page.getByRole('button', { name: 'More sliders' }).click();
    await becomes(() => amount('anticipation'), 0);
    await put('anticipation', 1);
    assert.equal((await style()).pose.anticipate, (await parsed('cartoon')).pose.anticipate);
    await goBack('anticipation');
    await isPressed(page.getByRole('button', { name: 'rubberhose' }), true);
    await page.getByRole('button', { name: 'drybrush' }).click();
    await becomes(() => amount('drag'), 0);
    await put('drag', 1);
    await put('timing', 2);
    assert.equal((await style()).effects.overlap.gain, (await parsed('cartoon')).effects.overlap.gain);
    await goBack('drag');
    await goBack('timing');
    await becomes(() => amount('drag'), 0);
    const { effects, timing } = await style();
    assert.deepEqual({ effects, timing }, { effects: {}, timing: undefined });
    const formula = '0.2 * smoothstep(0.2, 1, height)';
    await page.evaluate(
      (angular) => window.studio.wear('mine.json', { limber: 1, effects: { floppy: { angular } } }),
      formula,
    );
    await becomes(() => amount('drag'), 1);
    await put('drag', 1.5);
    assert.equal((await style()).effects.floppy.angular, `1.5 * (${formula})`);
    await put('drag', 1);
    assert.equal((await style()).effects.floppy.angular, formula);
    await put('timing', 1);
    assert.deepEqual((await style()).timing, (await parsed('cartoon')).timing);
  });

  test('know after a reload what the preset was', LATER, async () => {
    await page.getByRole('button', { name: 'snappy' }).click();
    await isPressed(page.getByRole('button', { name: 'snappy' }), true);
    await put('pose', 0);
    await page.evaluate(() => window.studio.saveNow());
    await page.reload();
    await ready(page);
    await draws(page, false);
    await says(page.locator('.file-name'), 'dog.glb');
    await becomes(() => amount('pose'), 0);
    await put('pose', 1);
    assert.equal((await style()).pose.exaggerate, (await parsed('snappy')).pose.exaggerate);
    assert.deepEqual(app.faults(), []);
  });
});

describe('the timing', () => {
  const lane = () => page.locator('.lane').filter({ hasText: 'Lingers' });
  /** What the lane says at a time. */
  const said = async (time) => {
    const canvas = lane().locator('canvas');
    const box = await canvas.boundingBox();
    const part = await page.evaluate((t) => {
      const { start, end } = window.studio.player.span.value;
      return (t - start) / (end - start);
    }, time);
    await page.mouse.move(box.x + 10 + part * (box.width - 20), box.y + box.height / 2);
    await settle(page);
    return canvas.getAttribute('title');
  };
  const source = (time) =>
    page.evaluate((t) => {
      const { session, store } = window.studio;
      const { pipeline, clip } = session.value.pipeline(store.current.clip);
      return pipeline.sourceTime(clip, t);
    }, time);

  before(async () => {
    await page.getByRole('button', { name: 'cartoon' }).click();
    await isPressed(page.getByRole('button', { name: 'cartoon' }), true);
    await lane().waitFor();
  });

  test('is a curve on the timeline with its key poses', async () => {
    for (const time of [0.5, 0.8, 1.1]) {
      const text = await said(time);
      const [, shown] = /Shows ([\d.]+) s of the plain clip/.exec(text);
      assert.ok(Math.abs(Number(shown) - (await source(time))) < 0.02, `${text} at ${time} s`);
    }
    assert.match(await said(0.8), /ms (later|earlier), at [\d.]+ of its speed/);
    const keys = await page.evaluate(() => {
      const { session, store } = window.studio;
      const { pipeline, clip } = session.value.pipeline(store.current.clip);
      const times = Array.from({ length: 2401 }, (_, i) => i / 1000);
      const shown = (key) => times.find((time) => pipeline.sourceTime(clip, time) >= key - 1e-6);
      return [...pipeline.performance(clip).keyTimes].map(shown);
    });
    assert.ok(keys.length > 0);
    for (const key of keys) assert.match(await said(key), /^Key pose:/, `${key} s`);
    assert.doesNotMatch(await said(keys[0] - 0.3), /Key pose/);
    await picture(page, 'timing');
  });

  test('says at the end of the clip what is on show there', async () => {
    const { end, last, speed } = await page.evaluate(() => {
      const { end } = window.studio.player.span.value;
      const { pipeline, clip } = window.studio.session.value.pipeline(window.studio.store.current.clip);
      const [before, last] = [end - 0.01, end].map((time) => pipeline.sourceTime(clip, time));
      return { end, last, speed: (last - before) / 0.01 };
    });
    const text = await said(end);
    const [, source, rate] = /Shows ([\d.]+) s .* at ([\d.]+) of/.exec(text);
    assert.ok(Math.abs(Number(source) - last) < 0.02 && Math.abs(Number(rate) - speed) < 0.1, text);
  });

  test('holds longer when a key pose is dragged up, in one step', async () => {
    const slowest = () =>
      page.evaluate(() => {
        const { session, store } = window.studio;
        const { pipeline, clip } = session.value.pipeline(store.current.clip);
        return pipeline.performance(clip).slowest;
      });
    const { timing } = await parsed('cartoon');
    const before_ = await slowest();
    const canvas = lane().locator('canvas');
    const box = await canvas.boundingBox();
    const key = await page.evaluate(() => {
      const { session, store, player } = window.studio;
      const { pipeline, clip } = session.value.pipeline(store.current.clip);
      const { start, end } = player.span.value;
      const [wanted] = pipeline.performance(clip).keyTimes;
      const times = Array.from({ length: 2401 }, (_, i) => i / 1000);
      return (times.find((time) => pipeline.sourceTime(clip, time) >= wanted - 1e-6) - start) / (end - start);
    });
    const [x, y] = [box.x + 10 + key * (box.width - 20), box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 30, { steps: 3 });
    await page.mouse.move(x, y - 60, { steps: 3 });
    await page.mouse.up();
    await until(async () => Math.abs((await style()).timing.snap - timing.snap - 1) < 0.02, 'snap is not 1 more');
    assert.ok((await slowest()) < before_ - 0.05, `${await slowest()} of the plain speed, ${before_} before`);
    await picture(page, 'timing-held');
    await undo();
    await until(async () => (await style()).timing.snap === timing.snap, 'it takes more than one step back');
    assert.equal(await page.evaluate(() => window.studio.player.time.value), 0.9, 'the playhead stays');
  });

  test('is a line with an offer if the style leaves it alone', LATER, async () => {
    const offer = page.locator('.lane').filter({ hasText: 'Timing' }).filter({ hasNotText: 'Lingers' });
    await put('timing', 0);
    await lane().waitFor({ state: 'detached' });
    await offer.waitFor();
    await page.evaluate(() => window.studio.setKey('timing.step', 2));
    await lane().waitFor();
    await offer.waitFor({ state: 'detached' });
    await picture(page, 'timing-twos');
    await page.evaluate(() => window.studio.setKey('timing.step', undefined));
    await put('timing', 2);
    await lane().waitFor();
    await picture(page, 'timing-twice');
    await put('timing', 1);
    assert.deepEqual(app.faults(), []);
  });
});

describe('holds', () => {
  const lane = () => page.locator('.lane').filter({ hasText: 'Timing' });
  const holds = async () => (await style()).timing?.holds;
  const place = async (time) => {
    const box = await lane().locator('canvas').boundingBox();
    const { start, end } = await page.evaluate(() => window.studio.player.span.value);
    return [box.x + 10 + ((time - start) / (end - start)) * (box.width - 20), box.y + box.height / 2];
  };
  const secondsPerPixel = async () => 1 / ((await place(1))[0] - (await place(0))[0]);
  const said = async (time) => {
    await page.mouse.move(...(await place(time)));
    await settle(page);
    return lane().locator('canvas').getAttribute('title');
  };
  /** Drags what is at a time sideways, in pixels. */
  const drag = async (time, pixels) => {
    const [x, y] = await place(time);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + pixels / 2, y + 1, { steps: 3 });
    await page.mouse.move(x + pixels, y, { steps: 3 });
    await page.mouse.up();
  };
  const double = async (time) => page.mouse.dblclick(...(await place(time)));
  /** Key poses of the plain clip, when they are on show, and for how long the clip lingers there. */
  const poses = () =>
    page.evaluate(() => {
      const { session, store } = window.studio;
      const { pipeline, clip } = session.value.pipeline(store.current.clip);
      const { end } = session.value.clipInfo(store.current.clip);
      const step = 1 / 480;
      const source = (time) => pipeline.sourceTime(clip, time);
      const rate = (time) => (source(time + step) - source(time)) / step;
      return pipeline.performance(clip).keyTimes.map((at) => {
        let shown = 0;
        while (shown < end && source(shown) < at - 1e-6) shown += step;
        let [from, to] = [shown, shown];
        while (from - step >= 0 && rate(from - step) < 0.7) from -= step;
        while (to + 2 * step <= end && rate(to) < 0.7) to += step;
        return { at, shown, from, to };
      });
    });
  const middle = (all) => all.find(({ shown }) => shown > 0.3);
  const lasts = ({ from, to }) => to - from;
  /** The lane draws a little after a change of the style. */
  const drawn = (time, words) => until(async () => words.test(await said(time)), `nothing says ${words} at ${time} s`);

  before(async () => {
    await page.getByRole('button', { name: 'cartoon' }).click();
    await isPressed(page.getByRole('button', { name: 'cartoon' }), true);
    await lane().filter({ hasText: 'Lingers' }).waitFor();
  });

  test('are set by dragging one key pose sideways, in one step', async () => {
    const { timing } = await parsed('cartoon');
    const was = await poses();
    const pose = middle(was);
    await drawn(pose.shown, /^Key pose: drag it right to hold this one longer/);
    const pixels = 30;
    await drag(pose.shown, pixels);
    await until(async () => (await holds())?.length === 1, 'there is no hold');
    const [hold] = await holds();
    const wanted = lasts(pose) + 2 * pixels * (await secondsPerPixel());
    assert.equal(hold.clip, 'jump');
    assert.ok(Math.abs(hold.at - pose.at) < 0.002, `at ${hold.at} s, not ${pose.at} s`);
    assert.ok(Math.abs(hold.length - Math.min(wanted, 0.73)) < 0.02, `${hold.length} s, not ${wanted} s`);
    assert.equal((await style()).timing.snap, timing.snap);
    const now = await poses();
    assert.equal(now.length, was.length);
    now.forEach(({ shown }, i) => assert.ok(Math.abs(shown - was[i].shown) < 0.02, `key pose ${i} moved`));
    assert.ok(lasts(middle(now)) > lasts(pose) + 0.05, `${lasts(middle(now))} s, ${lasts(pose)} s before`);
    await drawn(pose.shown, /^Key pose: .*double-click to remove/);
    await picture(page, 'hold-longer');
    await undo();
    await becomes(holds, undefined);
  });

  test('become shorter on the way back, down to none', LATER, async () => {
    const pose = middle(await poses());
    await drawn(pose.shown, /^Key pose: drag it right to hold this one/);
    await drag(pose.shown, -120);
    await until(async () => (await holds())?.[0]?.length === 0, 'it is still held');
    assert.ok(lasts(middle(await poses())) < 0.02);
    await drawn(pose.shown, /double-click to remove/);
    await picture(page, 'hold-none');
    await double(pose.shown);
    await becomes(holds, undefined);
  });

  test('are added at any moment by a double click, dragged at their ends, and removed', LATER, async () => {
    const time = 1.3; // far from key poses and both ends
    await drawn(time, /^Double-click to hold this moment/);
    const source = await page.evaluate((t) => {
      const { session, store } = window.studio;
      const { pipeline, clip } = session.value.pipeline(store.current.clip);
      return pipeline.sourceTime(clip, t);
    }, time);
    await double(time);
    await until(async () => (await holds())?.length === 1, 'there is no hold');
    const [hold] = await holds();
    assert.ok(Math.abs(hold.at - source) < 0.01, `at ${hold.at} s, not ${source} s`);
    await drawn(time, /^Hold: /);
    await picture(page, 'hold-anywhere');
    let end = time + hold.length / 2 + 0.02;
    await until(async () => {
      end -= 0.004;
      return /^Held for/.test(await said(end));
    }, 'it has no end');
    await drag(end, -12);
    await until(async () => (await holds())[0].length < hold.length - 0.01, 'it is as long as before');
    await page.evaluate(() => document.activeElement?.blur?.());
    await drawn(time, /^Hold: /);
    await page.keyboard.press('Delete');
    await becomes(holds, undefined);
    await undo();
    await until(async () => (await holds())?.length === 1, 'it does not come back');
    await undo();
    await until(async () => (await holds())[0].length === hold.length, 'the drag takes more than one step back');
    await undo();
    await becomes(holds, undefined);
  });

  test('stay when a preset is chosen, and go with a double click', LATER, async () => {
    const pose = middle(await poses());
    await drawn(pose.shown, /^Key pose/);
    await double(pose.shown);
    await until(async () => (await holds())?.length === 1, 'there is no hold');
    const kept = await holds();
    await page.getByRole('button', { name: 'snappy' }).click();
    await until(async () => (await style()).timing.snap === (await parsed('snappy')).timing.snap, 'it is not snappy');
    assert.deepEqual(await holds(), kept);
    await page.getByRole('button', { name: 'cartoon' }).click();
    await until(async () => (await style()).timing.snap === (await parsed('cartoon')).timing.snap, 'it is not cartoon');
    await drawn(pose.shown, /double-click to remove/);
    await double(pose.shown);
    await becomes(holds, undefined);
  });

  test('are offered where the style leaves the timing alone', async () => {
    await page.evaluate(() => window.studio.wear('mine.json', { limber: 1 }));
    await lane().filter({ hasNotText: 'Lingers' }).waitFor();
    await drawn(0.8, /^Double-click to hold a moment/);
    await picture(page, 'hold-offer');
    await double(0.8);
    await until(async () => (await holds())?.length === 1, 'there is no hold');
    assert.deepEqual(await holds(), [{ clip: 'jump', at: (await holds())[0].at, length: 0.3 }]);
    assert.ok(Math.abs((await holds())[0].at - 0.8) < 0.01);
    await lane().filter({ hasText: 'Lingers' }).waitFor();
    await picture(page, 'hold-alone');
    await undo();
    await lane().filter({ hasNotText: 'Lingers' }).waitFor();
    assert.deepEqual(app.faults(), []);
  });
});

describe('the wipe', () => {
  /** How many pixels of a wipe differ from the plain clip on its left and from the styled one on its right. */
  const compare = (time) =>
    page.evaluate((t) => {
      const { player, viewer } = window.studio;
      const at = 0.57;
      const shoot = (compare, wipe) => {
        viewer.compare.value = compare;
        viewer.wipe.value = wipe;
        player.seek(t);
        const { width, height } = viewer.shoot();
        const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
        copy.drawImage(viewer.shoot(), 0, 0);
        return copy.getImageData(0, 0, width, height);
      };
      const styled = shoot('off', 0.5);
      const plain = shoot('wipe', 0.98);
      const both = shoot('wipe', at);
      const differ = (a, b, from, to) => {
        let count = 0;
        for (let i = 0; i < a.data.length; i++) {
          const x = ((i >> 2) % a.width) / a.width;
          if (x > from && x < to && Math.abs(a.data[i] - b.data[i]) > 8) count++;
        }
        return count;
      };
      return {
        left: differ(both, plain, 0, at - 0.01),
        right: differ(both, styled, at + 0.01, 1),
        all: differ(plain, styled, 0, 1),
      };
    }, time);

  before(async () => {
    await draws(page, true);
    await page.getByRole('button', { name: 'cartoon' }).click();
    await isPressed(page.getByRole('button', { name: 'cartoon' }), true);
    await page.evaluate(() => (window.studio.viewer.compare.value = 'wipe'));
    await page.waitForFunction(() => window.studio.session.value.plainReady);
  });

  test('shows the plain clip on its left and the styled one on its right, all through the clip', async () => {
    for (const time of LATER.skip ? [0.9] : [0.3, 0.9, 1.4]) {
      const { left, right, all } = await compare(time);
      assert.equal(left, 0, `${time} s: the left is not plain`);
      assert.equal(right, 0, `${time} s: the right is not styled`);
      assert.ok(all > 500, `${time} s: plain and styled look the same`);
    }
  });

  test('is dragged while the clip plays', async () => {
    const wipe = page.getByRole('slider', { name: /Divider/ });
    await page.evaluate(() => (window.studio.player.playing.value = true));
    const box = await wipe.boundingBox();
    const view = await page.locator('.viewport').boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(view.x + view.width * 0.45, y, { steps: 3 });
    await page.mouse.up();
    const place = () => page.evaluate(() => window.studio.viewer.wipe.value);
    await until(async () => Math.abs((await place()) - 0.45) < 0.02, 'the divider is elsewhere');
    const time = () => page.evaluate(() => window.studio.player.time.value);
    const first = await time();
    await until(async () => (await time()) !== first, 'it does not play on');
    await picture(page, 'wipe-playing');
    await wipe.dblclick();
    await becomes(place, 0.5);
    await pause(page);
    assert.deepEqual(app.faults(), []);
  });
});

test('blows are marked on the timeline, with the joints that stop', async () => {
  await page.evaluate(() => window.studio.openBuiltIn('hero', { clip: 'swing', style: 'cartoon' }));
  await page.waitForFunction(() => window.studio.session.value?.file.builtIn === 'hero');
  await draws(page, false);
  await pause(page);
  await settle(page);
  const canvas = page.locator('.lane').filter({ hasText: 'Motion' }).locator('canvas');
  const box = await canvas.boundingBox();
  const said = new Set();
  await until(
    async () => {
      for (let x = 10; x < box.width - 10; x += 4) {
        await page.mouse.move(box.x + x, box.y + box.height / 2);
        said.add(await canvas.getAttribute('title'));
      }
      return [...said].some((text) => /^Blow: \w/.test(text));
    },
    `no blow: ${[...said].slice(0, 3).join('; ')}`,
  );
});
