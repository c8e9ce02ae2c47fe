// Draws the posters of all exhibits again, with the built gallery in Chromium: `node scripts/posters.mjs [ID...]`. Look at
// them before you commit them.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../../limber/test/browser/browser.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = at('../public/posters');
const wanted = process.argv.slice(2);

fs.mkdirSync(folder, { recursive: true });
const server = await serve({ '/': at('../dist') });
const browser = await launch();
const context = await browser.newContext({
  viewport: { width: 420, height: 420 },
  reducedMotion: 'reduce',
  colorScheme: 'light',
});
const { page } = await openPage(context, server.address);
await page.waitForFunction(() => window.gallery);
for (const id of await page.evaluate(() => window.gallery.tiles.map(({ element }) => element.id))) {
  if (wanted.length && !wanted.includes(id)) continue;
  await page.evaluate((one) => document.getElementById(one).scrollIntoView({ block: 'center' }), id);
  await page.waitForSelector(`#${id}[data-drawn]`);
  const data = await page.evaluate((one) => {
    const canvas = document.querySelector(`#${one} canvas`);
    return canvas.toDataURL('image/webp', 0.8);
  }, id);
  fs.writeFileSync(path.join(folder, `${id}.webp`), Buffer.from(data.split(',')[1], 'base64'));
}
await browser.close();
await server.close();
