// Files of the repository that pages link to: at its public address, or else as pages of the site.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../address.mjs';
import { highlight } from './highlight.mjs';
import { escape, relative } from './text.mjs';

const MOST_BYTES = 400_000;

export class Sources {
  constructor(root, repository = REPOSITORY) {
    this.root = root;
    this.repository = repository;
    /** Files and folders to show. */
    this.wanted = new Set();
    this.known = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
      .toString()
      .split('\0')
      .filter(Boolean);
  }

  /** Where a file or folder of the repository is shown. */
  addressOf(name) {
    if (this.repository) return this.repository + name;
    this.wanted.add(name);
    return `source/${name}${this.isFolder(name) ? '/index' : ''}.html`;
  }

  isFolder(name) {
    return fs.statSync(path.join(this.root, name)).isDirectory();
  }

  folder(name) {
    const inside = this.known.filter((one) => one.startsWith(`${name}/`)).sort();
    const from = `source/${name}/index.html`;
    const lines = inside.map((one) => {
      const address = relative(from, this.addressOf(one));
      return `<li><a href="${escape(address)}">${escape(one.slice(name.length + 1))}</a></li>`;
    });
    return `<h1>${escape(name)}</h1>\n<ul class="files">${lines.join('\n')}</ul>\n`;
  }

  file(name) {
    const bytes = fs.readFileSync(path.join(this.root, name));
    const isText = bytes.length < MOST_BYTES && !bytes.includes(0);
    const ending = path.extname(name).slice(1);
    const language = ending || (bytes.toString('utf8', 0, 2) === '#!' ? 'sh' : '');
    const body = isText
      ? `<pre class="source" tabindex="0"><code>${highlight(bytes.toString('utf8'), language || 'text')}</code></pre>`
      : `<p>${bytes.length} bytes that are no text.</p>`;
    return `<h1>${escape(name)}</h1>\n${body}\n`;
  }

  /** All of them as pages; folders add their files. */
  pages() {
    const made = [];
    for (const name of this.wanted) {
      const html = this.isFolder(name) ? this.folder(name) : this.file(name);
      made.push({ path: this.addressOf(name), title: name, description: `${name} of limber.`, html, headings: [] });
    }
    return made;
  }
}
