/** What the shell looks at by itself: names that a pattern finds, and files that a test asks about. */

import { isAtOrBelow } from '../files/file-operation.ts';
import type { SimpleCommand, Word } from '../reading/reading.ts';
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import type { CommandContext } from './command-context.ts';
import type { KnownPath } from './known-path.ts';
import { type Meaning, NOTHING } from './meaning.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Resource } from './permission.ts';
import { readTest } from './test-expression.ts';
import { isPublic } from './variables-read.ts';

export function looksOfShell({ words, mentions }: SimpleCommand, context: CommandContext): Meaning {
  const [name, ...rest] = words;
  if (name === undefined) return patternsIn(mentions ?? [], context); // the list of a loop
  if (name.kind !== 'literal') return NOTHING;
  if (name.value !== 'test' && name.value !== '[') return patternsIn(rest, context);
  const { resources } = testedIn(rest, context);
  return { resources: resources.filter((each) => !isAround(each, context)) };
}

function testedIn(words: readonly Word[], context: CommandContext): Meaning {
  const last = words.at(-1);
  const isClosed = last?.kind === 'literal' && last.value === ']';
  const meaning = readTest(isClosed ? words.slice(0, -1) : words, context);
  if (meaning.opaque === undefined) return meaning;
  // A longer test: each word could be a file.
  return { resources: words.flatMap((word) => pathsOfWord(word, context, 'target').map(read)) };
}

/**
 * The directories whose names bash reads for the words of a program, besides what the program does with them: `basename
 * ~/.ssh/*` prints names that only a listing would tell.
 * @param claimed what the words are said to mean
 */
export function looksForWords(words: readonly Word[], claimed: readonly Resource[], context: CommandContext): Meaning {
  const isClaimed = ({ value }: Resource): boolean =>
    claimed.some((each) => each.kind === 'path' && !each.isExact && isAtOrBelow(value, each.value));
  return { resources: patternsIn(words, context).resources.filter((each) => !isClaimed(each)), isListed: true };
}

/** Names alone: nothing is said about what the links lead to. */
const patternsIn = (words: readonly Word[], context: CommandContext): Meaning => ({
  resources: words
    .filter(mayMatchNames)
    .flatMap((word) => pathsOfWord(word, context, 'itself'))
    .filter(({ isExact }) => !isExact)
    .map(read),
});

/** What a variable or a command brings is a pattern too, where no quotes stand around it. */
function mayMatchNames(word: Word): boolean {
  if (word.kind === 'literal') return false;
  if (word.spellings !== undefined)
    return word.spellings.some(({ pieces }) => pieces.some(({ kind }) => kind === 'glob'));
  const [, name = ''] = /^\$\{?([A-Z_]+|[?#$!])\}?$/.exec(word.source) ?? [];
  return !word.isOne && !/^[?#$!]$/.test(name) && !isPublic(name);
}

const read = (path: KnownPath): Resource => ({ kind: 'path', access: 'read', ...path });

/** Whether a file is there, in the project around the line, is nothing that a listing of it would not tell. */
function isAround({ value }: Resource, context: CommandContext): boolean {
  if (context.cwd === null || dangerousPlace(value, true) !== null) return false;
  const directory = context.resolvePath(context.cwd, 'target');
  const top = context.repositoryOf(directory) ?? directory;
  return top !== '/' && isAtOrBelow(value, top);
}
