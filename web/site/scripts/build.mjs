// Builds the site: `node site/scripts/build.mjs BUILD [OUT]`, with the build folder of cmake. The package, the studio
// and the gallery are there already (web/build.sh). The result is a folder for any host, under any path.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as bundle } from 'vite';
import { offline } from '../../scripts/offline.mjs';
import { highlightBlocks } from './highlight.mjs';
import { home } from './home.mjs';
import { Reader } from './markdown.mjs';
import { brokenLinks, navigation } from './navigation.mjs';
import { searchIndex } from './search_index.mjs';
import { docPage } from './shell.mjs';
import { Sources } from './sources.mjs';
import { escape } from './text.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const root = at('../../..');

const isMarkdown = (name) => name.endsWith('.md');

/** Pages to begin with. Others come in through links. */
function firstPages() {
  const docs = fs.readdirSync(path.join(root, 'docs'), { recursive: true }).filter(isMarkdown);
  const names = docs.map((name) => `docs/${name.split(path.sep).join('/')}`).sort();
  return ['README.md', ...names, 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
}

/** All pages of Markdown: those, and what they link to. */
function readPages(reader) {
  const waiting = firstPages();
  const seen = new Set(waiting);
  const pages = [];
  while (waiting.length) {
    const page = reader.read(waiting.shift());
    pages.push(page);
    for (const name of page.links) if (!seen.has(name)) seen.add(name) && waiting.push(name);
  }
  return pages;
}

/** A page with its title above it and colors in its code. */
const completed = ({ title, html }) =>
  (/<h1\b/.test(html) ? '' : `<h1>${escape(title)}</h1>\n`) + highlightBlocks(html);

/** Pages that other modules make of headers, types and tables. */
async function referencePages(build) {
  const file = at('../reference/index.mjs');
  if (!fs.existsSync(file)) return [];
  const { pages } = await import(pathToFileURL(file).href);
  return (await pages(root, build)).map((page) => ({ ...page, html: completed(page) }));
}

/** Scripts and styles, by their name in the folder src. */
async function bundled(out) {
  await bundle({ configFile: at('../vite.config.ts'), build: { outDir: out } });
  const manifest = path.join(out, 'manifest.json');
  const entries = Object.values(JSON.parse(fs.readFileSync(manifest, 'utf8'))).filter(({ isEntry }) => isEntry);
  fs.rmSync(manifest);
  const scripts = Object.fromEntries(entries.map(({ name, file }) => [name, file]));
  return { scripts, styles: [...new Set(entries.flatMap(({ css }) => css ?? []))] };
}

/** The gallery and the studio as they are, except that one service worker keeps all of the site. */
function copyApps(out) {
  const web = at('../..');
  fs.cpSync(path.join(web, 'studio/dist'), path.join(out, 'studio'), { recursive: true });
  fs.cpSync(path.join(web, 'gallery/dist'), path.join(out, 'gallery'), {
    recursive: true,
    filter: (from) => path.basename(from) !== 'studio' || path.basename(path.dirname(from)) !== 'dist',
  });
  fs.copyFileSync(path.join(web, 'studio/dist/NOTICES.txt'), path.join(out, 'NOTICES.txt'));
  for (const app of ['studio', 'gallery']) {
    const file = path.join(out, app, 'index.html');
    const html = fs.readFileSync(file, 'utf8').replaceAll('"./studio/"', '"../studio/"');
    fs.writeFileSync(file, html.replace('<html ', '<html data-worker="../sw.js" data-studio="../studio/" '));
    fs.rmSync(path.join(out, app, 'sw.js'), { force: true });
  }
}

function write(out, name, text) {
  const file = path.join(out, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

function fail(faults) {
  if (!faults.length) return;
  console.error(faults.join('\n'));
  process.exit(1);
}

export async function buildSite(build, out) {
  fs.rmSync(out, { recursive: true, force: true });
  const assets = await bundled(out);
  copyApps(out);
  const sources = new Sources(root);
  const reader = new Reader(root, sources);
  const pages = readPages(reader);
  const reference = await referencePages(build);
  const sections = navigation(pages, reference);
  const shown = [...pages, ...reference];
  const files = sources.pages();
  for (const page of [...shown, ...files]) write(out, page.path, docPage(page, sections, assets));
  const front = home(assets);
  write(out, front.path, front.html);
  for (const name of reader.pictures) {
    fs.mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
    fs.copyFileSync(path.join(root, name), path.join(out, name));
  }
  const titleOf = (page) => sections.find((section) => section.pages.includes(page))?.title ?? 'Documentation';
  write(out, 'search.json', JSON.stringify(searchIndex(shown.map((page) => ({ ...page, section: titleOf(page) })))));
  const exists = (name) => fs.existsSync(path.join(out, name));
  fail([...reader.faults, ...brokenLinks([...shown, ...files, front], exists)]);
  offline(out, 'site');
  return { pages: shown.length, files: files.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [build, out = at('../dist')] = process.argv.slice(2);
  if (!build) throw new Error('usage: node site/scripts/build.mjs BUILD [OUT]');
  await buildSite(path.resolve(build), path.resolve(out));
}
