/** The rules of a `.gitignore` file ignore what git ignores: random patterns against the real `git check-ignore`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ignores, readIgnoreRules } from '../../src/core/impact/ignore-rules.ts';

const FILES = [
  'a',
  'b',
  'ab',
  'a ',
  'a\t',
  'b\\',
  'b\\ ',
  'a b',
  '#a',
  '!a',
  'd/a',
  'd/ab',
  'd/e/a',
  'd/e/b',
  'a*',
  ' ',
];
const DIRECTORIES = new Set(['d', 'd/e']);
let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'ape-ignore-'));
  execFileSync('git', ['init', '-q', top]);
  for (const file of FILES) {
    mkdirSync(dirname(join(top, file)), { recursive: true });
    writeFileSync(join(top, file), '');
  }
});
afterAll(() => rmSync(top, { recursive: true }));

function ignoredByGit(text: string): readonly string[] {
  writeFileSync(join(top, '.gitignore'), text);
  const { stdout, status } = spawnSync(
    'git',
    ['-c', 'core.excludesFile=/dev/null', 'check-ignore', '--no-index', '-z', '--stdin'],
    {
      cwd: top,
      input: FILES.join('\0'),
      encoding: 'utf8',
    },
  );
  if (status !== 0 && status !== 1) throw new Error(`git ends with ${status}`);
  return stdout.split('\0').filter((name) => name !== '');
}

/** A path below an ignored directory is ignored, whatever the rules say of the path itself. */
function ignoredByUs(text: string): readonly string[] {
  const rules = readIgnoreRules(text);
  return FILES.filter((file) => {
    const names = file.split('/');
    return names.some((_, at) => {
      const path = names.slice(0, at + 1);
      return ignores(rules, path, DIRECTORIES.has(path.join('/'))) === true;
    });
  });
}

it.each([
  'a\t\n',
  'b\\\\ \n',
  'b\\\\\\ \n',
  'a\\ \n',
  'a \n',
  'a  \t \n',
  '\\#a\n#a\n',
  '\\!a',
  '!a',
  'a\r\n',
  'b\na\r',
  'a\r\r',
  ' \n',
  '\\ \n',
  '\ufeffa\n',
  'b\n\ufeffa\n',
  '\ufeff#a\na \n',
])('with the file %j', (text) => expect(ignoredByUs(text)).toEqual(ignoredByGit(text)));

it('with random patterns', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    'd',
    'e',
    '*',
    '?',
    '/',
    '\\',
    ' ',
    '\t',
    '!',
    '#',
    '**/',
    '/**',
    '[ab]',
    '\\ ',
    '\\\\',
  );
  const line = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
      const text = `${lines.join('\n')}\n`;
      expect([text, ignoredByUs(text)]).toEqual([text, ignoredByGit(text)]);
    }),
    { numRuns: 300 },
  );
});
