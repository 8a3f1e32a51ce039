/** What really happened against what the reader said. */
import path from 'node:path';
import { assignmentOpacities } from '../../src/core/reading/assignments.ts';
import { judgeBuiltin } from '../../src/core/reading/builtins.ts';
import type { Parse } from '../../src/core/reading/read-script.ts';
import type { Reading, Redirection, SimpleCommand, Word } from '../../src/core/reading/reading.ts';
import { unwrap } from '../../src/core/reading/unwrap.ts';
import type { Happening } from './sandbox.ts';

/**
 * Every command that the reading and the unwrapping name, or null when one of them says that a human must look: no
 * opacity, no name that is known only later, no builtin that evaluates, no variable that decides what runs.
 */
export function understood(reading: Reading, parse: Parse): readonly SimpleCommand[] | null {
  const { commands, opaque } = unwrap(reading, parse);
  const isPlain = commands.every(
    ({ command, lookup }) =>
      command.words[0]?.kind !== 'runtime' &&
      judgeBuiltin(command, lookup).kind !== 'opaque' &&
      assignmentOpacities(command.assignments).length === 0,
  );
  return opaque.length === 0 && isPlain ? [...reading.commands, ...commands.map(({ command }) => command)] : null;
}

/** Every program and every file that the commands do not name, in words. */
export function unpredicted(commands: readonly SimpleCommand[], { started, files }: Happening): string[] {
  const programs = started.filter((argv) => !commands.some(({ words }) => isExpansion(words, argv)));
  const targets = commands.flatMap(({ redirections }) => redirections).filter(mayCreate);
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
