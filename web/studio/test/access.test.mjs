// No serious findings of axe-core in the studio: empty, with a character, with each tool, menu, dialog and drawer.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { findings } from '../../limber/test/browser/axe.mjs';
import { PATIENCE_MS } from '../../limber/test/browser/browser.mjs';
import { open, pause, start } from './help/kit.mjs';

let stage;
before(async () => (stage = await start()));
after(() => stage?.close());

for (const theme of ['dark', 'light'])
  test(`each tool, its panel, menus and the help have no serious findings (${theme})`, async () => {
    const app = await open(stage, { theme, width: 1000, height: 600 });
    const { page } = app;
    await pause(page);
    const found = {};
    const look = async (where) => {
      for (const line of await findings(page)) found[line] ??= where;
    };
    await page.evaluate(() => document.querySelectorAll('.panel details').forEach((part) => (part.open = true)));
    const tools = await page.evaluate(() => window.studio.tools.map(({ id }) => id));
    for (const id of tools) {
      await page.evaluate((one) => window.studio.choose(window.studio.tools.find((tool) => tool.id === one)), id);
      await look(`tool ${id}`);
    }
    await page.click('.file-button');
    await page.waitForSelector('.menu');
    await look('menu of files');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.menu', { state: 'detached' });
    await page.locator('.viewport').focus();
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await look('help');
    assert.deepEqual(found, {});
    await app.close();
  });

test('the drawers of a narrow window have no serious findings', async () => {
  const app = await open(stage, { width: 420, height: 800 });
  const { page } = app;
  await pause(page);
  for (const side of ['left', 'right']) {
    await page.click(`.drawer-button.of-${side}`);
    await page.waitForSelector(`.panel.${side}`);
    assert.deepEqual(await findings(page), [], side);
    await page.click(`.drawer-button.of-${side}`);
    await page.waitForSelector(`.panel.${side}`, { state: 'hidden' });
  }
  await app.close();
});

test('a studio that has no character yet has no serious findings', async () => {
  const context = await stage.browser.newContext({ reducedMotion: 'reduce' });
  await context.route('**/characters/**', (route) => route.fulfill({ status: 404 }));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(stage.server.address);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  assert.deepEqual(await findings(page), []);
  await context.close();
});
