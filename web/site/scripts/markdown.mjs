// Pages of Markdown as HTML: anchors, code in colors, pictures with their size, links to other pages of the site. A
// paragraph that is nothing but a link to docs/gallery.md with the title "gallery: ID" becomes that exhibit.
import fs from 'node:fs';
import path from 'node:path';
import MarkdownIt from 'markdown-it';
import { highlight } from './highlight.mjs';
import { sizeOf } from './images.mjs';
import { escape, inline, relative, shortened, slug } from './text.mjs';

const EXHIBIT = /^gallery: ([a-z-]+)$/;
/** A comment at the top is for those who edit the file. */
const NOTE = /^<!--[\s\S]*?-->\s*/;
const EAGER = 1; // pictures per page that are not lazy

/** Where a Markdown file of the repository is in the site. */
export const addressOf = (file) => (file === 'docs/README.md' ? 'docs/index.html' : file.replace(/\.md$/, '.html'));

function code(text, language) {
  const label = language ? ` class="language-${escape(language)}"` : '';
  return `<div class="code"><pre tabindex="0"><code${label}>${highlight(text.replace(/\n$/, ''), language)}</code></pre></div>\n`;
}

/** How many rows the table has that opens here. */
function rowsOf(tokens, open) {
  const end = tokens.findIndex(({ type }, i) => i > open && type === 'table_close');
  return tokens.slice(open, end).filter(({ type }) => type === 'tr_open').length;
}

function addRules(markdown) {
  const { rules } = markdown.renderer;
  rules.fence = (tokens, i) => code(tokens[i].content, tokens[i].info.trim().split(/\s+/)[0]);
  rules.code_block = (tokens, i) => code(tokens[i].content, '');
  rules.table_open = (tokens, i, options, env) => {
    const rows = `style="--rows: ${rowsOf(tokens, i)}"`;
    return `<section class="table" tabindex="0" aria-label="Table ${++env.tables}" ${rows}><table>\n`;
  };
  rules.table_close = () => '</table></section>\n';
  rules.image = (tokens, i, options, env, renderer) => {
    const token = tokens[i];
    const { width, height } = env.sizes.get(token.attrGet('src')) ?? {};
    const alt = escape(renderer.renderInlineAsText(token.children, options, env));
    const size = width ? ` width="${width}" height="${height}"` : '';
    const lazy = env.pictures++ < EAGER ? '' : ' loading="lazy"';
    return `<img src="${escape(token.attrGet('src'))}" alt="${alt}"${size}${lazy} decoding="async" />`;
  };
}

/** The exhibit that a paragraph stands for: its id and the words of the link. */
function exhibitOf(tokens, i) {
  const children = tokens[i + 1]?.children ?? [];
  const match = EXHIBIT.exec(children[0]?.attrGet?.('title') ?? '');
  if (tokens[i].type !== 'paragraph_open' || !match || children.at(-1).type !== 'link_close') return undefined;
  const words = children.filter(({ type }) => type === 'text');
  return { id: match[1], words: words.map(({ content }) => content).join('') };
}

export class Reader {
  /** `root` is the repository; `sources` tells where a file is shown that is no page. */
  constructor(root, sources) {
    this.root = root;
    this.sources = sources;
    /** Pictures that pages show, by path in the repository. */
    this.pictures = new Set();
    this.faults = [];
    this.markdown = new MarkdownIt({ html: false });
    addRules(this.markdown);
  }

  exists(name) {
    return fs.existsSync(path.join(this.root, name));
  }

  /** Where a link of a Markdown file goes: an address in the site, and the Markdown file that has to be a page. */
  target(file, href) {
    if (/^[a-z]+:|^#/i.test(href)) return { href };
    const [name, anchor] = href.split('#');
    const hash = anchor ? `#${anchor}` : '';
    let to = path.posix.join(path.posix.dirname(file), decodeURI(name)).replace(/\/$/, '');
    if (!this.exists(to)) {
      this.faults.push(`${file}: ${href} is not there`);
      return { href };
    }
    if (this.exists(path.join(to, 'README.md'))) to = path.posix.join(to, 'README.md');
    const from = addressOf(file);
    if (to.endsWith('.md')) return { href: relative(from, addressOf(to)) + hash, page: to };
    const shown = this.sources.addressOf(to);
    return { href: (/^https?:/.test(shown) ? shown : relative(from, shown)) + hash };
  }

  picture(file, src, env) {
    if (/^[a-z]+:/i.test(src)) return this.faults.push(`${file}: the picture ${src} is elsewhere`);
    const name = path.posix.join(path.posix.dirname(file), src);
    if (!this.exists(name)) return this.faults.push(`${file}: the picture ${src} is not there`);
    this.pictures.add(name);
    const address = relative(addressOf(file), name);
    env.sizes.set(address, sizeOf(path.join(this.root, name)));
    return address;
  }

  /** Rewrites links and pictures, gives headings their anchors and collects both. */
  walk(tokens, file, env) {
    tokens.forEach((token, i) => {
      if (token.type === 'heading_open') {
        const html = this.markdown.renderer.renderInline(tokens[i + 1].children, this.markdown.options, env);
        const text = inline(html);
        const id = slug(text, env.slugs);
        token.attrSet('id', id);
        env.headings.push({ id, text, level: Number(token.tag[1]) });
      }
      if (token.type === 'link_open') {
        const { href, page } = this.target(file, token.attrGet('href'));
        token.attrSet('href', href);
        if (page) env.links.add(page);
      }
      // The alignment of a column: a class instead of a style.
      const style = token.attrGet('style');
      if (style) token.attrs = [['class', style.replace('text-align:', '')]];
      if (token.type === 'image') token.attrSet('src', this.picture(file, token.attrGet('src'), env));
      if (token.children) this.walk(token.children, file, env);
    });
  }

  /** A live exhibit instead of a paragraph. Without scripts it is a picture that leads to the gallery. */
  exhibit(file, { id, words }) {
    const poster = path.join(this.root, `web/gallery/public/posters/${id}.webp`);
    if (!fs.existsSync(poster)) {
      this.faults.push(`${file}: the gallery has no exhibit '${id}'`);
      return '';
    }
    const { width, height } = sizeOf(poster);
    const from = addressOf(file);
    const picture = relative(from, `gallery/posters/${id}.webp`);
    return `<figure class="exhibit" data-exhibit="${id}"><a href="${relative(from, `gallery/#${id}`)}"><img src="${picture}" alt="" width="${width}" height="${height}" loading="lazy" /><span>${escape(words)}</span></a></figure>\n`;
  }

  upgrade(tokens, file) {
    for (let i = 0; i < tokens.length; i++) {
      const found = exhibitOf(tokens, i);
      if (!found) continue;
      const block = new tokens[i].constructor('html_block', '', 0);
      block.content = this.exhibit(file, found);
      tokens.splice(i, 3, block);
    }
  }

  /** { file, path, title, description, html, headings, links } of a Markdown file of the repository. */
  read(file) {
    const env = { slugs: new Map(), sizes: new Map(), headings: [], links: new Set(), pictures: 0, tables: 0 };
    const text = fs.readFileSync(path.join(this.root, file), 'utf8').replace(NOTE, '');
    const tokens = this.markdown.parse(text, env);
    this.upgrade(tokens, file);
    this.walk(tokens, file, env);
    const html = this.markdown.renderer.render(tokens, this.markdown.options, env);
    const paragraphs = [...html.matchAll(/<p>([\s\S]*?)<\/p>/g)].map(([, text]) => inline(text));
    const title = env.headings.find(({ level }) => level === 1)?.text;
    if (!title) this.faults.push(`${file}: no heading`);
    return {
      file,
      path: addressOf(file),
      title,
      description: shortened(paragraphs.find((text) => text.length > 40) ?? '', 160),
      html,
      headings: env.headings,
      links: env.links,
    };
  }
}
