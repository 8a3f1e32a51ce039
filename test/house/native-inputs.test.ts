/** Every C source that reads bytes from outside has a fuzzer (test/fuzz/native), or this file says why it has nothing to parse. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const bin = join(root, 'bin');
const targets = join(root, 'test/fuzz/native');

/** The fuzzers that include each source. */
const FUZZED: Readonly<Record<string, readonly string[]>> = {
  'base.h': ['start-block', 'hook-answer', 'private-socket'],
  'builtin-guards.h': ['builtin-words'],
  'confine-builtin.c': ['profile', 'builtin-words'],
  'confinement.h': ['profile', 'leash'],
  'deadline.c': ['deadline'],
  'hook-guard.c': ['hook-answer', 'hook-arguments'],
  'installation.h': ['installation', 'hook-arguments'],
  'launcher.c': ['arguments', 'gate-frames'],
  'leash.c': ['leash'],
  'private-socket.h': ['frames', 'private-socket'],
  'pty-leader.c': ['start-block'],
  'pump.c': ['pump'],
  'session-record.h': ['session-record', 'session-send'],
  'session-report.h': ['session-report'],
  'session-send.h': ['arguments', 'session-send'],
};

const NOTHING_TO_PARSE: Readonly<Record<string, string>> = {
  'bash-internals.h': 'declares types, functions and variables of bash',
  'confinement-filter.h': 'builds a filter out of constants and three flags',
  'confinement-level.c': 'reads no argument, variable or descriptor; prints what the kernel answers',
  'confinement-namespace.h': 'hands the paths of a profile, which confinement.h has parsed, to the kernel as they are',
  'own-variables.h': 'a table of constants, written by the build',
  'peer-uid.c': 'reads no argument, variable or byte; asks the kernel for a number',
};

const sources = readdirSync(bin).filter((name) => /\.[ch]$/.test(name));

/** Returns the sources of bin/ that this file includes, directly or through another source. */
function included(directory: string, file: string, found = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of readFileSync(join(directory, file), 'utf8').matchAll(/^#include "([^"]+)"/gm)) {
    const source = name.split('/').at(-1) ?? '';
    if (found.has(source)) continue;
    if (name.startsWith('../')) found.add(source);
    if (directory === bin) found.add(source);
    included(name.startsWith('../') || directory === bin ? bin : directory, source, found);
  }
  return found;
}

/** Functions and variables by which C code gets bytes, words or variables from outside. */
const TAKES_INPUT =
  /\b(?:p?readv?|recv(?:from|msg)?|fgets|fread|getline|getdelim|f?scanf|getenv|read_whole|read_input|read_frame)\s*\(|\b(?:environ|argv)\b/;
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"/g, '');
const takesInput = (text: string): boolean => TAKES_INPUT.test(codeOf(text));

it('each source is in exactly one of the two lists', () => {
  expect([...Object.keys(FUZZED), ...Object.keys(NOTHING_TO_PARSE)].sort()).toEqual([...sources].sort());
});

it('a source without a fuzzer reads nothing from outside', () => {
  const read = (name: string): string => readFileSync(join(bin, name), 'utf8');
  expect(Object.keys(NOTHING_TO_PARSE).filter((name) => takesInput(read(name)))).toEqual([]);
});

it.each(Object.entries(FUZZED))('%s is included by the fuzzers that are named for it', (source, names) => {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !included(targets, `${name}.c`).has(source))).toEqual([]);
});

it('the check finds code that reads bytes from outside', () => {
  const lines = [
    'int main(int argc, char **argv) {',
    'n = read(fd, at, 1);',
    'getenv("HOME")',
    '/* read(3) */ int main(void) {',
  ];
  expect(lines.map(takesInput)).toEqual([true, true, true, false]);
});

it('the check finds a source that no fuzzer includes', () => {
  expect(included(targets, 'frames.c').has('private-socket.h')).toBe(true);
  expect(included(targets, 'frames.c').has('base.h')).toBe(true);
  expect(included(targets, 'frames.c').has('pump.c')).toBe(false);
});
