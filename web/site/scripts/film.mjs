// Films what the first page shows to those who have not touched it yet, and takes its still and the preview for links:
// `node site/scripts/film.mjs CHARACTER.glb CLIP`, with the built site, Chromium and ffmpeg. The character is not in this
// repository: more/Mage.glb of LIMBER_TEST_ASSETS, by Kay Lousberg (CC0), was filmed in its clip 2H_Melee_Attack_Chop. Look
// at the results before you commit them, then build again. `film.mjs preview` takes the preview only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../../limber/test/browser/browser.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const FPS = 30;
const SIZE = '960:640';
const STILL_S = 1; // where the film begins: its first frame is the still

/** The picture of the scene at a time, as PNG: plain on the left of the divider. */
async function picture(page, time, wipe) {
  const data = await page.evaluate(
    ([seconds, part]) => {
      const input = document.getElementById('wipe');
      input.value = String(100 * part);
      input.dispatchEvent(new Event('input'));
      window.show.seek(seconds);
      return document.getElementById('picture').toDataURL('image/png');
    },
    [time, wipe],
  );
  return Buffer.from(data.split(',')[1], 'base64');
}

async function encode(frames, options, file) {
  const input = ['-f', 'image2pipe', '-framerate', String(2 * FPS), '-c:v', 'png', '-i', '-'];
  const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-y', ...input, ...options, file], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  for (const frame of frames) ffmpeg.stdin.write(frame);
  ffmpeg.stdin.end();
  const [status] = await once(ffmpeg, 'close');
  if (status) throw new Error(`ffmpeg: status ${status}`);
}

/** Opens the character on the page, standing still. */
async function perform(page, [file, clip]) {
  await page.hover('#controls');
  await page.setInputFiles('#file', file);
  await page.waitForSelector('#clip-label:not([hidden])');
  await page.selectOption('#clip', clip);
  await page.waitForTimeout(3000);
}

async function film(browser, address, colorScheme, character) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: 1.5,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const { page } = await openPage(context, address);
  await perform(page, character);
  const length = await page.evaluate(() => window.show.length);
  const count = Math.round(length * FPS);
  const times = Array.from({ length: count }, (_, i) => ((STILL_S * FPS + i) % count) / FPS);
  const folder = at('../src/film');
  const video = ['-c:v', 'libvpx-vp9', '-crf', '36', '-b:v', '0', '-row-mt', '1', '-pix_fmt', 'yuv420p'];
  const frames = [];
  for (const time of times) for (const wipe of [1, 0]) frames.push(await picture(page, time, wipe));
  const beside = ['-vf', `scale=${SIZE},tile=2x1`, '-r', String(FPS)];
  await encode(frames, [...beside, ...video], path.join(folder, `${colorScheme}.webm`));
  const still = await picture(page, STILL_S, 0.5);
  const image = ['-vf', `scale=${SIZE}`, '-c:v', 'libwebp', '-quality', '80'];
  await encode([still], image, path.join(folder, `${colorScheme}.webp`));
  await context.close();
}

/** What other programs show beside a link: the first screen, 1200 by 630. */
async function preview(browser, address) {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 630 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const { page } = await openPage(context, address);
  await page.evaluate(() => document.body.classList.add('preview'));
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: at('../public/preview.jpg'), type: 'jpeg', quality: 82 });
  await context.close();
}

const server = await serve({ '/': at('../dist') });
const browser = await launch();
const character = process.argv.slice(2);
if (character[0] !== 'preview')
  for (const scheme of ['light', 'dark']) await film(browser, server.address, scheme, character);
await preview(browser, server.address);
await browser.close();
await server.close();
