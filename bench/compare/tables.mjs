// What was measured, as the tables of docs/compare.md. The page has them between two marks, and everything there is made
// here: run.mjs writes it, check.mjs looks whether the page has what could have been written.
import { ROUNDS } from './runs.mjs';
import { BONES, TAIL_VERTICES } from './scene.mjs';

export const TOOLS = {
  clip: 'limber, clip',
  live: 'limber, live poses',
  vrm: 'three-vrm',
  vrmSteps: 'three-vrm, fixed steps',
  wiggle: 'wiggle',
  godot: 'Godot 3, own chain',
  blender: 'Blender, soft body',
};
const SPRINGS = ['vrm', 'wiggle', 'godot'];
const [OPEN, CLOSE] = ['<!-- measured by ./dev bench --compare -->', '<!-- end of what was measured -->'];

const RETUNE = 0.05; // lengths of the tail: what differs more has to be set again

/** A distance in lengths of the tail. */
export function length(x) {
  if (Number.isNaN(x)) return 'falls apart';
  if (x === 0) return '0';
  return x < 1e-4 ? '< 0.0001' : x.toFixed(x < 0.1 ? 4 : 2);
}

/** Two digits, or whole numbers. */
function count(x) {
  return (x >= 100 ? Math.round(x) : Number(x.toPrecision(2))).toLocaleString('en-US');
}

function rows(head, lines) {
  const align = head.map((_, i) => (i ? '---:' : '---'));
  return [head, align, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function differences(results) {
  const head = ['', 'swing', 'between frame rates', 'started there', 'jumped back', ...ROUNDS.map((n) => `seam of cycle ${n}`), 'at 1/100', 'at 100'];
  return rows(head, Object.entries(TOOLS).map(([key, name]) => {
    const m = results[key].measured;
    return [name, ...[m.swing, m.rate, m.jump, m.back, ...m.loop, ...m.scale].map(length)];
  }));
}

/** Nanoseconds that the tail of a frame takes. */
export function frameNs(cost) {
  return cost.frame ?? BONES * cost.joint + TAIL_VERTICES * (cost.vertex ?? 0);
}

function costs(results) {
  const plain = TAIL_VERTICES * results.clip.cost.plain;
  const head = ['', 'ns per joint', 'ns per vertex', 'µs for the tail', 'times plain skinning'];
  return rows(head, Object.entries(TOOLS).map(([key, name]) => {
    const { cost } = results[key];
    const whole = frameNs(cost);
    const part = (ns) => (cost.frame ? '' : count(ns ?? 0));
    return [name, part(cost.joint), part(cost.vertex), count(whole / 1000), count(whole / plain)];
  }));
}

function costWords({ clip, vrm }) {
  const even = ((vrm.cost.joint - clip.cost.joint) * BONES) / clip.cost.vertex;
  const dearer = `Beyond ${count(Math.max(0, even))} vertices limber, in C, costs more than three-vrm, in JavaScript, which leaves them to skinning.`;
  const plain = `Plain skinning of the ${TAIL_VERTICES} vertices of the tail takes ${count((TAIL_VERTICES * clip.cost.plain) / 1000)} µs.`;
  return `${plain} ${dearer} limber reads the whole clip before its first frame, here in ${count(clip.cost.start / 1e6)} ms.`;
}

function settings(results) {
  const head = ['', 'set by hand', 'how many', 'again for another size', 'again for another frame rate'];
  const again = (difference) => (difference <= RETUNE ? 'no' : 'yes');
  return rows(head, Object.entries(TOOLS).map(([key, name]) => {
    const { settings: chosen, measured } = results[key];
    const entries = Object.entries(chosen).map(([k, v]) => `\`${k}\` ${v}`);
    return [name, entries.join(', '), entries.length, again(Math.max(...measured.scale)), again(measured.rate)];
  }));
}

/** The few rows for readers in a hurry. */
function short(results) {
  const of = (pick) => {
    const list = SPRINGS.map((key) => pick(results[key].measured)).sort((a, b) => a - b);
    const [low, high] = [length(list[0]), length(list.at(-1))];
    return [length(pick(results.clip.measured)), low === high ? low : `${low} to ${high}`, length(pick(results.blender.measured))];
  };
  const rates = of((m) => m.rate);
  rates[1] += `; in fixed steps ${length(results.vrmSteps.measured.rate)}`;
  const us = (key) => frameNs(results[key].cost) / 1000;
  const springs = SPRINGS.map(us).sort((a, b) => a - b);
  return rows(['one tail of eight joints', 'limber', 'spring bones', 'soft body'], [
    ['films at 24, 30, 60 and 144 fps differ by', ...rates],
    ['a frame that the film starts with is off by', ...of((m) => m.jump)],
    ['seam of the first cycle of a loop', ...of((m) => m.loop[0])],
    ['a hundred times larger, off by', ...of((m) => m.scale[1])],
    ['µs per frame', count(us('clip')), `${count(springs[0])} to ${count(springs.at(-1))}`, count(us('blender'))],
    ['meets the world', 'ground, wind, own body', 'colliders, gravity', 'colliders, forces'],
  ]);
}

function wrapped(text) {
  return text.replaceAll(/(.{1,118})( |$)/g, '$1\n').trimEnd();
}

/** All between the marks. `made`: date, machine, versions. */
export function page(results, made) {
  return `${OPEN}

${wrapped(`Lengths are in lengths of the tail. ${made}`)}

${short(results)}

## Differences

${differences(results)}

## Cost

${costs(results)}

${wrapped(costWords(results))}

## Settings

${settings(results)}

${CLOSE}`;
}

/** { before, inside, after } of a page with the marks. */
export function parts(text) {
  const [from, to] = [text.indexOf(OPEN), text.indexOf(CLOSE)];
  if (from < 0 || to < from) throw new Error(`docs/compare.md: the marks '${OPEN}' and '${CLOSE}' are missing; put them back`);
  return { before: text.slice(0, from), inside: text.slice(from, to + CLOSE.length), after: text.slice(to + CLOSE.length) };
}

/** The tables of a text: lists of rows of cells. */
export function readTables(text) {
  const tables = [];
  let inside = false;
  for (const line of text.split('\n')) {
    const row = line.startsWith('| ');
    if (row && !inside) tables.push([]);
    if (row) tables.at(-1).push(line.slice(1, -1).split('|').map((cell) => cell.trim()));
    inside = row;
  }
  return tables;
}
