/**
 * How many example lines of a directory of pages (tldr's form: each example in backquotes on a line of its own) an
 * approver can cover by more than their exact bytes.
 *
 *   node scripts/check-coverage.mjs DIR        a table
 *   … --lines                                  also each line that cannot, with the reason
 *
 * `{{x}}` stands for a word: of alternatives the first is taken, of `[-s|--long]` the long one; for a number, 5.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadTestSources } from './test-sources.mjs';

const { values, positionals } = parseArgs({ options: { lines: { type: 'boolean' } }, allowPositionals: true });
const [directory] = positionals;
if (directory === undefined) {
  console.error('check-coverage: no directory of pages: name one, as in: node scripts/check-coverage.mjs pages/common');
  process.exit(2);
}
const { coverageOf } = await loadTestSources(`export { coverageOf } from '../core/line-coverage.ts';`);

const filled = (line) =>
  line
    .replaceAll(/\{\{\[([^\]|]+)\|([^\]]+)\]\}\}/g, '$2')
    .replaceAll(/\{\{(.*?)\}\}(?!\})/g, (_, word) => wordFor(word));

/** What a page calls a number; a tool refuses another word there. */
const NUMBER = /^(?:count|number|size|n|level|seconds|minutes|hours|line_number)(?:_(?:of|in)_\w+)?$/;

function wordFor(word) {
  const [first] = /^['"]/.test(word) ? [word] : word.split('|');
  if (NUMBER.test(first)) return '5';
  return first.replaceAll(/ ?\.\.\.$|\(s\)|[<>()]/g, '');
}

const pages = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const lines = new Set(
  pages.flatMap((name) =>
    [...readFileSync(path.join(directory, name), 'utf8').matchAll(/^`(.+)`$/gm)].map(([, line]) => filled(line)),
  ),
);
const counts = { coverable: 0, 'exact only': 0, opaque: 0 };
for (const line of lines) {
  const { kind, reason } = coverageOf(line);
  counts[kind]++;
  if (values.lines && kind !== 'coverable') console.log(`${kind}\t${line}\t${reason}`);
}
for (const [kind, count] of Object.entries(counts))
  console.log(`${kind.padEnd(12)}${String(count).padStart(6)}${((100 * count) / lines.size).toFixed(1).padStart(8)} %`);
