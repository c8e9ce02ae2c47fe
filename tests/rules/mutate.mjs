// node mutate.mjs BUILD [--count 160] [--folder src/contact] [--at src/contact/floor.c:30] [--seed 1] [--jobs 2]
// [--verbose]: plants faults in the library, one at a time, and counts how many the C tests notice. Prints the score per
// folder and the faults that survived; fails under 80 %. Sources are never touched: the file with the fault is compiled
// elsewhere, and tests are linked with that object in front of the library. gcov tells which tests run a line; that is
// recorded once. --at (more than once) plants all faults of these lines.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { findFaults } from './faults.mjs';

const required = 0.8;     // of all faults
const slow = 100;         // s: tests that take longer are left out
const memory = 6_000_000; // kB: a fault that allocates without end is stopped
const homes = { bake: 'pipeline', gpu: 'pipeline', skin: 'deform' }; // rooms of src/ whose tests are in another one
const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    at: { type: 'string', multiple: true }, count: { type: 'string', default: '160' }, folder: { type: 'string' }, seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: `${availableParallelism()}` }, patience: { type: 'string', default: '30' }, verbose: { type: 'boolean' },
  },
});
const build = resolve(positionals[0]);
const jobs = Number(options.jobs);
const patience = Number(options.patience); // s for the tests of other rooms: a fault that needs more counts as unnoticed
const linker = existsSync('/usr/bin/ld.lld') ? '-fuse-ld=lld' : ''; // links in a fraction of the time
const run = promisify(execFile);
const shell = (command, settings) => run('/bin/sh', ['-c', command], { cwd: build, maxBuffer: 1 << 28, ...settings });
const quote = (text) => `'${text}'`;

/** Calls `work` for each item, `jobs` at a time. */
async function parallel(items, work) {
  const waiting = [...items];
  const worker = async () => {
    for (let item; (item = waiting.shift()) !== undefined;) await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/** The library's source files under src/, with the command that compiles each, and files that include it as a whole. */
function readSources() {
  const commands = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'));
  return commands.filter(({ command, file }) => command.includes('/limber_objects.dir/') && file.startsWith(join(root, 'src/')))
    .map(({ command, file }) => ({ file: relative(root, file), command, text: readFileSync(file, 'utf8') }))
    .map((source, at, all) => ({ ...source, copies: all.filter(({ text }) => text.includes(`#include "${source.file.slice(4)}"`)) }));
}

/** Compiles `file` like `source`, as quickly as the compiler can. */
const compile = (source, file, output, flags = '') =>
  shell(source.command.replace(/ -Werror\b/, '').replace(/ -O\d/, ' -O1').replace(/ -o .*$/, '')
    + ` -w ${flags} -iquote ${quote(dirname(join(root, source.file)))} -o ${quote(output)} -c ${quote(file)}`);

/** The C tests that are linked with the library and run every day, without those of programs and pictures. */
function readTests() {
  const ask = (program, ...words) => execFileSync(program, words, { cwd: build, encoding: 'utf8', maxBuffer: 1 << 28 });
  const { tests } = JSON.parse(ask('ctest', '--show-only=json-v1'));
  const missing = tests.filter(({ command }) => !command).map(({ name }) => name); // ctest omits it when the file is missing
  if (!tests.length || missing.length) throw new Error(`build all tests first (missing: ${missing.join(' ') || 'all'})`);
  const programs = tests.map(({ name }) => `test_${name}`).filter((name) => existsSync(join(build, name)));
  const links = ask('ninja', '-t', 'commands', ...programs).split('\n');
  const linkOf = new Map(links.map((line) => [line.match(/ -o (test_\w+) .*\bliblimber\.a/)?.[1], line]));
  return tests.flatMap(({ name, command, properties }) => {
    const link = linkOf.get(`test_${name}`), values = new Map((properties ?? []).map((one) => [one.name, one.value]));
    const room = link?.match(/\/test_\w+\.dir\/tests\/(\w+)\//)?.[1]; // after what all tests are linked with
    const daily = command.length === 1 && !values.get('LABELS')?.includes('long') && !(values.get('COST') > slow);
    if (!link || !daily || /^(cli|faults|render|characters|io)$/.test(room)) return [];
    const env = Object.fromEntries((values.get('ENVIRONMENT') ?? []).map((one) => one.split(/=(.*)/s)));
    return [{ name, room, link, env }];
  });
}

/** Links a test with an object in front of the library. */
const link = (test, object, program, flags = '') =>
  shell(test.link.replace(` -o test_${test.name} `, ` ${flags} ${linker} -o ${quote(program)} ${object} `).replace(/ && :$/, ''));

/** Runs a linked test in a folder: the processor time it took, or undefined if it failed or did not end. */
async function time(test, program, folder, limit, env = {}) {
  mkdirSync(folder, { recursive: true });
  const limits = `ulimit -c 0; ulimit -v ${memory}; ulimit -t ${Math.ceil(limit)}`, last = `timeout -s KILL ${Math.ceil(60 + 20 * limit)}`;
  const { stdout } = await shell(`${limits}; ${last} ${quote(program)} > /dev/null 2>&1 || exit 1; times`,
    { cwd: folder, env: { ...process.env, ...test.env, ...env } }).catch(() => ({}));
  const [, minutes, seconds] = stdout?.trim().split('\n').at(-1).match(/^(\d+)m([\d.]+)s/) ?? [];
  return stdout && 60 * Number(minutes) + Number(seconds);
}

const digest = (...parts) => createHash('sha1').update(parts.join('\0')).digest('hex');

/** What gcov says of the data files in a folder: the lines of each source that ran, and those that did not. */
async function readCoverage(folder) {
  const sources = {};
  if (!readdirSync(folder).some((name) => name.endsWith('.gcda'))) return sources;
  const { stdout } = await shell('gcov --json-format --stdout *.gcda', { cwd: folder });
  for (const text of stdout.split('\n').filter(Boolean))
    for (const { file, lines } of JSON.parse(text).files) {
      if (!file.startsWith(join(root, 'src/'))) continue;
      const source = (sources[relative(root, file)] ??= { idle: [], ran: [] });
      for (const { line_number: line, count } of lines) (count ? source.ran : source.idle).push(line);
    }
  return sources;
}

/** Compiles the library so that it counts, and returns the archive. */
async function buildCounting(sources, folder) {
  if (existsSync(join(folder, 'counting.a'))) return join(folder, 'counting.a');
  mkdirSync(folder, { recursive: true });
  await parallel(sources, async (source) => {
    const object = join(folder, `${source.file.replaceAll('/', '_')}.o`);
    await compile(source, join(root, source.file), object, '--coverage');
  });
  await shell(`ar qc counting.a *.o`, { cwd: folder });
  return join(folder, 'counting.a');
}

/** Where all is kept that was found out about this library; what belongs to another one is removed. */
function openStore() {
  const library = digest(readFileSync(join(build, 'liblimber.a'), 'latin1')), store = join(build, 'mutate', library);
  mkdirSync(store, { recursive: true });
  for (const old of readdirSync(dirname(store))) if (old !== library) rmSync(join(dirname(store), old), { recursive: true });
  return store;
}

/** For each test how long it takes and what it runs. Kept for as long as the binaries are the same. */
async function record(sources, tests, store, temporary) {
  for (const test of tests) test.store = join(store, `${digest(readFileSync(join(build, `test_${test.name}`), 'latin1'))}.json`);
  const missing = tests.filter((test) => !existsSync(test.store));
  if (missing.length) {
    const counting = join(store, 'counting'), archive = await buildCounting(sources, counting);
    await parallel(missing, async (test) => {
      const folder = join(temporary, test.name), program = join(temporary, `${test.name}.counting`);
      await link(test, archive, program, '--coverage');
      const seconds = await time(test, program, folder, 1800, { GCOV_PREFIX: folder, GCOV_PREFIX_STRIP: '99' });
      const passed = seconds !== undefined;
      await shell(`cp ${quote(counting)}/*.gcno .`, { cwd: folder });
      writeFileSync(test.store, JSON.stringify({ passed, seconds, sources: passed ? await readCoverage(folder) : {} }));
      console.error(`${test.name}: ${passed ? `${seconds.toFixed(1)} s` : 'fails without a fault'}`);
      rmSync(folder, { recursive: true });
      rmSync(program);
    });
  }
  for (const test of tests) Object.assign(test, JSON.parse(readFileSync(test.store, 'utf8')));
}

/** Whether a test runs a line; of lines without code, such as constants, whether it runs anything in the file. */
function reaches(test, { file, line }) {
  const source = test.sources[file];
  if (!source) return false;
  if (source.ran.includes(line)) return true;
  return !source.idle.includes(line) && source.ran.length > 0;
}

const isCode = (tests, { file, line }) => tests.some(({ sources }) => sources[file]?.ran.includes(line) || sources[file]?.idle.includes(line));

/** The tests for a fault: all of its room, and others for as long as patience lasts. Quick ones first; those of the room
 * are asked before others that are as quick, since they are the likely ones. Tables can be read by any test, even by one
 * that runs nothing in the file; those of keys are what the tests of styles are about. */
function choose(tests, fault) {
  const folder = fault.file.split('/')[1], room = homes[folder] ?? folder, code = isCode(tests, fault);
  const isNear = (test) => (test.room === room && reaches(test, fault)) || (test.room === 'style' && !code);
  const cost = (test) => test.seconds / (isNear(test) ? 8 : test.room === 'pipeline' ? 4 : 1) + (reaches(test, fault) ? 0 : 0.5);
  let left = patience;
  return tests.filter((test) => !code || reaches(test, fault)).sort((a, b) => cost(a) - cost(b))
    .filter((test) => isNear(test) || (left -= test.seconds) >= 0);
}

/** All faults of the library in the order in which they are planted: by a hash, so that other lines do not change it. */
function listFaults(sources) {
  return sources.flatMap((source) => {
    const { text } = source, seen = new Map();
    return findFaults(text).map((fault) => {
      const name = [options.seed, fault.kind, fault.before, fault.text].join('\0'), copy = seen.get(name) ?? 0;
      seen.set(name, copy + 1);
      return { ...fault, source, file: source.file, folder: folderOf(source.file), order: digest(name, copy),
        mutant: text.slice(0, fault.start) + fault.text + text.slice(fault.end) };
    });
  }).sort((a, b) => a.order.localeCompare(b.order) || a.file.localeCompare(b.file));
}

const folderOf = (file) => dirname(file).split('/').slice(0, 3).join('/');

/** Deals out `count` faults: to all folders alike, and within a folder to the kinds. */
function* deal(faults, count) {
  const piles = new Map();
  for (const fault of faults) {
    const folder = piles.get(fault.folder) ?? piles.set(fault.folder, new Map()).get(fault.folder);
    (folder.get(fault.kind) ?? folder.set(fault.kind, []).get(fault.kind)).push(fault);
  }
  const turns = ['constant', 'comparison', 'condition'].map((kind) => [...piles.keys()].sort().map((folder) => piles.get(folder).get(kind) ?? []));
  for (let left = faults.length; left > 0 && count > 0;)
    for (const pile of turns.flat()) {
      if (!pile.length || !count) continue;
      left--;
      count--;
      yield pile.shift();
    }
}

/** The objects of a source in a folder, and of what includes it. */
const objectsOf = (source, folder) => [`${join(folder, source.file.slice(4))}.o`,
  ...source.copies.map((copy) => join(folder, `${copy.file.replaceAll('/', '_')}.o`))];

/** Compiles a source with the given text, and what includes it, in a folder. Returns the objects. */
async function compileText(source, text, folder) {
  const file = join(folder, source.file.slice(4)), objects = objectsOf(source, folder);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  await compile(source, file, objects[0]);
  for (const [i, copy] of source.copies.entries()) await compile(copy, join(root, copy.file), objects[i + 1], `-iquote ${quote(folder)}`);
  return objects;
}

/** Plants one fault: 'killed' with the test that noticed it, 'survived', 'none' where the compiler sees no difference, or
 * 'unreached' where none of the tests runs the line: tests that cannot tell are not asked. */
async function plant(fault, tests, temporary) {
  const chosen = choose(tests, fault);
  if (!chosen.length) return { result: 'unreached' };
  const folder = mkdtempSync(join(temporary, 'fault_'));
  try {
    return await tryTests(fault, chosen, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function tryTests(fault, chosen, folder) {
  const objects = await compileText(fault.source, fault.mutant, folder).catch(() => undefined);
  if (!objects || objects.every((object, i) => readFileSync(object).equals(readFileSync(fault.source.plain[i])))) return { result: 'none' };
  for (const test of chosen) {
    const program = join(folder, `test_${test.name}`);
    await link(test, objects.map(quote).join(' '), program);
    const seconds = await time(test, program, join(folder, 'run'), 5 + 5 * test.seconds, { CMOCKA_TEST_ABORT: '1' });
    rmSync(program);
    if (seconds === undefined) return { result: 'killed', by: test.name };
  }
  return { result: 'survived', by: `${chosen.length} tests` };
}

/** Compiles what will be changed as it is, to compare with. */
const compilePlain = (faults, store) => parallel(new Set(faults.map(({ source }) => source)), async (source) => {
  const folder = join(store, 'plain', source.file.replaceAll('/', '_'));
  source.plain = objectsOf(source, folder);
  if (!source.plain.every(existsSync)) await compileText(source, source.text, folder);
});

function report(faults) {
  const counted = faults.filter(({ result }) => /killed|survived/.test(result)), score = (of) =>
    `${of.filter(({ result }) => result === 'killed').length} of ${of.length}`;
  for (const { file, line, was, text, before, by } of counted.filter(({ result }) => result === 'survived'))
    console.log(`${file}:${line}: ${was.replace(/\s+/g, ' ')} -> ${text} survived ${by}: ${before}`);
  const unreached = faults.filter(({ result }) => result === 'unreached');
  for (const { file, line, before } of unreached) console.log(`${file}:${line}: no C test of the library runs this, not counted: ${before}`);
  for (const folder of [...new Set(counted.map((fault) => fault.folder))].sort())
    console.log(`${folder.padEnd(24)} ${score(counted.filter((fault) => fault.folder === folder))}`);
  const killed = counted.filter(({ result }) => result === 'killed').length;
  console.log(`${'all'.padEnd(24)} ${score(counted)}: ${(100 * killed / counted.length).toFixed(1)} % of the faults noticed`);
  if (unreached.length) console.log(`${unreached.length} more are in lines that none of these tests runs`);
  return counted.length > 0 && killed >= required * counted.length;
}

const temporary = mkdtempSync(join(tmpdir(), 'mutate_'));
try {
  const sources = readSources(), tests = readTests(), store = openStore();
  await record(sources, tests, store, temporary);
  const under = options.folder?.replace(/\/$/, ''), all = listFaults(sources.filter(({ file }) => !under || file.startsWith(`${under}/`)));
  const faults = options.at ? all.filter(({ file, line }) => options.at.includes(`${file}:${line}`)) : [...deal(all, Number(options.count))];
  await compilePlain(faults, store);
  await parallel(faults, async (fault) => {
    Object.assign(fault, await plant(fault, tests.filter(({ passed }) => passed), temporary));
    if (options.verbose) console.error(`${fault.result} ${fault.by ?? ''} ${fault.file}:${fault.line} ${fault.was} -> ${fault.text}`);
  });
  process.exitCode = report(faults) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await shell(`rm -rf ${quote(temporary)} 2> /dev/null || true`); // where something failed, others may still run there
}
