/** What really happened against what the reader said. */
import path from 'node:path';
import type { Reading, Redirection, Word } from '../../src/core/reading/reading.ts';
import type { Happening } from './sandbox.ts';

/**
 * Builtins that take text or names and evaluate them: what they start is for the layer above to know, not for the
 * reading. A line with one of them is judged here only as far as its other commands go.
 */
const EVALUATING = new Set(
  `. alias bind builtin command compgen complete coproc declare enable eval exec export fc getopts hash history let local
  mapfile printf read readarray readonly set shopt source test [ trap typeset unalias unset wait`.split(/\s+/),
);
/** These evaluate only what looks like an index, or an option that names a variable. */
const HARMLESS_WITHOUT_INDEX = new Set([
  'export',
  'printf',
  'read',
  'readonly',
  'test',
  '[',
  'unset',
  'declare',
  'local',
]);

/** Whether everything that starts must be named by the reading: no opacity, no name or text that is known only later. */
export function isBinding(reading: Reading): boolean {
  return (
    reading.opaque.length === 0 &&
    reading.commands.every(({ words: [name, ...rest] }) => {
      if (name === undefined) return true;
      if (name.kind === 'runtime') return false;
      if (!EVALUATING.has(name.value)) return true;
      return (
        HARMLESS_WITHOUT_INDEX.has(name.value) &&
        rest.every((word) => word.kind === 'literal' && !word.value.slice(0, -1).includes('['))
      );
    })
  );
}

/** Every program and every file that the reading does not name, in words. */
export function unpredicted(reading: Reading, { started, files }: Happening): string[] {
  const programs = started.filter((argv) => !reading.commands.some(({ words }) => isExpansion(words, argv)));
  const targets = reading.commands.flatMap(({ redirections }) => redirections).filter(mayCreate);
  const made = files.filter((file) => !targets.some(({ target }) => mayName(target, file)));
  return [
    ...programs.map((argv) => `started ${JSON.stringify(argv)}`),
    ...made.map((file) => `made the file ${JSON.stringify(file)}`),
  ];
}

/** Whether the words can have become these arguments. */
export function isExpansion(words: readonly Word[], argv: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return argv.length === 0;
  const [first, ...others] = argv;
  if (word.kind === 'literal') return first === word.value && isExpansion(rest, others);
  if (first?.startsWith(word.prefix) === true && isExpansion(rest, others)) return true;
  if (word.isOne) return false;
  if (word.prefix === '' && isExpansion(rest, argv)) return true;
  for (let taken = 2; taken <= argv.length; taken++)
    if (first?.startsWith(word.prefix) === true && isExpansion(rest, argv.slice(taken))) return true;
  return false;
}

const mayCreate = ({ operator }: Redirection): boolean => ['>', '>>', '>|', '&>', '&>>', '<>', '>&'].includes(operator);

/** The working directory has no folders: a file in it is named by the last part of a path. */
function mayName(target: Word, file: string): boolean {
  if (target.kind === 'literal') return path.posix.basename(target.value) === file;
  return file.startsWith(target.prefix.endsWith('/') ? '' : path.posix.basename(target.prefix));
}
