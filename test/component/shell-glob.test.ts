/** Globs of the preview match the same names as in bash: brackets with ranges, negation, quotes and backslashes. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { globOf, hasWildcard, matchesShellGlob } from '../../src/core/impact/pattern.ts';

const NAMES = ['a', 'm', 'z', '-', '!', '^', ']', '[', 'am', 'a-', '-z', 'xa', '[a]', '[am', 'a]'];
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-globs-'));
  for (const name of NAMES) writeFileSync(join(directory, name), '');
});
afterAll(() => removeDirectory(directory));

/** Returns for each word the names to which bash expands it. */
function bashNames(words: readonly string[]): string[][] {
  const lines = words.map((word) => `for name in ${word}; do printf '%s\\n' "$name"; done; printf '/\\n'`);
  const script = ['shopt -s nullglob', 'LC_ALL=C', ...lines].join('\n');
  const options = { input: script, encoding: 'utf8', cwd: directory } as const;
  const parts = execFileSync('bash', ['--norc', '-s'], options).split('/\n').slice(0, -1);
  return parts.map((part) => part.split('\n').slice(0, -1).sort());
}

/** Returns the names that the preview takes the word for; null: the word has no wildcard. */
function ourNames(word: string): string[] | null {
  const glob = globOf(word);
  if (glob === null) throw new Error(`no glob: ${word}`);
  return hasWildcard(glob) ? NAMES.filter((name) => matchesShellGlob(glob, name)).sort() : null;
}

describe('a glob of the preview matches what bash matches', () => {
  it.each([
    '[a\\-z]',
    '[a"-"z]',
    "[a'-'z]",
    '[a-z]',
    '[\\!a]',
    '[!a]',
    '["!"a]',
    '[^"a"]',
    '[a\\]]',
    '[]a]',
    '[\\a-\\z]',
  ])('%s', (word) => expect(ourNames(word) ?? []).toEqual(bashNames([word])[0]));

  it('for any word of these characters', () => {
    const part = fc.constantFrom(
      '[',
      ']',
      'a',
      'm',
      'z',
      '-',
      '!',
      '^',
      '\\-',
      "'-'",
      '"z"',
      '\\]',
      '"]"',
      "'!'",
      '?',
      '*',
    );
    const word = fc.array(part, { minLength: 2, maxLength: 7 }).map((parts) => parts.join(''));
    const words = fc.sample(word, 600).filter((each) => ourNames(each) !== null);
    const found = bashNames(words);
    // A word whose bracket has no end is no glob: bash then leaves the word as it is.
    const globs = words.flatMap((each, at) =>
      found[at]?.every((name) => NAMES.includes(name)) ? [[each, found[at]]] : [],
    );
    expect(globs.length).toBeGreaterThan(200);
    expect(globs.map(([each]) => [each, ourNames(String(each))])).toEqual(globs);
  });
});
