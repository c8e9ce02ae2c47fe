// Films the scene of the first page for those who have not touched it yet, and takes its still and the preview for links:
// `node site/scripts/film.mjs`, with the built site, Chromium and ffmpeg. Look at the results before you commit them,
// then build again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../../limber/test/browser/browser.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const FPS = 30;
const STILL_S = 1.12;

/** The picture of the scene at a time, as PNG. */
async function picture(page, time) {
  const data = await page.evaluate((seconds) => {
    window.show.seek(seconds);
    return document.getElementById('live').toDataURL('image/png');
  }, time);
  return Buffer.from(data.split(',')[1], 'base64');
}

async function encode(frames, options, file) {
  const input = ['-f', 'image2pipe', '-framerate', String(FPS), '-c:v', 'png', '-i', '-'];
  const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-y', ...input, ...options, file], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  for (const frame of frames) ffmpeg.stdin.write(frame);
  ffmpeg.stdin.end();
  const [status] = await once(ffmpeg, 'close');
  if (status) throw new Error(`ffmpeg: status ${status}`);
}

async function film(browser, address, colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: 1.5,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const { page } = await openPage(context, address);
  await page.hover('#stage');
  await page.waitForFunction(() => window.show?.length);
  const length = await page.evaluate(() => window.show.length);
  const frames = [];
  for (let i = 0; i < Math.round(length * FPS); i++) frames.push(await picture(page, i / FPS));
  const folder = at('../src/film');
  const size = ['-vf', 'scale=960:640'];
  const video = ['-c:v', 'libvpx-vp9', '-crf', '36', '-b:v', '0', '-row-mt', '1', '-pix_fmt', 'yuv420p'];
  await encode(frames, [...size, ...video], path.join(folder, `${colorScheme}.webm`));
  const still = await picture(page, STILL_S);
  await encode([still], [...size, '-c:v', 'libwebp', '-quality', '80'], path.join(folder, `${colorScheme}.webp`));
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
if (process.argv[2] !== 'preview') for (const scheme of ['light', 'dark']) await film(browser, server.address, scheme);
await preview(browser, server.address);
await browser.close();
await server.close();
