// Whether docs/compare.md has tables that run.mjs could have written.
import { parts, readTables } from './tables.mjs';

const DIFFERENCES = 1; // which of the tables
const NEAR = 0.1; // lengths of the tail, between machines and versions

const value = (cell) => (cell === '< 0.0001' ? 0 : Number(cell));

/** Same tables, columns and rows in `fresh`, what the script prints, and `text`, the page; and differences that are near. */
export function checkPage(report, fresh, text, near = NEAR) {
  const [wanted, found] = [readTables(fresh), readTables(parts(text).inside)];
  report.expect('docs/compare.md has as many tables', wanted.length === found.length, `${found.length}, not ${wanted.length}`);
  wanted.forEach((table, t) => {
    const name = `table ${t + 1}`;
    report.expect(`${name}: columns`, JSON.stringify(table[0]) === JSON.stringify(found[t]?.[0]), String(found[t]?.[0]));
    report.expect(`${name}: rows`, String(table.map((row) => row[0])) === String(found[t]?.map((row) => row[0])), String(found[t]?.map((row) => row[0])));
    report.expect(`${name}: as many cells in all rows`, Boolean(found[t]?.every((row) => row.length === table[0].length)));
    if (t !== DIFFERENCES || near === Infinity) return;
    table.slice(2).forEach((row, r) => row.slice(1).forEach((cell, c) => {
      const [a, b] = [value(cell), value(found[t][r + 2][c + 1])];
      report.expect(`${row[0]}, ${table[0][c + 1]}: ${cell}`, Object.is(a, b) || Math.abs(a - b) <= near, `the page has ${found[t][r + 2][c + 1]}; ./dev bench --compare measures it again`);
    }));
  });
}
