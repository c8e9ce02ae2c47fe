// Colors for code, while the site is built.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cmake from 'highlight.js/lib/languages/cmake';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import glsl from 'highlight.js/lib/languages/glsl';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { escape, unescape } from './text.mjs';

const languages = { bash, c, cmake, css, diff, glsl, javascript, json, python, typescript, xml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const SAME = {
  h: 'c',
  cpp: 'c',
  frag: 'glsl',
  vert: 'glsl',
  gdshader: 'glsl',
  html: 'xml',
  js: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  jsonc: 'json',
  py: 'python',
  sh: 'bash',
  shell: 'bash',
  console: 'bash',
  ts: 'typescript',
  tsx: 'typescript',
};

const COMMAND = /^(\$ )?(limber|build\/limber|\.\/dev|python3?|npm|npx|node|cmake|ctest|gcc|cc|pkg-config|blender) /m;

/** HTML of a piece of code. Without a language, commands are found by their first word. */
export function highlight(code, language = '') {
  const named = SAME[language] ?? language;
  const found = languages[named] ? named : !language && COMMAND.test(code) ? 'bash' : undefined;
  return found ? hljs.highlight(code, { language: found, ignoreIllegals: true }).value : escape(code);
}

const BLOCK = /<pre[^>]*><code(?: class="language-([a-z]+)")?>([^<]*)<\/code><\/pre>/g;

/** Colors in HTML that others have made. */
export const highlightBlocks = (html) =>
  html.replace(BLOCK, (all, language, code) => {
    const label = language ? ` class="language-${language}"` : '';
    return `<div class="code"><pre tabindex="0"><code${label}>${highlight(unescape(code), language)}</code></pre></div>`;
  });
