/** Comments and documents name who acts: "the approver", "another process". The words below hide it. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { blanked, hasProse, proseOf } from './prose.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where the words are refused: directories of sources or of documents. */
const ROOMS: readonly string[] = [
  ...readdirSync(path.join(ROOT, 'src'))
    .filter((room) => !room.endsWith('rules'))
    .map((room) => `src/${room}`),
  'bin',
  'docs',
  'scripts',
];

const REFUSED = /\b(?:nobody|somebody|whoever|whomever|shall)\b/gi;
/** The user `nobody` is a name, and so is what another text says. Within one line, so that a lone quote hides no more. */
const CITED = /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”/g;

/** `NAME:LINE: WORD`. */
function refusedIn(name: string, text: string): string[] {
  const prose = proseOf(name, text);
  return [...blanked(prose, CITED).matchAll(REFUSED)].map(
    ({ index, 0: word }) => `${name}:${prose.slice(0, index).split('\n').length}: ${word}`,
  );
}

const filesOf = (room: string): string[] =>
  readdirSync(path.join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(room, name))
    .filter(hasProse);

it.each(ROOMS)('comments in %s name who acts', (room) => {
  const files = filesOf(room);
  expect(files).not.toEqual([]);
  expect(files.flatMap((name) => refusedIn(name, readFileSync(path.join(ROOT, name), 'utf8')))).toEqual([]);
});

it('the documents at the top name who acts', () => {
  const names = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  expect(names.length).toBeGreaterThan(4);
  expect(names.flatMap((name) => refusedIn(name, readFileSync(path.join(ROOT, name), 'utf8')))).toEqual([]);
});

it('sees a word in each kind of comment, with its line', () => {
  expect(refusedIn('a.ts', "const a = 'nobody';\n/** Nobody\n * and whoever */\nf(a); // shall\n")).toEqual([
    'a.ts:2: Nobody',
    'a.ts:3: whoever',
    'a.ts:4: shall',
  ]);
  expect(refusedIn('a.mjs', 'const a = `\n// nobody\n`; // somebody')).toEqual(['a.mjs:3: somebody']);
  expect(refusedIn('a.h', 'char *a = "nobody"; /* x\n   nobody */\n// whomever\n')).toEqual([
    'a.h:2: nobody',
    'a.h:3: whomever',
  ]);
  expect(refusedIn('a.bash', 'echo nobody $# # shall\n# Nobody\n')).toEqual(['a.bash:1: shall', 'a.bash:2: Nobody']);
  expect(refusedIn('a.md', 'x\n\n```\nnobody\n```\n\nThe user `nobody`, "nobody decided it"; nobody\n')).toEqual([
    'a.md:7: nobody',
  ]);
});
