// A tutorial or a page of recipes, done as its text says, in an empty folder.
// Usage: run.mjs PAGE.md PROGRAM
//
// - Blocks marked `sh` are run in order, in one shell. Those under the heading "Before you start" begin in a checkout,
//   where `./dev COMMAND` only has to exist (what it builds is there already) and `npm install` links what is built.
// - A block marked `text` after one of them is what it prints: its lines appear in that order, `...` is anything (a
//   line may end with it), and numbers agree to 5 % or one unit of their last digit.
// - "Save this as `NAME`" writes the next block to a file.
// - "You now have `NAME`" is true: the file is there and not empty.
// - Python blocks of the Blender tutorial run in one Blender without a window, as commands of its Python console.
// LIMBER_UPDATE=1 also takes the pictures: images/tutorials/PAGE-NAME.webp is the file NAME.png that the page made.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { WEB, act, deedsIn, kit, moves, serveWithPython, takePicture } from './browser.mjs';
import { quoted, readPage } from './pages.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// --- what stands in for what the text asks for ---

const DEV = `#!/bin/sh
grep -q "^cmd_$1() {" "${ROOT}/dev" || { echo "./dev has no command '$1'"; exit 2; }
`;
// Packages come from where ./dev web has put them, nothing from the network.
const NPM = `#!/bin/sh
[ "$1" = install ] || { echo "npm $1 is not what this test knows"; exit 2; }
shift
mkdir -p node_modules
for package in "$@"; do
    case $package in
        */web/limber) ln -s "${WEB}/limber" node_modules/limber ;;
        *) ln -s "${WEB}/node_modules/$package" "node_modules/$package" ;;
    esac
done
for package in node_modules/*; do [ -e "$package/package.json" ] || { echo "$package is not built"; exit 2; }; done
`;
const CMAKE = `#!/bin/sh
[ "$1 $2" = "--build build" ] && exit 0
exec "$LIMBER_CMAKE" "$@"
`;

/** A checkout whose program is built: links to this one, and stand-ins. */
function makeCheckout(folder, program) {
  const checkout = path.join(folder, 'limber');
  const tools = path.join(folder, 'tools');
  fs.mkdirSync(checkout);
  fs.mkdirSync(tools);
  for (const name of fs.readdirSync(ROOT))
    if (!/^(build.*|dev|out|\.git)$/.test(name)) fs.symlinkSync(path.join(ROOT, name), path.join(checkout, name));
  fs.symlinkSync(path.dirname(path.resolve(program)), path.join(checkout, 'build'));
  fs.writeFileSync(path.join(checkout, 'dev'), DEV, { mode: 0o755 });
  fs.writeFileSync(path.join(tools, 'npm'), NPM, { mode: 0o755 });
  fs.writeFileSync(path.join(tools, 'cmake'), CMAKE, { mode: 0o755 });
  return { checkout, tools };
}

const which = (name) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();

// --- the page as a script ---

/** Files that a sentence says are there, up to its full stop. */
function claimed(text) {
  return [...text.matchAll(/You now have (.*?)(?:[.:;](?: |$)|$)/g)].flatMap(([, names]) => quoted(names));
}

/** The page as one script for bash. What block i prints goes to out.i. */
function scriptOf(parts, { work, checkout, home }) {
  const lines = ['set -euo pipefail', `cd '${checkout}'`];
  const wanted = []; // what block i must have printed
  let saveAs;
  const isSetUp = !parts.some((part) => /^#+ Before you start/.test(part.text));
  if (isSetUp) lines.push(`export PATH='${checkout}/build':"$PATH"; mkdir -p '${home}/page'; cd '${home}/page'`);
  let last;
  for (const part of parts) {
    const saved = part.kind === 'block' ? null : part.text.match(/[Ss]ave this as `([^`]+)`/);
    if (saved) saveAs = saved[1];
    if (part.kind === 'block' && saveAs) {
      lines.push(`cat >'${saveAs}' <<'END_OF_BLOCK'`, part.text, 'END_OF_BLOCK');
      saveAs = undefined;
    } else if (part.kind === 'block' && /http\.server/.test(part.text)) {
      last = undefined; // inBrowser serves the folder, at a port that is free
    } else if (part.kind === 'block' && part.language === 'sh') {
      last = { line: part.line, out: path.join(work, `out.${part.line}`), texts: [] };
      wanted.push(last);
      lines.push(`exec 3>&1 4>&2 >'${last.out}' 2>&1`, part.text, 'exec 1>&3 2>&4');
    } else if (part.kind === 'block' && part.language === 'text') last?.texts.push(part);
    else if (part.kind === 'block') last = undefined; // the answers that follow are not the shell's
    if (part.kind !== 'block')
      for (const name of claimed(part.text))
        lines.push(`test -s '${name}' || { echo "line ${part.line}: there is no ${name}"; exit 1; }`);
  }
  lines.push(`pwd >'${path.join(work, 'where')}'`);
  return { script: lines.join('\n'), wanted };
}

// --- what was printed against what the page says ---

const NUMBER = /[-+]?\d+(?:\.\d+)?/g;

/** Whether a printed line has the words of the page's line, and numbers near its numbers. */
function agrees(line, printed) {
  const words = (text) => text.split(NUMBER);
  const tidy = (text) => text.trim().replace(/\s+/g, ' ');
  const isOpen = line.endsWith('...');
  const some = words(tidy(isOpen ? line.slice(0, -3) : line));
  const all = tidy(printed);
  const same = words(all).slice(0, isOpen ? some.length : undefined);
  if (isOpen && same.length === some.length) same.push(same.pop().slice(0, some.at(-1).length));
  if (some.join('\0') !== same.join('\0')) return false;
  const numbers = all.match(NUMBER) ?? [];
  return (line.match(NUMBER) ?? []).every((text, i) => {
    const unit = 10 ** -(text.split('.')[1]?.length ?? 0);
    return Math.abs(Number(text) - Number(numbers[i])) <= Math.max(0.05 * Math.abs(Number(text)), 1.01 * unit);
  });
}

/** The first line of a text that what was printed does not have, after those before it. */
function missing(text, printed) {
  let at = 0;
  for (const line of text.split('\n').filter((one) => one.trim() && one.trim() !== '...')) {
    while (at < printed.length && !agrees(line, printed[at])) at++;
    if (at++ === printed.length) return line;
  }
  return undefined;
}

// --- a page ---

function runScript(parts, folder, program) {
  const { checkout, tools } = makeCheckout(folder, program);
  const work = path.join(folder, 'work');
  const home = path.join(folder, 'home');
  fs.mkdirSync(work);
  fs.mkdirSync(home);
  const { script, wanted } = scriptOf(parts, { work, checkout, home });
  const env = { ...process.env, HOME: home, PATH: `${tools}:${process.env.PATH}`, LIMBER_CMAKE: which('cmake') };
  delete env.PKG_CONFIG_PATH;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
  const ran = wanted.filter(({ out }) => fs.existsSync(out));
  const printedBy = ({ out }) => fs.readFileSync(out, 'utf8');
  if (status) {
    const at = ran.at(-1);
    throw new Error(
      `the page fails${at ? ` in or after the block of line ${at.line}:\n${printedBy(at)}` : ''}${stdout}${stderr}`,
    );
  }
  for (const one of wanted)
    for (const { text, line } of one.texts) {
      const lost = missing(text, printedBy(one).split('\n'));
      if (lost !== undefined) throw new Error(`line ${line}: not printed: ${lost}\nbut:\n${printedBy(one)}`);
    }
  return fs.readFileSync(path.join(work, 'where'), 'utf8').trim();
}

/** The pictures of the page that it has made itself. */
export function takePictures(page, parts, folder) {
  const stem = `${path.basename(page, '.md')}-`;
  const targets = parts.flatMap(({ text }) => [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map((found) => found[1]));
  for (const target of targets) {
    const name = path.basename(target, '.webp');
    const from = path.join(folder, `${name.slice(stem.length)}.png`);
    if (!name.startsWith(stem) || !fs.existsSync(from)) continue;
    const to = path.join(path.dirname(page), target);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    const { status, stderr } = spawnSync('ffmpeg', ['-loglevel', 'error', '-y', '-i', from, '-quality', '80', to]);
    if (status) throw new Error(`ffmpeg: ${stderr}`);
    console.log(`took ${target}`);
  }
}

export async function perform(page, program, more) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-page-'));
  try {
    const parts = readPage(page);
    const where = runScript(parts, folder, program);
    await more?.(parts, where);
    if (process.env.LIMBER_UPDATE) takePictures(page, parts, where);
    const count = (kind, language) => parts.filter((one) => one.kind === kind && one.language === language).length;
    console.log(
      `${path.basename(page)}: ${count('block', 'sh')} blocks of commands, ${count('block', 'text')} of answers`,
    );
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Python blocks, in one Blender; what they print is the text block after each. */
function inBlender(parts, where) {
  const blender = process.env.LIMBER_BLENDER || which('blender');
  const blocks = parts.filter((one) => one.kind === 'block' && one.language === 'python');
  if (!blocks.length) throw new Error('the page has no steps for Blender');
  const kit = fileURLToPath(new URL('blender_console.py', import.meta.url));
  const script = path.join(where, 'steps.json');
  fs.writeFileSync(script, JSON.stringify(blocks));
  const args = ['-b', '--factory-startup', '--python-exit-code', '7', '--python', kit, '--', script];
  const { status, stdout, stderr } = spawnSync(blender, args, { cwd: where, encoding: 'utf8' });
  if (status) throw new Error(`Blender fails:\n${stdout}${stderr}`);
  const printed = stdout.split('\n');
  parts.forEach((part, i) => {
    if (part.language !== 'text' || parts[i - 1].language !== 'python') return;
    const lost = missing(part.text, printed);
    if (lost !== undefined) throw new Error(`line ${part.line}: Blender does not print: ${lost}\nbut:\n${stdout}`);
  });
}

/** The page that the tutorial makes, in Chromium: what its text says after the line about the server. */
async function inBrowser(parts, where) {
  const { launch, openPage } = await kit();
  const server = await serveWithPython(where);
  const browser = await launch();
  try {
    const { page, faults } = await openPage(browser, server.address, { width: 640, height: 400 });
    await moves(page);
    const after = parts.slice(parts.findIndex(({ text }) => /http\.server/.test(text)) + 1);
    for (const part of after) {
      await takePicture(page, part, where, 'three');
      for (const deed of deedsIn(part.text)) await act(page, where, deed);
    }
    await moves(page);
    if (faults.length) throw new Error(faults.join('\n'));
  } finally {
    await browser.close();
    server.close();
  }
}

const MORE = { 'blender.md': inBlender, 'three.md': inBrowser };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [page, program] = process.argv.slice(2);
  try {
    await perform(page, program, MORE[path.basename(page)]);
  } catch (error) {
    console.error(`${page}: ${error.message}`);
    process.exit(1);
  }
}
