// The order of the pages: docs/README.md names the sections and what is in them.
import { inline } from './text.mjs';

const INDEX = 'docs/index.html';
const REFERENCE = ['Command line', 'Style', 'C', 'npm', 'Python'];

/** Sections of the index: { title, items }, in the order of its headings and lists. */
function sectionsOfIndex(index) {
  const parts = index.html.split(/<h2[^>]*>/).slice(1);
  return parts.map((part) => {
    const title = part.slice(0, part.indexOf('</h2>')).replace(/<[^>]*>/g, '');
    const items = [...part.matchAll(/<li>\s*(?:<p>)?<a href="([^"#]+)">([\s\S]*?)<\/a>/g)];
    return { title, items: items.map(([, href, words]) => ({ path: resolve(INDEX, href), words: inline(words) })) };
  });
}

/** The address that a link leads to, from the top of the site. */
export function resolve(from, href) {
  const { pathname } = new URL(href, `http://x/${from}`);
  const path = decodeURI(pathname.slice(1));
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

/**
 * Sections for the reader: { title, pages, closed }. Pages of the reference follow the hand-written ones, and under
 * "More" are pages that the index forgot.
 */
export function navigation(pages, reference) {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const index = byPath.get(INDEX);
  const sections = [];
  for (const { title, items } of index ? sectionsOfIndex(index) : []) {
    const known = items.filter(({ path }) => byPath.has(path));
    for (const { path, words } of known) byPath.get(path).short = words;
    if (known.length) sections.push({ title, pages: known.map(({ path }) => byPath.get(path)) });
  }
  for (const title of REFERENCE) {
    const found = reference.filter(({ section }) => section === title);
    if (found.length) sections.push({ title: `Reference: ${title}`, pages: found, closed: true });
  }
  const listed = new Set(sections.flatMap((section) => section.pages));
  const more = pages.filter((page) => page !== index && !listed.has(page));
  if (more.length) sections.push({ title: 'More', pages: more, closed: true });
  return sections;
}

/** What links lead nowhere: lines for the person who wrote them. `addresses` are files of the site that are no pages. */
export function brokenLinks(pages, addresses) {
  const anchors = new Map(pages.map(({ path, html }) => [path, new Set(idsOf(html))]));
  const faults = [];
  for (const page of pages)
    for (const [, href] of page.html.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)) {
      if (/^[a-z]+:/i.test(href)) continue;
      const [name, hash] = href.replaceAll('&amp;', '&').split('#');
      const to = name.split('?')[0] === '' ? page.path : resolve(page.path, name);
      const ids = anchors.get(to);
      if (!ids && !addresses(to)) faults.push(`${page.file ?? page.path}: ${href} leads nowhere`);
      if (ids && hash && !ids.has(decodeURIComponent(hash)))
        faults.push(`${page.file ?? page.path}: ${href}: that page has no such heading`);
    }
  return faults;
}

const idsOf = (html) => [...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id);
