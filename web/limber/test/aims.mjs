// Rows of a benchmark: what was measured, what is aimed for, and "missed" where this machine does not get there.
let missed = 0;

/** `aim` undefined: there is none. `more`: more is better. */
export function row(what, value, unit, aim, more = false) {
  const reached = aim === undefined || (more ? value >= aim : value <= aim);
  missed += reached ? 0 : 1;
  const wanted = aim === undefined ? '' : `${more ? '>' : '<'} ${String(aim).padStart(5)}${reached ? '' : '  missed'}`;
  console.log(`${what.padEnd(58)} ${value.toPrecision(3).padStart(9)} ${unit.padEnd(5)} ${wanted}`.trimEnd());
}

export const head = (title) => console.log(`${title.padEnd(58)} ${'now'.padStart(9)}       wanted`);

export const summary = () => missed && console.log(`${missed} missed`);
