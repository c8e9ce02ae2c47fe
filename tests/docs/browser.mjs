// What a page tells its reader to do in a browser, done there: **bold** words are what the reader clicks or sees.
//
// The last verb before them says which: "click", "press", "choose" a button, a tab or a choice with that name; "drag" a
// slider "to" a number; "press the key"; "says" or "see": the words are on the page. "downloads `NAME`": the browser
// saves it, and it goes into the folder.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const WEB = process.env.LIMBER_WEB ?? fileURLToPath(new URL('../../web', import.meta.url));

const VERB = /\b(click|press the keys?|press|choose|drag|says|see|downloads)\b/gi;

/** The deeds of a text, in its order: { verb, name, amount }. */
export function deedsIn(text) {
  const deeds = [];
  const clean = text.replace(/!\[[^\]]*\]\([^)]*\)/g, '');
  for (const found of clean.matchAll(/\*\*([^*]+)\*\*|`([^`]+)`/g)) {
    const verb = [...clean.slice(0, found.index).matchAll(VERB)].at(-1)?.[1].toLowerCase();
    const isFile = found[2] !== undefined;
    if (!verb || isFile !== (verb === 'downloads')) continue;
    const amount = clean.slice(found.index + found[0].length).match(/^ to ([\d.]+)/)?.[1];
    deeds.push({ verb, name: found[1] ?? found[2], amount });
  }
  return deeds;
}

const plain = (name) => new RegExp(`^\\s*${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`, 'i');

/** The control of that name that is in sight. */
async function control(page, name) {
  const roles = ['button', 'radio', 'tab', 'menuitem', 'option', 'switch', 'checkbox', 'link'];
  for (const end = Date.now() + 120_000; Date.now() < end; await page.waitForTimeout(50))
    for (const role of roles)
      for (const one of await page.getByRole(role, { name: plain(name) }).all()) if (await one.isVisible()) return one;
  throw new Error(`there is nothing to click that is called '${name}'`);
}

/** A slider takes a number that is typed, too: a digit opens its field. */
async function drag(page, name, amount) {
  const row = page.locator('.key-row', { has: page.getByText(plain(name)) }).first();
  await row.getByRole('slider').focus();
  await page.keyboard.press('Enter');
  await row.locator('input').fill(amount);
  await page.keyboard.press('Enter');
}

export async function act(page, folder, { verb, name, amount }) {
  if (verb === 'says' || verb === 'see') return page.getByText(plain(name)).first().waitFor();
  if (verb.startsWith('press the key')) return page.keyboard.press(name);
  if (verb === 'drag') return drag(page, name, amount);
  if (verb === 'downloads') {
    const download = await page.downloaded();
    if (download.suggestedFilename() !== name) throw new Error(`${download.suggestedFilename()} is saved, not ${name}`);
    return download.saveAs(path.join(folder, name));
  }
  return (await control(page, name)).click();
}

/** Serves a folder with the command that the page gives, at a port that is free. */
export async function serveWithPython(folder) {
  const server = spawn('python3', ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1'], { cwd: folder });
  const port = await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.stdout.on('data', (text) => resolve(String(text).match(/port (\d+)/)?.[1]));
  });
  return { address: `http://127.0.0.1:${port}/`, close: () => server.kill() };
}

export const kit = () => import(path.join(WEB, 'limber/test/browser/browser.mjs'));

/** Two pictures of the page that are not the same: something moves. */
export async function moves(page) {
  const first = await page.screenshot();
  for (const end = Date.now() + 120_000; Date.now() < end; await page.waitForTimeout(200))
    if (!first.equals(await page.screenshot())) return;
  throw new Error('nothing moves');
}

/** The picture of the page for an image that the text has at this place. */
export async function takePicture(page, part, folder, stem) {
  const target = part.text.match(/^!\[[^\]]*\]\(([^)]+)\)/)?.[1];
  const name = target && path.basename(target, '.webp');
  if (!process.env.LIMBER_UPDATE || !name?.startsWith(`${stem}-`)) return;
  fs.writeFileSync(path.join(folder, `${name.slice(stem.length + 1)}.png`), await page.screenshot());
}
