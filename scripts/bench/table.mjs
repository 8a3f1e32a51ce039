/** Prints one table with all figures, rounded, and then the tables that have more columns. */
const rows = [];

const round = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
/** @param value in milliseconds */
export const us = (value) => `${round(value * 1000)} µs`;
export const ms = (value) => `${round(value)} ms`;
export const times = (value) => `${round(value)}x`;
export const mbPerSecond = (value) => `${round(value)} MB/s`;
export const mib = (value) => `${round(value)} MiB`;

/** @param {[boolean, string] | null} verdict whether the aim is reached, and the aim; null: there is none */
export function row(what, figure, beside = '', verdict = null) {
  rows.push([what, figure, beside, verdict === null ? '' : `${verdict[0] ? 'ok ' : 'NO '} ${verdict[1]}`]);
  process.stderr.write('.');
}

const others = [];

/** Adds a table with other columns, which is printed after the first one. */
export const addTable = (head, its) => others.push([head, its]);

export function printTable() {
  if (rows.length > 0) print(['what', 'measured', 'beside it', 'aim'], rows);
  for (const [head, its] of others) print(head, its);
}

function print(head, its) {
  const widths = head.map((title, column) => Math.max(title.length, ...its.map((each) => each[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  console.log(`\n${line(head)}\n|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const each of its) console.log(line(each));
}
