// The reference of everything that programs can call or write, made from the sources, the library and the program:
// nothing in it is written by hand.
import path from 'node:path';
import * as c from './c.mjs';
import * as cli from './cli.mjs';
import { Names } from './html.mjs';
import * as npm from './npm.mjs';
import * as python from './python.mjs';
import * as style from './style.mjs';

/** What the pages are made of. `root` is the repository, `build` cmake's folder with liblimber.so and the program. */
export function read(root, build) {
  return {
    headers: c.readHeaders(root),
    entries: npm.readPackage(root),
    package: python.readPackage(root),
    table: style.readTable(build),
    helps: cli.readHelps(build),
  };
}

const besideUs = (file, page) => path.posix.relative(path.posix.dirname(page), file.replace(/\.md$/, '.html'));

/** Where each name is explained. */
export function namesOf(all, document) {
  const names = new Names(document);
  c.register(names, all.headers);
  npm.register(names, all.entries);
  python.register(names, all.package);
  style.register(names, style.readSections(all.table));
  cli.register(names, all.helps);
  return names;
}

/**
 * The pages: [{ path, title, section, group, html, headings: [{ id, text, level }], text }]. Links between them are
 * relative. `document(path, page)` says where a page of the reference finds a document of the repository such as
 * docs/style.md: beside the reference, as HTML. Without an answer its name is no link.
 */
export async function pages(root, build, document = besideUs) {
  const all = read(root, build);
  const sections = style.readSections(all.table);
  const names = namesOf(all, document);
  return [
    ...c.pages(names, all.headers),
    ...npm.pages(names, all.entries),
    ...python.pages(names, all.package),
    ...style.pages(names, sections),
    ...cli.pages(names, all.helps),
  ];
}
