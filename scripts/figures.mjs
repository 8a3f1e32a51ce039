/**
 * `node scripts/figures.mjs [CHECKOUT]` prints the size of each room: the number of TypeScript files, lines and functions in the `src`
 * of the checkout. Everything with a body counts as a function.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { addTable, printTable } from './bench/table.mjs';

const directory = path.join(process.argv[2] ?? '.', 'src');
const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => counted(name, readFileSync(path.join(directory, name), 'utf8')));

/** @type {Map<string, Counted[]>} */
const rooms = new Map();
for (const file of files) rooms.set(file.room, [...(rooms.get(file.room) ?? []), file]);
const sorted = [...rooms].sort(([one], [other]) => (one < other ? -1 : 1));
addTable(
  ['room', 'files', 'lines', 'median file', 'largest file', 'median function', 'largest function'],
  [...sorted.map(([room, its]) => rowOf(room, its)), rowOf('all', files)],
);
printTable();

/** @typedef {{ name: string, room: string, lines: number, functions: number[] }} Counted */

/** @type {(name: string, text: string) => Counted} */
function counted(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  /** @type {number[]} */
  const functions = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) functions.push(linesOf(source, node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { name, room: name.split('/')[0] ?? '', lines: text.split('\n').length - 1, functions };
}

/** @type {(source: ts.SourceFile, node: ts.Node) => number} */
function linesOf(source, node) {
  /** @param {number} position */
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line;
  return lineAt(node.end) - lineAt(node.getStart()) + 1;
}

/** @type {(room: string, its: readonly Counted[]) => string[]} */
function rowOf(room, its) {
  const largest = its.reduce((one, other) => (other.lines > one.lines ? other : one));
  const functions = its.flatMap((file) => file.functions);
  const lines = its.map((file) => file.lines);
  return [
    ...[room, its.length, lines.reduce((sum, each) => sum + each, 0), median(lines)],
    ...[`${largest.lines} ${largest.name}`, median(functions), Math.max(...functions)],
  ].map(String);
}

/** @param {readonly number[]} numbers */
function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
