// What every page has around its contents.
import { SITE } from '../address.mjs';
import { escape, relative } from './text.mjs';

const MARK =
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M5 20c0-7 2-9 6-10.5S18 6.5 18 3"/></svg>';
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M5 20c0-7 2-9 6-10.5S18 6.5 18 3' fill='none' stroke='%23d9662b' stroke-width='5' stroke-linecap='round'/%3E%3C/svg%3E";

/** Sets the theme before anything is drawn. */
const THEME =
  "{let t;try{t=JSON.parse(localStorage.getItem('limber-studio.theme'))}catch{}document.documentElement.dataset.theme=t==='dark'||t==='light'?t:matchMedia('(prefers-color-scheme: light)').matches?'light':'dark'}";

function head({ path, title, description, assets, scripts }) {
  const to = (name) => relative(path, name);
  const picture = SITE ? `${SITE}preview.jpg` : to('preview.jpg');
  const address = SITE ? `\n<link rel="canonical" href="${SITE}${path.replace(/index\.html$/, '')}" />` : '';
  const styles = assets.styles.map((name) => `<link rel="stylesheet" href="${to(name)}" />`).join('\n');
  const modules = scripts.map((name) => `<script type="module" src="${to(assets.scripts[name])}"></script>`).join('\n');
  return `<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escape(title)}</title>
<meta name="description" content="${escape(description)}" />
<meta property="og:type" content="website" />
<meta property="og:title" content="${escape(title)}" />
<meta property="og:description" content="${escape(description)}" />
<meta property="og:image" content="${picture}" />
<meta property="og:image:width" content="1200" />
<meta property="og:image:height" content="630" />
<meta name="twitter:card" content="summary_large_image" />${address}
<link rel="icon" href="${ICON}" />
<script>${THEME}</script>
${styles}
${modules}`;
}

function top(path) {
  const to = (name) => relative(path, name);
  const link = (name, words) => {
    const isHere = name === 'docs/' && path !== 'index.html';
    return `<a href="${to(name)}"${isHere ? ' aria-current="true"' : ''}>${words}</a>`;
  };
  return `<a class="skip" href="#main">Skip to the contents</a>
<header class="top">
<a class="home" href="${to('')}">${MARK}<span>limber</span></a>
<nav aria-label="Site">${link('docs/', 'Docs')}${link('gallery/', 'Gallery')}${link('studio/', 'Studio')}</nav>
<div class="switches">
<button type="button" id="search" aria-keyshortcuts="/"><span>Search</span><kbd>/</kbd></button>
<button type="button" id="theme" aria-label="Dark theme" aria-pressed="false"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 3a7 7 0 1 0 7 7 5.5 5.5 0 0 1-7-7z"/></svg></button>
</div>
</header>`;
}

function footer(path) {
  const to = (name) => relative(path, name);
  return `<footer><p>Nothing on these pages is loaded from elsewhere, nothing is uploaded, and after the first visit they work offline. <a href="${to('SECURITY.html')}">Security</a> · <a href="${to('CHANGELOG.html')}">Changes</a> · <a href="${to('NOTICES.txt')}">Licenses</a></p></footer>`;
}

/** A whole page. `assets` has the styles and scripts by name, `scripts` says which of them the page needs. */
export function shell({ path, title, description, body, assets, kind, scripts = ['page'] }) {
  const root = relative(path, '');
  return `<!DOCTYPE html>
<html lang="en" data-theme="light" data-root="${root}" data-studio="${root}studio/" data-gallery="${root}gallery/">
<head>
${head({ path, title, description, assets, scripts })}
</head>
<body class="${kind}">
${top(path)}
${body}
${footer(path)}
</body>
</html>
`;
}

function sidebar(path, sections) {
  const item = (page) => {
    const here = page.path === path ? ' aria-current="page"' : '';
    return `<li><a href="${relative(path, page.path)}"${here}>${escape(page.short ?? page.title)}</a></li>`;
  };
  const blocks = sections.map(({ title, pages, closed }) => {
    const isOpen = !closed || pages.some((page) => page.path === path);
    return `<details${isOpen ? ' open' : ''}><summary>${escape(title)}</summary><ul>${pages.map(item).join('')}</ul></details>`;
  });
  const here = path === 'docs/index.html' ? ' aria-current="page"' : '';
  return `<nav class="sidebar" aria-label="Pages" id="pages"><p><a href="${relative(path, 'docs/index.html')}"${here}>Documentation</a></p>${blocks.join('')}</nav>`;
}

function contents(headings) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '<div class="contents"></div>';
  const lines = shown.map(
    ({ id, text, level }) => `<li class="level${level}"><a href="#${id}">${escape(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${lines.join('')}</ul></nav>`;
}

function neighbors(path, sections) {
  const order = sections.flatMap(({ pages }) => pages);
  const at = order.findIndex((page) => page.path === path);
  if (at < 0) return '';
  const link = (page, rel, words) =>
    page
      ? `<a rel="${rel}" href="${relative(path, page.path)}"><small>${words}</small>${escape(page.short ?? page.title)}</a>`
      : '<span></span>';
  return `<nav class="neighbors" aria-label="Neighbors">${link(order[at - 1], 'prev', 'Previous')}${link(order[at + 1], 'next', 'Next')}</nav>`;
}

/** A page of the documentation: contents on the left, the page, its headings on the right. */
export function docPage(page, sections, assets) {
  const { path, title, html, headings } = page;
  const body = `<div class="columns">
<button type="button" id="open-pages" aria-expanded="false" aria-controls="pages">All pages</button>
${sidebar(path, sections)}
<main id="main"><article class="prose">
${html}</article>
${neighbors(path, sections)}</main>
${contents(headings)}
</div>`;
  const name = title === 'limber' ? 'limber' : `${title} · limber`;
  return shell({
    path,
    title: name,
    description: page.description || `${title}, in limber.`,
    body,
    assets,
    kind: 'doc',
  });
}
