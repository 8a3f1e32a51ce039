/** Compares what bash did with what our parser read. */
import path from 'node:path';
import { assignmentOpacities } from '../../src/core/reading/assignments.ts';
import { meaningOfBuiltin } from '../../src/core/reading/builtins.ts';
import type { Parse } from '../../src/core/reading/parse-text.ts';
import type { ParsedText, Redirection, SimpleCommand, Word } from '../../src/core/reading/reading.ts';
import { type Piece, type Spelling, writtenText } from '../../src/core/reading/spelling.ts';
import { unwrap } from '../../src/core/reading/unwrap.ts';
import type { Happening } from './sandbox.ts';

/**
 * Returns every command that the parser and the unwrapping of wrappers name. Returns null if an approver has to look at the line:
 * it is opaque, a name is known only at run time, a builtin evaluates text, or a variable decides what runs.
 */
export function understood(reading: ParsedText, parse: Parse): readonly SimpleCommand[] | null {
  const { commands, opaque } = unwrap(reading, parse);
  const isPlain = commands.every(
    ({ command, lookup }) =>
      command.words[0]?.kind !== 'runtime' &&
      meaningOfBuiltin(command, lookup).kind !== 'opaque' &&
      assignmentOpacities(command.assignments).length === 0,
  );
  const inner = commands.filter(({ through }) => through.length > 0).map(({ command }) => command);
  return opaque.length === 0 && isPlain ? [...reading.commands, ...inner] : null;
}

/**
 * Whether a command may run more than once: in a loop; in braces (bash expands each copy of a word); in the target of a
 * redirection (if the target is several words, bash expands it again for its message).
 */
const mayRepeat = ({ within, source, redirections }: SimpleCommand): boolean =>
  within.includes('loop') || /[{…]/.test(source) || redirections.some(({ target }) => target.kind === 'runtime');

/**
 * Returns a sentence for every program and every file that the commands do not name. A program may start as often as it is named,
 * or any number of times if a command may repeat.
 */
export function unpredicted(commands: readonly SimpleCommand[], { started, files }: Happening): string[] {
  const isRepeating = commands.some(mayRepeat);
  const programs = started.filter((argv, index) => {
    const named = commands.filter(({ words }) => isExpansion(words, argv)).length;
    const earlier = started.slice(0, index).filter((other) => isSame(argv, other)).length;
    return named === 0 || (!isRepeating && earlier >= named);
  });
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
  if (word.spellings !== undefined)
    return word.why === 'variable'
      ? word.spellings.some((each) => isSpelled([each], rest, argv))
      : isSpelled(word.spellings, rest, argv);
  if (first?.startsWith(word.prefix) === true && isExpansion(rest, others)) return true;
  if (word.isOne) return false;
  if (word.prefix === '' && isExpansion(rest, argv)) return true;
  for (let taken = 2; taken <= argv.length; taken++)
    if (first?.startsWith(word.prefix) === true && isExpansion(rest, argv.slice(taken))) return true;
  return false;
}

/** Whether the arguments are one or more for each spelling, in this order, and then those of the words `rest`. */
function isSpelled(spellings: readonly Spelling[], rest: readonly Word[], argv: readonly string[]): boolean {
  const [spelling, ...more] = spellings;
  if (spelling === undefined) return isExpansion(rest, argv);
  const [first, ...others] = argv;
  if (first === undefined || !maySpell(spelling, first)) return false;
  return isSpelled(more, rest, others) || isSpelled(spellings, rest, others);
}

/** Whether the argument can be a file name that the spelling matches, or the pattern itself. Any text may be the home directory. */
function maySpell(spelling: Spelling, argument: string): boolean {
  const [written, pattern] = [writtenText(spelling), spelling.pieces.map(expressionOf).join('')];
  const isMatch = new RegExp(`^${spelling.isHome ? '.*' : ''}${pattern}$`, 'su').test(argument);
  return isMatch || (spelling.isHome ? argument.endsWith(written) : argument === written);
}

/** A bracket may match any character, because the locale decides which. */
function expressionOf(piece: Piece): string {
  if (piece.kind === 'text')
    return piece.value.replaceAll(/[^\w\s]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
  return piece.kind === 'glob' && piece.source === '*' ? '[^/]*' : '[^/]';
}

const isSame = (argv: readonly string[], other: readonly string[]): boolean =>
  argv.length === other.length && argv.every((word, index) => word === other[index]);

const mayCreate = ({ operator }: Redirection): boolean => ['>', '>>', '>|', '&>', '&>>', '<>', '>&'].includes(operator);

/** The working directory has no folders: a file in it is named by the last part of a path. */
function mayName(target: Word, file: string): boolean {
  if (target.kind === 'literal') return path.posix.basename(target.value) === file;
  return file.startsWith(target.prefix.endsWith('/') ? '' : path.posix.basename(target.prefix));
}
