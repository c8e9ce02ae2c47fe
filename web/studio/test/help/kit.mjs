// The built page in Chromium, with helpers for tests.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../../../limber/test/browser/browser.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** The built page. Set the variable to test another build. */
const dist = process.env.LIMBER_STUDIO_DIST ?? here('../../dist');
export const characters = here('../../public/characters');
/** Folder for screenshots, if any. */
export const pictures = process.env.LIMBER_STUDIO_PICTURES;

/** Folder of characters from outside, if any. */
export const assets = () => process.env.LIMBER_TEST_ASSETS;

export async function start() {
  if (!fs.existsSync(path.join(dist, 'index.html')))
    throw new Error('web/studio/dist is not there: build it with ./dev web');
  const server = await serve({ '/': dist });
  const browser = await launch();
  return {
    server,
    browser,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** In the page: remembers messages, since some go away after seconds, before a slow machine looks. */
function listen() {
  window.said = [];
  new MutationObserver((changes) => {
    for (const one of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if (one.classList?.contains('message')) window.said.push(one.textContent);
  }).observe(document, { childList: true, subtree: true });
}

/** In the page: counts what the engines of the page's own thread make; those of workers are not among it. */
export function countMade() {
  window.made = { builder_finish: 0, pipeline_create: 0, pipeline_run: 0 };
  const real = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...args) => {
    const result = await real(...args);
    const exports = { ...(result.instance ?? result).exports };
    for (const name of Object.keys(window.made)) {
      const call = exports[name];
      if (call) exports[name] = (...numbers) => (window.made[name]++, call(...numbers));
    }
    return result.instance ? { module: result.module, instance: { exports } } : { exports };
  };
}

/** Waits for a message that was not waited for yet. */
export const isTold = (page, words) =>
  until(
    () =>
      page.evaluate((text) => {
        const found = window.said.findIndex((one) => one.includes(text));
        return found >= 0 && window.said.splice(0, found + 1).length > 0;
      }, words),
    `no message says '${words}'`,
  );

/** In the page: until the worker has made the style and the clip of the document. */
const caughtUp = () =>
  new Promise((done) => {
    const look = () => (window.studio?.behind.value ? setTimeout(look, 10) : done());
    look();
  });

/** Whatever a test asks the page for comes after what the worker makes. */
function lookLater(page) {
  const evaluate = page.evaluate.bind(page);
  page.evaluate = async (...args) => {
    await evaluate(caughtUp);
    return evaluate(...args);
  };
}

/**
 * Opens a page in a new context, without stored data. `session` is what `limber studio` would serve. Unless `motion` is
 * asked for, nothing plays by itself: drawing without a graphics card would keep the test waiting.
 * `settings`: whether all settings are shown, which a new user does not see. `count`: whether `window.made` counts what
 * the page's engines make. `drawn`: see `draws`.
 */
export async function open(
  { browser, server },
  {
    width = 1000,
    height = 600,
    theme = 'dark',
    session,
    motion = false,
    settings = true,
    count = false,
    drawn = true,
  } = {},
) {
  const reducedMotion = motion ? 'no-preference' : 'reduce';
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion });
  await context.addInitScript(listen);
  if (count) await context.addInitScript(countMade);
  if (settings) await context.addInitScript(() => localStorage.setItem('limber-studio.all-settings', 'true'));
  if (session) await context.route('**/session.json', (route) => route.fulfill({ json: session }));
  if (!drawn && !alwaysDrawn) await context.addInitScript(`(${hideFromStart})(${hide})`);
  const { page, faults } = await openPage(context, server.address);
  lookLater(page);
  await ready(page);
  return { page, faults: () => faults.filter((one) => !/session\.json|404/.test(one)), close: () => context.close() };
}

/** In the page: neither the view nor the pictures of presets are drawn. */
function hide() {
  const { studio } = window;
  const { ask } = studio;
  studio.viewer.draw = () => undefined;
  studio.ask = (job, hear) => (job.kind === 'strips' ? () => undefined : ask.call(studio, job, hear));
}

/** In the page: the same before anything was drawn, also when it is loaded again. */
function hideFromStart(hideNow) {
  let studio;
  Object.defineProperty(window, 'studio', {
    get: () => studio,
    set(app) {
      studio = app;
      hideNow();
    },
  });
}

const alwaysDrawn = Boolean(process.env.LIMBER_TEST_LONG) || Boolean(pictures);

/**
 * Whether the page draws the view and the pictures of presets. That takes most of the time of tests that are about keys,
 * numbers and files; with --long, and where screenshots are wanted, they are always drawn.
 */
export async function draws(page, wanted) {
  await page.evaluate(() => {
    const { studio } = window;
    delete studio.viewer.draw;
    delete studio.ask;
    studio.viewer.invalidate();
  });
  if (!wanted && !alwaysDrawn) await page.evaluate(hide);
}

/** A style with the effects that the tests drag, switch and paint. */
const LITERAL = {
  limber: 1,
  effects: {
    floppy: { linear: 0.03, angular: 0.22, max_bend: 45, layer: 'floppy', filter: { type: 'lowpass', gamma: 0.6 } },
    squash: { linear: 0.12, angular: 0.1, layer: 'squash' },
    drag: { angular: 0.006, max_bend: 30, layer: 'floppy' },
    followthrough: { angular: 0.012, layer: 'floppy', filter: { type: 'spring', frequency: 3, damping: 0.3 } },
  },
};

export const wearLiteral = (page) =>
  page.evaluate(
    (style) => window.studio.store.change('Style of the test', (document) => ({ ...document, style, shelf: {} })),
    LITERAL,
  );

export const ready = (page) => page.waitForSelector('html[data-ready]', { state: 'attached' });

/** Waits until the worker has made the style and the clip of the document, and the next frames have been drawn. */
export async function settle(page) {
  await page.evaluate(caughtUp);
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );
}

/** Longer than anything that a key or a click does takes on a slow and busy machine. */
const LIMIT_MS = 90_000;

/** Waits until `done` says yes; `fault` is what it means when it never does, or a function that says so then. */
export async function until(done, fault) {
  for (const end = Date.now() + LIMIT_MS; !(await done());) {
    if (Date.now() > end) throw new Error(typeof fault === 'function' ? fault() : fault);
    await new Promise((later) => setTimeout(later, 10));
  }
}

/** Waits until what `read` finds is `wanted`, or matches it: a page may act on a key or a click somewhat later. */
export async function becomes(read, wanted) {
  let found;
  await until(
    async () => {
      found = await read();
      return wanted instanceof RegExp ? wanted.test(found) : found === wanted;
    },
    () => `'${found}' instead of ${wanted}`,
  );
}

export const says = (locator, words) => becomes(() => locator.textContent(), words);
export const isPressed = (locator, pressed) => becomes(() => locator.getAttribute('aria-pressed'), String(pressed));

export const isChecked = (locator, checked) => becomes(() => locator.isChecked(), checked);

/** Turns a switch on or off. (Playwright's `check` fails if the page acts later than at once.) */
export async function turn(locator, on) {
  if ((await locator.isChecked()) !== on) await locator.click();
  await isChecked(locator, on);
}

/** Selects the tool of a key. */
export async function choose(page, key) {
  await page.locator('.viewport').focus();
  await page.keyboard.press(key);
  await becomes(() => page.evaluate(() => window.studio.tool.value?.key), key);
}

/** Gives the window another size; the page hears of it somewhat later. */
export async function resize(page, width, height) {
  await page.setViewportSize({ width, height });
  await becomes(() => page.evaluate(() => `${innerWidth} ${innerHeight}`), `${width} ${height}`);
  await settle(page);
}

/** Current world positions of the vertices. */
export const vertices = async (page) => {
  await settle(page);
  return page.evaluate(() => [...window.studio.picker.positions]);
};

export function difference(a, b) {
  if (a.length !== b.length) return Infinity;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

export const pause = async (page) =>
  page.evaluate(() => {
    window.studio.player.playing.value = false;
  });

/** The view as a PNG. */
export const view = async (page) => {
  await settle(page);
  return page.locator('.view-canvas').screenshot();
};

/** Drops a file into the window. */
export async function drop(page, name, bytes) {
  const data = await page.evaluateHandle(
    ([title, list]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(list), (c) => c.charCodeAt(0))], title));
      return transfer;
    },
    [name, Buffer.from(bytes).toString('base64')],
  );
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('.viewport', type, { dataTransfer: data });
}

/** Drops several files at once. Paths with a folder are dropped as that folder. */
export const dropAll = (page, files) =>
  page.evaluate(
    (all) => {
      const file = (path, list) =>
        new File([Uint8Array.from(atob(list), (c) => c.charCodeAt(0))], path.split('/').pop());
      const entries = (prefix) => {
        const inside = all.filter(([path]) => path.startsWith(prefix)).map(([path]) => path.slice(prefix.length));
        return [...new Set(inside.map((path) => path.split('/')[0]))].map((name) => {
          const path = prefix + name;
          const [, list] = all.find(([one]) => one === path) ?? [];
          if (list !== undefined) return { name, isDirectory: false, file: (done) => done(file(path, list)) };
          const some = [entries(`${path}/`), []];
          return { name, isDirectory: true, createReader: () => ({ readEntries: (done) => done(some.shift()) }) };
        });
      };
      const top = entries('');
      const dataTransfer = {
        types: ['Files'],
        items: top.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry })),
        files: all.map(([path, list]) => file(path, list)).filter(({ name }) => top.some((one) => one.name === name)),
      };
      const event = new DragEvent('drop', { bubbles: true, clientX: 400, clientY: 200 });
      Object.defineProperty(event, 'dataTransfer', { value: dataTransfer });
      document.querySelector('.viewport').dispatchEvent(event);
    },
    Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]),
  );

export const character = (name) => fs.readFileSync(path.join(characters, `${name}.glb`));

/** Returns a .glb with edited JSON. */
export function editedGlb(bytes, edit) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length));
  const rest = bytes.subarray(20 + length);
  edit(json);
  let text = JSON.stringify(json);
  text += ' '.repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
  const head = Buffer.from(bytes.subarray(0, 20));
  head.writeUInt32LE(20 + Buffer.byteLength(text) + rest.length, 8);
  head.writeUInt32LE(Buffer.byteLength(text), 12);
  return Buffer.concat([head, Buffer.from(text), rest]);
}

export async function picture(page, name) {
  if (!pictures) return;
  fs.mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

/** Opens the cow at one time of its clip, paused, with the tool selected by `key`. */
export async function openTool(stage, key, seconds) {
  const app = await open(stage, { width: 1000, height: 600 });
  const { page } = app;
  await pause(page);
  await page.evaluate((time) => {
    window.studio.viewer.compare.value = 'off';
    window.studio.player.seek(time);
    window.studio.viewer.frame();
  }, seconds);
  await settle(page);
  await choose(page, key);
  return app;
}
