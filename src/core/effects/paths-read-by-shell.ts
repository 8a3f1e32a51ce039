/** The paths that the shell itself reads: directories in which the shell matches patterns, and files that `test` or `[` checks. */

import type { SimpleCommand, Word } from '../reading/reading.ts';
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import { isAtOrBelow } from '../text/path.ts';
import type { CommandContext } from './command-context.ts';
import type { KnownPath } from './known-path.ts';
import { type Meaning, NOTHING } from './meaning.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Resource } from './permission.ts';
import { readTest } from './test-expression.ts';

/**
 * Returns the paths that the shell reads for a builtin or for the words of a `for` loop. Leaves out the files of the project that `test`
 * or `[` checks: the names of these files are no secret.
 */
export function pathsReadByShell({ words, mentions }: SimpleCommand, context: CommandContext): Meaning {
  const [name, ...rest] = words;
  if (name === undefined) return patternsIn(mentions ?? [], context); // the words of a `for` loop
  if (name.kind !== 'literal') return NOTHING;
  if (name.value !== 'test' && name.value !== '[') return patternsIn(rest, context);
  const { resources } = testedIn(rest, context);
  return { resources: resources.filter((resource) => !isInProject(resource, context)) };
}

function testedIn(words: readonly Word[], context: CommandContext): Meaning {
  const last = words.at(-1);
  const isClosed = last?.kind === 'literal' && last.value === ']';
  const meaning = readTest(isClosed ? words.slice(0, -1) : words, context);
  if (meaning.opaque === undefined) return meaning;
  // The expression is not understood, so each word counts as a file.
  return { resources: words.flatMap((word) => pathsOfWord(word, context, 'target').map(read)) };
}

/**
 * Returns the directories that bash lists to expand the patterns in a program's words. These directories count for every program. Every
 * program may print the names: `basename ~/.ssh/*` prints what is in `~/.ssh`.
 * @param claimed the other resources of the command. If a tree of files is among them, leaves out the directories in this tree
 */
export function directoriesListedByShell(
  words: readonly Word[],
  claimed: readonly Resource[],
  context: CommandContext,
): Meaning {
  const isClaimed = ({ value }: Resource): boolean =>
    claimed.some((resource) => resource.kind === 'path' && !resource.isExact && isAtOrBelow(value, resource.value));
  return { resources: patternsIn(words, context).resources.filter((resource) => !isClaimed(resource)), isListed: true };
}

/** Returns the directories that bash lists to expand patterns. Bash reads only names, so the targets of links do not matter. */
const patternsIn = (words: readonly Word[], context: CommandContext): Meaning => ({
  resources: words
    .filter(mayMatchNames)
    .flatMap((word) => pathsOfWord(word, context, 'itself'))
    .filter(({ isExact }) => !isExact)
    .map(read),
});

/**
 * Whether bash may expand the word to names of files. True in two cases: the word is a glob, or the word is an unquoted expansion. The
 * value of an expansion may be a glob: the caller and the line can set most variables, for example TZ and REPLY.
 */
function mayMatchNames(word: Word): boolean {
  if (word.kind === 'literal') return false;
  if (word.spellings !== undefined)
    return word.spellings.some(({ pieces }) => pieces.some(({ kind }) => kind === 'glob'));
  return !word.isOne && !ALWAYS_NUMBER.test(word.source);
}

/** Expansions whose value is always a number. UID, EUID and PPID are read-only. */
const ALWAYS_NUMBER = /^\$(?:[?#$!]|UID|EUID|PPID|\{(?:[?#$!]|UID|EUID|PPID)\})$/;

const read = (path: KnownPath): Resource => ({ kind: 'path', access: 'read', ...path });

/**
 * Whether the path is in the project of the working directory, and is no dangerous place. False if the working directory is not known.
 */
function isInProject({ value }: Resource, context: CommandContext): boolean {
  if (context.cwd === null || dangerousPlace(value, true) !== null) return false;
  const directory = context.resolvePath(context.cwd, 'target');
  const top = context.repositoryOf(directory) ?? directory;
  return top !== '/' && isAtOrBelow(value, top);
}
