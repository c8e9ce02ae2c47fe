// Draws the moving pictures of the tools' hints again, with the built studio in Chromium and ffmpeg:
// `node scripts/hints.mjs [TOOL...]`. Look at them before you commit them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { choose, open, pause, settle, start } from '../test/help/kit.mjs';

const FRAMES = 12;
const FPS = 8;
const WIDTH = 216;
const folder = fileURLToPath(new URL('../public/hints', import.meta.url));

/** What every tool shows: a character, a clip, a style, a key to press, and what happens in a frame (`part`: 0 to 1). */
const play = async ({ page, span }, part) =>
  page.evaluate((time) => window.studio.player.seek(time), span.start + part * (span.end - span.start));
/** Drags from one place of the view to another (parts of its size), and back. */
const drag =
  (from, to) =>
  async ({ page, box }, part, i) => {
    const way = 0.5 - 0.5 * Math.cos(2 * Math.PI * part);
    const [x, y] = [0, 1].map((k) => from[k] + way * (to[k] - from[k]));
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    if (!i) await page.mouse.down();
  };
const HINTS = {
  select: { key: 'v', character: 'cow', at: 0.6, step: drag([0.15, 0.8], [0.75, 0.8]) },
  paint: { key: 'p', character: 'cow', at: 0.6, press: 'd', step: drag([0.48, 0.5], [0.6, 0.6]) },
  joints: { key: 'j', character: 'dog', clip: 'walk', joint: 'Head', step: play },
  hold: { key: 'h', character: 'dog', clip: 'walk', step: play },
  'what-if': { key: 'w', character: 'cow', at: 0.2, joint: 'Head', step: drag([0.5, 0.35], [0.85, 0.2]) },
  smears: { key: 'm', character: 'hero', style: 'smear', step: play },
  puppet: { key: 'u', character: 'dog', clip: 'walk', at: 0, joint: 'Head', step: drag([0.5, 0.35], [0.75, 0.2]) },
  skeleton: { key: 'e', character: 'dog', clip: 'walk', at: 0.2, joint: 'Head', step: drag([0.5, 0.35], [0.7, 0.15]) },
  export: {
    key: 'x',
    character: 'hero',
    step: ({ page }) => page.evaluate((turn) => window.studio.viewer.orbit(turn), (2 * Math.PI) / FRAMES),
  },
};

/** The place of a joint in the view, in parts of its size. */
const placeOf = (page, name) =>
  page.evaluate((wanted) => {
    const { session, viewer, joint } = window.studio;
    const { index, node } = session.value.joints.find((one) => one.name === wanted);
    joint.value = index;
    const at = viewer.project(node.getWorldPosition(viewer.camera.position.clone()));
    return [at.x / viewer.element.clientWidth, at.y / viewer.element.clientHeight];
  }, name);

async function shoot(page, { key, character, clip, style, at, joint, press, step }, into) {
  await page.evaluate(
    async ([name, wanted, worn]) => {
      await window.studio.openBuiltIn(name, { clip: wanted, style: worn });
      window.studio.viewer.compare.value = 'off';
      window.studio.player.playing.value = false;
      window.studio.viewer.frame();
    },
    [character, clip, style ?? 'cartoon'],
  );
  await settle(page);
  await choose(page, key);
  if (press) await page.keyboard.press(press);
  const span = await page.evaluate(() => window.studio.player.span.value);
  if (at !== undefined) await page.evaluate((time) => window.studio.player.seek(time), span.start + at);
  await settle(page);
  const box = await page.locator('.viewport').boundingBox();
  const from = joint ? await placeOf(page, joint) : undefined;
  const move = joint && step !== play ? drag(from, [from[0] + 0.2, from[1] - 0.2]) : step;
  for (let i = 0; i < FRAMES; i++) {
    await move({ page, box, span }, i / FRAMES, i);
    await settle(page);
    await page.screenshot({ path: path.join(into, `${String(i).padStart(2, '0')}.png`), clip: box });
  }
  await page.mouse.up();
}

const wanted = process.argv.slice(2);
fs.mkdirSync(folder, { recursive: true });
const stage = await start();
const { page } = await open(stage, { width: 900, height: 620 });
await pause(page);
await page.addStyleTag({ content: '.view-label, .hint, .message { visibility: hidden !important; }' });
for (const [name, hint] of Object.entries(HINTS).filter(([one]) => !wanted.length || wanted.includes(one))) {
  const into = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-hint-'));
  await shoot(page, hint, into);
  const scale = `scale=${WIDTH}:-2:flags=lanczos`;
  const webp = ['-c:v', 'libwebp_anim', '-quality', '60', '-compression_level', '6', '-loop', '0'];
  const args = [
    '-v',
    'error',
    '-y',
    '-framerate',
    String(FPS),
    '-i',
    path.join(into, '%02d.png'),
    '-vf',
    scale,
    ...webp,
  ];
  execFileSync('ffmpeg', [...args, path.join(folder, `${name}.webp`)]);
  fs.rmSync(into, { recursive: true });
}
await stage.close();
