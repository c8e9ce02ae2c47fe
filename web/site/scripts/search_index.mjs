// The index that the search of the site reads: which part of which page has which word.
import { plain, sectionsOf, shortened } from './text.mjs';

const EXCERPT = 150;
const COMMON = new Set(
  'a an and are as at be but by can do does for from has have if in into is it its no not of on one or other same so than that the their then there they this to was what when where which who will with you your'.split(
    ' ',
  ),
);

/** Words of a text as the search knows them: whole identifiers, and their parts. */
export function wordsOf(text) {
  const whole = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const all = whole.flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]));
  return all.filter((word) => word.length > 1 && word.length < 40 && !COMMON.has(word) && !/^[\d_]+$/.test(word));
}

/** Places of a word as text: distances in base 36, with a "!" where the word is in a heading. */
function packed(places) {
  let last = 0;
  const parts = [...places].map(([part, isTitle]) => {
    const step = (part - last).toString(36);
    last = part;
    return isTitle ? `!${step}` : step;
  });
  return parts.join(' ');
}

/** `pages` as { path, title, section, html }. The result is small JSON; src/search.ts reads it. */
export function searchIndex(pages) {
  const parts = [];
  const found = new Map();
  const add = (word, part, isTitle) => {
    if (!found.has(word)) found.set(word, new Map());
    const places = found.get(word);
    places.set(part, places.get(part) || isTitle);
  };
  pages.forEach((page, p) => {
    for (const { id, title, html } of sectionsOf(page.html)) {
      const text = plain(html);
      const isTop = !id;
      if (isTop && !title) continue; // a picture above the heading
      const part = parts.length;
      parts.push([p, id, isTop ? '' : title, shortened(text, EXCERPT)]);
      for (const word of wordsOf(`${title} ${isTop ? page.title : ''}`)) add(word, part, true);
      for (const word of wordsOf(text)) add(word, part, false);
    }
  });
  const words = [...found.keys()].sort();
  return {
    pages: pages.map(({ path, title, section }) => [path, title, section]),
    parts,
    words: words.join(' '),
    places: words.map((word) => packed(found.get(word))).join('\n'),
  };
}
