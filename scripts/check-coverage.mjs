/**
 * Counts how many example lines of a directory of pages an approver can cover by more than their exact bytes. The pages have
 * tldr's form: each example in backquotes on a line of its own.
 *
 *   node scripts/check-coverage.mjs DIR        prints a table for all pages below DIR
 *   … --checkout DIR                           for the pages in scripts/coverage-pages.txt; DIR is a clone of tldr-pages/tldr
 *   … --list FILE                              for the pages that FILE lists instead
 *   … --lines                                  also prints each line that cannot be covered, with the reason
 *
 * `{{x}}` is a placeholder for a word. The script takes the first of alternatives, the long form of `[-s|--long]`, 5 for a number,
 * `ls` for any command, and the numbers of this machine for an address and a port in a URL.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadTestSources } from './test-sources.mjs';

const { values, positionals } = parseArgs({
  options: { lines: { type: 'boolean' }, checkout: { type: 'string' }, list: { type: 'string' } },
  allowPositionals: true,
});
const [directory = ''] = positionals;
if (directory === '' && values.checkout === undefined) {
  console.error('check-coverage: no directory of pages: name one, as in: node scripts/check-coverage.mjs pages/common');
  process.exit(2);
}
const { coverageOf } = await loadTestSources(`export { coverageOf } from '../core/line-coverage.ts';`);

/** @type {(line: string) => string} */
const filled = (line) =>
  line
    .replaceAll(/\{\{\[([^\]|]+)\|([^\]]+)\]\}\}/g, '$2')
    .replaceAll(/\{\{(.*?)\}\}(?!\})/g, (_, word) => wordFor(word));

/** Names of placeholders for a number: a tool refuses another word there. */
const NUMBER = /^(?:count|number|size|n|level|seconds|minutes|hours|line_number)(?:_(?:of|in)_\w+)?$/;

/** Names of placeholders for the name of a program. */
const PROGRAM = /^(?:command|program|somecommand)$/;

/** @param {string} word */
function wordFor(word) {
  const [first = ''] = /^['"]/.test(word) ? [word] : word.split('|');
  if (NUMBER.test(first)) return '5';
  if (PROGRAM.test(first)) return 'ls';
  return first.replace('[ipv6]:port', '[::1]:8080').replaceAll(/ ?\.\.\.$|\(s\)|[<>()]/g, '');
}

/** @type {(folder: string) => string[]} */
const pagesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));

/** @type {(checkout: string, list: string) => string[]} */
const pagesInList = (checkout, list) =>
  readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '))
    .map(([name = '', commit = '']) =>
      execFileSync('git', ['-C', checkout, 'show', `${commit}:${name}`], { encoding: 'utf8' }),
    );

const pages =
  values.checkout === undefined
    ? pagesBelow(directory)
    : pagesInList(values.checkout, values.list ?? fileURLToPath(new URL('coverage-pages.txt', import.meta.url)));
const lines = new Set(pages.flatMap((text) => [...text.matchAll(/^`(.+)`$/gm)].map(([, line = '']) => filled(line))));
/** @type {Record<string, number>} */
const counts = { coverable: 0, 'exact only': 0, opaque: 0 };
for (const line of lines) {
  const { kind, reason } = coverageOf(line);
  counts[kind] = (counts[kind] ?? 0) + 1;
  if (values.lines && kind !== 'coverable') console.log(`${kind}\t${line}\t${reason}`);
}
for (const [kind, count] of Object.entries(counts))
  console.log(`${kind.padEnd(12)}${String(count).padStart(6)}${((100 * count) / lines.size).toFixed(1).padStart(8)} %`);
