// Compiles every C example of the headers, the README and the documentation. (new_effect.sh has that of CONTRIBUTING.)
//   node examples.mjs COMPILER [PROGRAM LIBRARY]
// With the program limber and the static library, examples that need nothing from outside are also run, in a folder with
// a character fox.glb and a capture walk.bvh. So are the README's commands that take little time.
// In headers, examples are the lines of a comment that are indented by five spaces; in Markdown, blocks marked ```c.
// An example without a function is put into one, with the names of examples_context.h declared before it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const [compiler = 'cc', program, library] = process.argv.slice(2);

function files(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

// Each starts after an empty line of the comment.
function headerExamples(text) {
  const examples = [];
  let lines = [], first = 0, before = '';
  text.split('\n').forEach((line, i) => {
    const code = line.match(/^\/\/     (.*)$/);
    if (code && !lines.length && before === '//') first = i + 1;
    if (code && (lines.length || before === '//')) lines.push(code[1]);
    else if (lines.length) {
      examples.push({ first, lines });
      lines = [];
    }
    before = line;
  });
  return examples.reduce(joinFunctions, []);
}

// Functions with one empty line between them are one example.
function joinFunctions(joined, next) {
  const last = joined.at(-1);
  if (last && isFile(last.lines) && isFile(next.lines) && last.first + last.lines.length + 1 === next.first)
    last.lines.push('', ...next.lines);
  else joined.push(next);
  return joined;
}

function markdownExamples(text) {
  const examples = [];
  let lines = null, first = 0;
  text.split('\n').forEach((line, i) => {
    if (lines && /^\s*```\s*$/.test(line)) {
      examples.push({ first, lines });
      lines = null;
    } else if (lines) lines.push(line);
    else if (/^\s*```c\s*$/.test(line)) {
      lines = [];
      first = i + 2;
    }
  });
  return examples;
}

function isFile(lines) {
  return  lines.some((line) => /^\s*(#include|static [a-z].*\) \{|int main)/.test(line));
}

function wrapped(place, lines) {
  const code = `#line ${place.first} "${place.file}"\n${lines.join('\n')}\n`;
  const context = '#include "tests/rules/examples_context.h"\n';
  return isFile(lines) ? context + code : `${context}int example(void);\nint example(void) {\n${code}return 0;\n}\n`;
}

// What an example may use without saying so: the headers, and nothing of the reader's own.
const headers = ['limber/limber.h', 'limber/stages/stages.h', 'stdio.h', 'stdlib.h', 'string.h'].map((name) => `#include <${name}>\n`).join('');

function complete(lines) {
  if (!isFile(lines)) return `${headers}int main(void) {\n${lines.join('\n')}\nreturn 0;\n}\n`;
  return lines.some((line) => /^int main/.test(line)) ? `${lines.join('\n')}\n` : undefined;
}

function run(command, parameters, cwd) {
  return execFileSync(command, parameters, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
}

// Whether it could be run; throws when it fails.
function runExample(lines) {
  const source = complete(lines);
  if (!source) return false;
  writeFileSync(join(folder, 'run.c'), source);
  try {
    run(compiler, [...flags, join(folder, 'run.c')], root);
  } catch {
    return false; // it uses names of its reader's
  }
  run(compiler, ['-std=c11', '-Iinclude', join(folder, 'run.c'), library, '-lm', '-o', join(folder, 'run')], root);
  run(join(folder, 'run'), [], folder);
  if (isFile(lines) && lines.some((line) => line.includes('fox.glb'))) expectFailure(join(folder, 'run'));
  return true;
}

// A program says that its file is missing; it does not crash.
function expectFailure(command) {
  const { status, stderr } = spawnSync(command, [], { cwd: root, encoding: 'utf8' });
  if (status !== 1) throw new Error(`ends with ${status} where fox.glb is missing`);
  if (!stderr.startsWith('fox.glb: cannot be opened: ')) throw new Error(`says '${stderr}' where fox.glb is missing`);
}

const flags = ['-std=c11', '-fsyntax-only', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wno-unused-variable',
  '-Wno-unused-function', '-Wno-unused-but-set-variable', '-Iinclude', '-Isrc', '-I.'];
const folder = mkdtempSync(join(tmpdir(), 'limber-examples-'));
let compiled = 0, failed = 0, ran = 0;
if (library) {
  run(program, ['sample', 'cow', '-o', 'fox.glb'], folder);
  run(program, ['convert', 'fox.glb', '-o', 'walk.bvh'], folder);
}
const sources = [
  ...files('include', '.h').map((file) => ({ file, find: headerExamples })),
  ...['README.md', ...files('docs', '.md'), ...files('examples', '.md')].map((file) => ({ file, find: markdownExamples })),
];
for (const { file, find } of sources) {
  for (const example of find(readFileSync(join(root, file), 'utf8'))) {
    if (!example.lines.some((line) => line.includes(';'))) continue; // a table or a shape, not code
    const path = join(folder, 'example.c');
    writeFileSync(path, wrapped({ file, first: example.first }, example.lines));
    compiled++;
    try {
      run(compiler, [...flags, path], root);
      const isTutorial = file.startsWith('docs/tutorials/'); // tests/docs does what they say
      if (library && !isTutorial && runExample(example.lines)) ran++;
    } catch (error) {
      failed++;
      console.log(`${file}:${example.first}: ${error.message}\n${error.stderr}`);
    }
  }
}
const commands = library ? readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^ {4}build\/limber ((?:sample|apply|dump|info) [^#\n]*)/gm) : [];
for (const [line, words] of commands) {
  try {
    run(program, words.trim().split(/ +/), folder);
    ran++;
  } catch (error) {
    failed++;
    console.log(`README.md: ${line.trim()}: ${error.stderr}`);
  }
}
rmSync(folder, { recursive: true });
console.log(`${compiled} examples compiled, ${ran} examples and commands run, ${failed} fail`);
process.exit(failed || compiled < 20 || (library && ran < 12) ? 1 : 0);
