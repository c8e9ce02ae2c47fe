// What a page of the documentation says, as parts in order: headings, fenced blocks, pictures, numbered steps, texts.
import fs from 'node:fs';

/** Words to lists of words: `a` and `b` in backquotes. */
export const quoted = (text) => [...text.matchAll(/`([^`]+)`/g)].map((found) => found[1]);

const KINDS = [
  ['heading', /^#+ /],
  ['picture', /^!\[/],
  ['step', /^\d+\. /],
];

function readBlock(lines, start) {
  const indent = lines[start].indexOf('```');
  let end = start + 1;
  while (end < lines.length && lines[end].trim() !== '```') end++;
  if (end === lines.length) throw new Error(`line ${start + 1}: the block does not end`);
  const text = lines
    .slice(start + 1, end)
    .map((line) => line.slice(indent))
    .join('\n');
  return { part: { kind: 'block', language: lines[start].trim().slice(3), text, line: start + 1 }, next: end + 1 };
}

/** A paragraph, or an item of a list: its lines up to the next that begins something else. */
function readText(lines, start) {
  let end = start + 1;
  while (end < lines.length && lines[end].trim() && !/^\s*(```|[-*] |\d+\. |#+ |!\[)/.test(lines[end])) end++;
  const text = lines
    .slice(start, end)
    .map((line) => line.trim())
    .join(' ');
  const [kind] = KINDS.find(([, begins]) => begins.test(text)) ?? ['text'];
  return { part: { kind, text, line: start + 1 }, next: end };
}

export function readPage(file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const parts = [];
  for (let at = 0; at < lines.length;) {
    if (!lines[at].trim()) {
      at++;
      continue;
    }
    const { part, next } = lines[at].trim().startsWith('```') ? readBlock(lines, at) : readText(lines, at);
    parts.push(part);
    at = next;
  }
  return parts;
}

/** The anchors of a page, as GitHub makes them. */
export function anchors(text) {
  const seen = new Map();
  const found = new Set();
  const plain = text.replace(/^```[\s\S]*?^```/gm, '');
  for (const [, heading] of plain.matchAll(/^#+ +(.*)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[`*]/g, '')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    found.add(times ? `${slug}-${times}` : slug);
  }
  for (const [, id] of plain.matchAll(/<a (?:id|name)="([^"]+)"/g)) found.add(id);
  return found;
}
