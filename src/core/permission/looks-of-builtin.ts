/** What the shell's own commands look at: names that a pattern finds, and files that a test asks about. */
import { dangerousPlace } from '../dangerous-places.ts';
import { isAtOrBelow } from '../file-operation.ts';
import type { SimpleCommand, Word } from '../reading/reading.ts';
import type { JudgeContext } from './judge-context.ts';
import type { KnownPath } from './known-path.ts';
import { type Meaning, NOTHING } from './meaning.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Resource } from './permission.ts';
import { readTest } from './test-expression.ts';
import { isPublic } from './variables-read.ts';

/** Of what lies in the project around the line nothing is told that a listing of it would not. */
export function looksOfBuiltin({ words }: SimpleCommand, context: JudgeContext): Meaning {
  const [name, ...rest] = words;
  if (name?.kind !== 'literal') return NOTHING;
  const { resources } =
    name.value === 'test' || name.value === '[' ? testedIn(rest, context) : patternsIn(rest, context);
  return { resources: resources.filter((each) => !isAround(each, context)) };
}

function testedIn(words: readonly Word[], context: JudgeContext): Meaning {
  const last = words.at(-1);
  const isClosed = last?.kind === 'literal' && last.value === ']';
  const meaning = readTest(isClosed ? words.slice(0, -1) : words, context);
  if (meaning.opaque === undefined) return meaning;
  // A longer test: each word could be a file.
  return { resources: words.flatMap((word) => pathsOfWord(word, context, 'target').map(read)) };
}

/** Names alone: what they lead to is not told. */
const patternsIn = (words: readonly Word[], context: JudgeContext): Meaning => ({
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

function isAround({ value }: Resource, context: JudgeContext): boolean {
  if (context.cwd === null || dangerousPlace(value, true) !== null) return false;
  const directory = context.resolvePath(context.cwd, 'target');
  const top = context.repositoryOf(directory) ?? directory;
  return top !== '/' && isAtOrBelow(value, top);
}
