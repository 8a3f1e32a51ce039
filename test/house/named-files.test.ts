/** Each file of the project that a comment names exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hasProse, proseOf } from './prose.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A path from the top of the project. */
const NAMED = /(?<![\w/.@-])(?:src|bin|scripts|test|docs)\/[a-z][\w./*-]*/g;
/** A path with a capital letter or a `*` in it stands for several files, and is not checked. */
const SEVERAL = /[A-Z*]/;

/** Returns the missing files that this text names, each with its position in the text. */
const missingNames = (text: string) =>
  [...text.matchAll(NAMED)]
    .map(({ index, 0: found }) => ({ index, file: found.replace(/[./]+$/, '') }))
    .filter(({ file }) => !SEVERAL.test(file) && !existsSync(path.join(ROOT, file)));

/** Returns `NAME:LINE: FILE` for each missing file that a comment names. To save time, it looks for comments only if the text names one. */
function missingIn(name: string, text: string): string[] {
  if (missingNames(text).length === 0) return [];
  const prose = proseOf(name, text);
  return missingNames(prose).map(({ index, file }) => `${name}:${prose.slice(0, index).split('\n').length}: ${file}`);
}

const filesIn = (directory: string): string[] =>
  readdirSync(path.join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(directory, name))
    .filter((name) => hasProse(name) && !name.endsWith('.md'));

it.each(['src', 'bin', 'scripts', 'test'])('each file that a comment in %s names exists', (directory) => {
  const files = filesIn(directory);
  expect(files).not.toEqual([]);
  expect(files.flatMap((name) => missingIn(name, readFileSync(path.join(ROOT, name), 'utf8')))).toEqual([]);
});

it('the check finds a missing file that a comment names, and ignores one that only the code names', () => {
  expect(missingIn('a.ts', "// src/core/gone.ts.\nf('src/core/gone.ts'); // src/core/result.ts\n")).toEqual([
    'a.ts:1: src/core/gone.ts',
  ]);
  expect(missingIn('a.h', '/* as in bin/gone.h, src/harness/NAME/x.ts and /usr/bin/x */')).toEqual([
    'a.h:1: bin/gone.h',
  ]);
});
