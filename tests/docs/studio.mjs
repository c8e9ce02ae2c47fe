// The tutorial of the studio: its numbered steps, done in Chromium as they stand there, from the command that opens it.
// Usage: studio.mjs PAGE.md PROGRAM
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { WEB, act, deedsIn, kit, takePicture } from './browser.mjs';
import { readPage } from './pages.mjs';
import { takePictures } from './run.mjs';

const [page, program] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-studio-page-'));

/** Starts the studio as the page says, without its browser: its address. */
async function startStudio(parts) {
  const words = parts
    .find(({ kind, language }) => kind === 'block' && language === 'sh')
    .text.match(/^build\/limber (.*)$/m);
  if (!words) throw new Error('the page does not start the studio');
  const more = ['--no-open', '--files', path.join(WEB, 'studio/dist')];
  const studio = spawn(program, [...words[1].split(' '), ...more], { env: { ...process.env, HOME: folder } });
  let said = '';
  studio.stderr.on('data', (text) => (said += text));
  const address = await new Promise((resolve, reject) => {
    studio.stdout.on('data', (text) => {
      said += text;
      const found = said.match(/studio: (\S+)/);
      if (found) resolve(found[1]);
    });
    studio.on('exit', () => reject(new Error(said)));
  });
  return { address, close: () => studio.kill() };
}

/** Pictures show what the step has done; the worker has finished it then. */
const settled = (view) =>
  view
    .waitForFunction(() => !window.studio.behind.value)
    .then(() => view.waitForTimeout(process.env.LIMBER_UPDATE ? 4000 : 0));

async function perform(parts, view, downloads) {
  let count = 0;
  view.downloaded = () => downloads.shift() ?? view.waitForEvent('download');
  for (const part of parts) {
    await settled(view);
    await takePicture(view, part, folder, 'studio');
    for (const deed of deedsIn(part.text)) {
      await act(view, folder, deed);
      await settled(view);
      count++;
    }
  }
  return count;
}

const parts = readPage(page);
const { launch, openPage } = await kit();
const studio = await startStudio(parts);
const browser = await launch();
try {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 700 },
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const { page: view, faults } = await openPage(context, studio.address);
  await view.waitForSelector('html[data-ready]', { state: 'attached' });
  const downloads = [];
  view.on('download', (one) => downloads.push(one));
  const from = parts.findIndex(({ kind }) => kind === 'block');
  const count = await perform(parts.slice(from + 1), view, downloads);
  if (count < 8) throw new Error(`only ${count} deeds were found`);
  const saved = fs.readFileSync(path.join(folder, 'dog-toon.glb'));
  if (saved.toString('latin1', 0, 4) !== 'glTF') throw new Error('what was saved is no .glb');
  const style = await view.evaluate(() => window.studio.store.current.style.strength);
  if (style !== 0.7) throw new Error(`the amount is ${style}, and not what the page says`);
  if (faults.length) throw new Error(faults.join('\n'));
  if (process.env.LIMBER_UPDATE) takePictures(page, parts, folder);
  console.log(`${path.basename(page)}: ${count} clicks, keys and looks`);
} catch (error) {
  console.error(`${page}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  studio.close();
  fs.rmSync(folder, { recursive: true });
}
