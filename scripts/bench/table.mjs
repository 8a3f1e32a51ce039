/** Collects figures for one table, and other tables with more columns; prints them all at the end. */
/** @type {string[][]} */
const rows = [];

/** @type {(value: number) => string} */
const round = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
/** @param {number} value in milliseconds */
export const us = (value) => `${round(value * 1000)} µs`;
/** @param {number} value in milliseconds */
export const ms = (value) => `${round(value)} ms`;
/** @param {number} value */
export const times = (value) => `${round(value)}x`;
/** @param {number} value */
export const mbPerSecond = (value) => `${round(value)} MB/s`;
/** @param {number} value */
export const mib = (value) => `${round(value)} MiB`;

/**
 * @param {string} what
 * @param {string} figure
 * @param {string} beside
 * @param {[boolean, string] | null} verdict whether the aim is reached, and the aim; null if the figure has no aim
 */
export function row(what, figure, beside = '', verdict = null) {
  rows.push([what, figure, beside, verdict === null ? '' : `${verdict[0] ? 'ok ' : 'NO '} ${verdict[1]}`]);
  process.stderr.write('.');
}

/** @type {[readonly string[], readonly (readonly string[])[]][]} */
const others = [];

/**
 * Adds a table with other columns, which is printed after the first one.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} its the rows
 */
export const addTable = (head, its) => others.push([head, its]);

export function printTable() {
  if (rows.length > 0) print(['what', 'measured', 'beside it', 'aim'], rows);
  for (const [head, its] of others) print(head, its);
}

/** @type {(head: readonly string[], its: readonly (readonly string[])[]) => void} */
function print(head, its) {
  const widths = head.map((title, column) => Math.max(title.length, ...its.map((each) => each[column]?.length ?? 0)));
  /** @type {(cells: readonly string[]) => string} */
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  console.log(`\n${line(head)}\n|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const each of its) console.log(line(each));
}
