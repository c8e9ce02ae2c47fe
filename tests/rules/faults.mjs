// Where faults can be planted in a C file, for mutate.mjs: constants that are 1.3 times as large, comparisons that are
// turned round, conditions that always or never hold, and parts of && and || that are left out.

// What cannot change a result, only time and memory. Nothing belongs here because no test notices it.
const harmless = [
  /^\s*(static_assert|_Static_assert|assert)\b/, // not in release builds
  /\b(CALLS_AT_ONCE|AT_ONCE|ABREAST|BATCH_ROWS|CHUNK_WELDS|\w+_PER_TASK|vertices_per_task|TASK_SIZE|SCALED_AT_ONCE) =/, // sizes of blocks and tasks
  /\b(min_task|SMALLEST_PIECE|SMALL_BLOCK|FEW_MEMBERS) =/, /\bTASK_SIZE \//,
  /\(variant == LIMBERI_VARIANT_\w+\)/, // which copy of a kernel runs: tests hold them to the same bits
];

// Numbers this small or large keep quotients finite; what matters is that they are there, not how large they are.
const guard = /^[\d.]+[eE][+-]?(1[2-9]|[2-9]\d)f?$/;

// Of constants only: more memory than needed is as good, no machine has a part of SIZE_MAX, and of a comparison for
// sorting, or an index that says "none", only the sign counts; a hash finds what it hashed with any odd factor.
const uncounted = [/ \* 16777619u/, /allocate\w*\(|LIMBERI_ALLOCATE\(/, /SIZE_MAX \/ \d/, /return [^?]+ < (?!0)[^?]+ \? -1 : 1;/, /^\s*return -1;/];

const flipped = { '<': '>=', '>=': '<', '>': '<=', '<=': '>', '==': '!=', '!=': '==' };
const tokenPattern = new RegExp([
  /\/\/.*|\/\*[^]*?\*\//, /^[ \t]*#(?:.*\\\n)*.*/, /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/, // comments, macros, texts
  /0[xX][\da-fA-F]+\w*/, /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[a-zA-Z]*/, /\w+/,
  /->|<<=|>>=|<<|>>|&&|\|\||[<>=!+*/%&|^-]=|\+\+|--|\S/,
].map(({ source }) => source).join('|'), 'gm');

function readTokens(text) {
  return [...text.matchAll(tokenPattern)].map(({ 0: word, index }) => ({ word, start: index, end: index + word.length }))
    .filter(({ word }) => !/^(\/\/|\/\*|[ \t]*#|["'])/.test(word) || /^["']/.test(word));
}

/** For each bracket the index of its partner. */
function readPairs(tokens) {
  const pairs = new Map(), open = [];
  tokens.forEach(({ word }, i) => {
    if (/^[([{]$/.test(word)) open.push(i);
    if (!/^[)\]}]$/.test(word)) return;
    pairs.set(i, open.at(-1));
    pairs.set(open.pop(), i);
  });
  return pairs;
}

/** 1.3 times as much; of whole numbers the next one at least. */
function enlarge(word) {
  const [, digits, ending] = word.match(/^([\d.]+(?:[eE][+-]?\d+)?)(\w*)$/) ?? [];
  if (digits === undefined || Number(digits) === 0) return undefined;
  if (/[.eE]/.test(digits)) return `${(Number(digits) * 1.3).toPrecision(12)}${ending}`.replace(/^(\d+)(f?)$/, '$1.0$2');
  return `${Math.max(Number(digits) + 1, Math.round(Number(digits) * 1.3))}${ending}`;
}

/** Where the operand of && or || at `at` ends, in the direction of `step`. */
function findEnd(tokens, pairs, at, step) {
  const operators = tokens[at].word === '&&' ? ['&&', '||'] : ['||'];
  const ends = new Set([...operators, '?', ':', ',', ';', '=', 'return', ...(step > 0 ? [')', ']', '}'] : ['(', '[', '{'])]);
  let i = at + step;
  while (!ends.has(tokens[i].word)) i = (/^[)\]}([{]$/.test(tokens[i].word) ? pairs.get(i) : i) + step;
  return i - step;
}

/** Array sizes, also in "float a[3], b[2 * N + 1];": a larger array is as good. */
function isSize(tokens, pairs, i) {
  let at = i;
  while (tokens[at] && !/^[[\](){};,=]$/.test(tokens[at].word)) at--;
  if (tokens[at]?.word !== '[' || !/^[,;=[]$/.test(tokens[pairs.get(at) + 1]?.word)) return false;
  let first = at - 1, own = true; // whether what was passed belongs to this declarator
  for (; first > 0 && !/^[;{}(]$/.test(tokens[first - 1].word); first--) {
    if (/^[)\]]$/.test(tokens[first].word)) first = pairs.get(first);
    if (own && tokens[first].word === '=') return false;
    own &&= tokens[first].word !== ',';
  }
  return /^[a-z]\w*$/.test(tokens[first].word) && !/^(return|else|case|goto)$/.test(tokens[first].word) && /^(\w+|\*)$/.test(tokens[first + 1].word);
}

/** All faults of a file: { kind, start, end, text }, where `text` replaces what is from start to end. */
export function findFaults(text) {
  const tokens = readTokens(text), pairs = readPairs(tokens), faults = [];
  const add = (kind, first, last, replacement) =>
    faults.push({ kind, start: tokens[first].start, end: tokens[last].end, text: replacement });
  tokens.forEach(({ word }, i) => {
    if (/^\.?\d/.test(word) && !guard.test(word) && !isSize(tokens, pairs, i) && enlarge(word)) add('constant', i, i, enlarge(word));
    if (word in flipped) add('comparison', i, i, flipped[word]);
    if (word === '&&' || word === '||') {
      const neutral = word === '&&' ? '1' : '0';
      add('condition', findEnd(tokens, pairs, i, -1), i - 1, neutral);
      add('condition', i + 1, findEnd(tokens, pairs, i, 1), neutral);
    }
    if (word === 'if' && tokens[i + 1].word === '(')
      for (const value of ['0', '1']) add('condition', i + 1, pairs.get(i + 1), `(${value})`);
  });
  return withLines(text, faults);
}

/** Adds the line of each fault, and leaves out those on lines that are harmless. */
function withLines(text, faults) {
  const lines = text.split('\n');
  return faults.map((fault) => ({ ...fault, line: text.slice(0, fault.start).split('\n').length }))
    .filter(({ line, kind }) => !harmless.some((pattern) => pattern.test(lines[line - 1]))
      && !(kind === 'constant' && uncounted.some((pattern) => pattern.test(lines[line - 1]))))
    .map((fault) => ({ ...fault, before: lines[fault.line - 1].trim(), was: text.slice(fault.start, fault.end) }));
}
