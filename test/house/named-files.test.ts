/** Each file of the project that a comment names exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hasProse, proseOf } from './prose.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** From the top of the project; what has capitals or `*` in it stands for several. */
const NAMED = /(?<![\w/.@-])(?:src|bin|scripts|test|docs)\/[a-z][\w./*-]*/g;
const SEVERAL = /[A-Z*]/;

/** Those named in this text that do not exist, with their places. */
const missingNames = (text: string) =>
  [...text.matchAll(NAMED)]
    .map(({ index, 0: found }) => ({ index, file: found.replace(/[./]+$/, '') }))
    .filter(({ file }) => !SEVERAL.test(file) && !existsSync(path.join(ROOT, file)));

/** `NAME:LINE: FILE` for each that the prose names. Comments are looked for only where there is one at all. */
function missingIn(name: string, text: string): string[] {
  if (missingNames(text).length === 0) return [];
  const prose = proseOf(name, text);
  return missingNames(prose).map(({ index, file }) => `${name}:${prose.slice(0, index).split('\n').length}: ${file}`);
}

const filesOf = (room: string): string[] =>
  readdirSync(path.join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(room, name))
    .filter((name) => hasProse(name) && !name.endsWith('.md'));

it.each(['src', 'bin', 'scripts', 'test'])('comments in %s name files that are there', (room) => {
  const files = filesOf(room);
  expect(files).not.toEqual([]);
  expect(files.flatMap((name) => missingIn(name, readFileSync(path.join(ROOT, name), 'utf8')))).toEqual([]);
});

it('sees a file that is gone, in a comment only', () => {
  expect(missingIn('a.ts', "// src/core/gone.ts.\nf('src/core/gone.ts'); // src/core/result.ts\n")).toEqual([
    'a.ts:1: src/core/gone.ts',
  ]);
  expect(missingIn('a.h', '/* as in bin/gone.h, src/harness/NAME/x.ts and /usr/bin/x */')).toEqual([
    'a.h:1: bin/gone.h',
  ]);
});
