// Small helpers on HTML text.

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escape = (text) => text.replace(/[&<>"]/g, (one) => ESCAPES[one]);

const NAMES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

export const unescape = (text) =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
    if (name) return NAMES[name] ?? all;
    return String.fromCodePoint(decimal ? Number(decimal) : parseInt(hex, 16));
  });

const IN_LINE = /<\/?(?:a|abbr|b|code|em|i|kbd|small|span|strong|sub|sup|var)\b[^>]*>/g;

/** The words of HTML. Tags separate them, but for those inside a line. */
export const plain = (html) =>
  unescape(html.replace(IN_LINE, '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

/** The words of HTML inside a line: tags do not separate them. */
export const inline = (html) =>
  unescape(html.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();

/** The first `count` characters of a text, to the end of a word. */
export function shortened(text, count) {
  if (text.length <= count) return text;
  return `${text.slice(0, count + 1).replace(/\s+\S*$/, '')} …`;
}

/** The anchor of a heading, as code hosts make it; `taken` counts those of the page. */
export function slug(text, taken) {
  const bare = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  const count = taken.get(bare) ?? 0;
  taken.set(bare, count + 1);
  return count ? `${bare}-${count}` : bare;
}

/** The address of one page of the site from another. */
export function relative(from, to) {
  const up = '../'.repeat(from.split('/').length - 1);
  return `${up}${to}` || './';
}

/** Parts of a page by heading: { id, title, level, html }. What stands before the first has no id. */
export function sectionsOf(html) {
  const heads = [...html.matchAll(/<h([1-3])\b([^>]*)>([\s\S]*?)<\/h\1>/g)];
  const first = heads[0]?.index ?? html.length;
  const parts = [{ id: '', title: '', level: 1, html: html.slice(0, first) }];
  heads.forEach((head, i) => {
    const [all, level, attributes, inside] = head;
    const id = /\bid="([^"]*)"/.exec(attributes)?.[1] ?? '';
    const end = heads[i + 1]?.index ?? html.length;
    const body = html.slice(head.index + all.length, end);
    parts.push({ id: level === '1' ? '' : id, title: inline(inside), level: Number(level), html: body });
  });
  return parts;
}
