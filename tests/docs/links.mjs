// Every relative link and anchor in the repository's Markdown leads somewhere, docs/README.md lists every page once,
// and docs/why.md explains every bound.
// Usage: links.mjs
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchors } from './pages.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const faults = [];
const SKIPPED = /(^|\/)(node_modules|build[^/]*|dist|out|\.git)(\/|$)/;

/** All Markdown files, also where there is no git. */
function pages() {
  const found = fs.readdirSync(ROOT).filter((name) => !SKIPPED.test(name));
  const walk = (name) => {
    const full = path.join(ROOT, name);
    if (SKIPPED.test(name) || fs.lstatSync(full).isSymbolicLink()) return [];
    if (!fs.statSync(full).isDirectory()) return name.endsWith('.md') ? [name] : [];
    return fs.readdirSync(full).flatMap((inner) => walk(path.join(name, inner)));
  };
  return found.flatMap(walk);
}

const texts = new Map();
const textOf = (file) => texts.get(file) ?? texts.set(file, fs.readFileSync(file, 'utf8')).get(file);

/** Links and pictures outside of code: targets with their lines. */
function linksOf(text) {
  const clean = text
    .replace(/^( *)```[\s\S]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, '');
  return [...clean.matchAll(/\]\(([^()\s]+(?:\([^()]*\))?)(?: "[^"]*")?\)|(?:src|href)="([^"]+)"/g)].map((found) => ({
    target: found[1] ?? found[2],
    line: clean.slice(0, found.index).split('\n').length,
  }));
}

function check(page, { target, line }) {
  if (/^[a-z]+:/i.test(target)) return false;
  const [name, anchor] = target.split('#');
  const file = name ? path.join(ROOT, path.dirname(page), decodeURIComponent(name)) : path.join(ROOT, page);
  if (!fs.existsSync(file)) faults.push(`${page}:${line}: there is no ${target}`);
  else if (anchor && file.endsWith('.md') && !anchors(textOf(file)).has(anchor))
    faults.push(`${page}:${line}: no heading makes the anchor of ${target}`);
  return true;
}

/** Each page of docs/ is listed once, as an item `- [Title](page.md): one line`. */
function checkIndex(all) {
  const listed = new Map();
  for (const [, page] of textOf(path.join(ROOT, 'docs/README.md')).matchAll(/^- \[[^\]]+\]\(([^)#]+\.md)\): \S/gm))
    listed.set(page, (listed.get(page) ?? 0) + 1);
  for (const page of all.filter((one) => one.startsWith('docs/') && one !== 'docs/README.md')) {
    const times = listed.get(page.slice('docs/'.length)) ?? 0;
    if (times !== 1) faults.push(`docs/README.md lists ${page} ${times} times`);
  }
}

/** What `info --style` finds has an address: docs/why.md#BOUND (cli/explain.h). */
function checkBounds() {
  const source = textOf(path.join(ROOT, 'review/bounds.c'));
  const names = source.match(/names\[LIMBERI_BOUND_COUNT\] = \{([^}]*)\}/)?.[1].match(/"[^"]+"/g) ?? [];
  const [, page] = textOf(path.join(ROOT, 'cli/explain.h')).match(/#define CLI_MORE "([^"]+)"/);
  const known = anchors(textOf(path.join(ROOT, page)));
  for (const name of names.map((one) => one.slice(1, -1)))
    if (!known.has(name)) faults.push(`${page} has no heading for '${name}'`);
  if (names.length < 10) faults.push(`only ${names.length} bounds were found in review/bounds.c`);
}

const all = pages();
let count = 0;
for (const page of all) for (const link of linksOf(textOf(path.join(ROOT, page)))) count += check(page, link);
checkIndex(all);
checkBounds();
if (count < 100) faults.push(`only ${count} links were found`);
for (const fault of faults) console.error(fault);
if (faults.length) process.exit(1);
console.log(`${count} links in ${all.length} pages; all lead somewhere`);
