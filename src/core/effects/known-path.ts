/** A path, as far as it is known before the line runs. */
import type { Word } from '../reading/reading.ts';
import { isAtOrBelow, parentOf, pathBelow } from '../text/path.ts';
import type { CommandContext } from './command-context.ts';
import type { Access } from './permission.ts';

/** @property isExact false: the path is `value` or lies below `value` */
export interface KnownPath {
  readonly value: string;
  readonly isExact: boolean;
}

/** A path of which nothing is known. */
export const ANYWHERE: KnownPath = { value: '/', isExact: false };

export type PathContext = Pick<
  CommandContext,
  'cwd' | 'home' | 'resolvePath' | 'hasLinksOut' | 'matchesOf' | 'earlier'
>;

/** Links whose target depends on the process. A lookup before the start of a program finds the wrong file (see `processLinkOn`). */
const LINK_OF_PROCESS =
  /^\/proc\/(?:self|thread-self|\d+)(?:\/.*)?\/(?:cwd|root|exe|fd|fdinfo|map_files|ns|task)(?:\/|$)/;

/** Whether the path is a link whose target depends on the process (`/proc/self/fd/3`), or leads through such a link. */
export const isOfProcess = (path: string): boolean => LINK_OF_PROCESS.test(path);

/** The names of the standard input, output and error, each with the access that it allows. */
const STANDARD_STREAMS: Readonly<Record<string, Access>> = {
  '/dev/stdin': 'read',
  '/dev/stdout': 'write',
  '/dev/stderr': 'write',
};

/** Whether the word is the name of a standard stream that allows this access. Such a word names no file. */
export const isStandardStream = (word: Word, access: Access): boolean =>
  word.kind === 'literal' && Object.hasOwn(STANDARD_STREAMS, word.value) && STANDARD_STREAMS[word.value] === access;

/**
 * Returns the path that the text names, with links followed; `ANYWHERE` if the path is not known before the line runs.
 * @param end `itself`: a link at the end of the path is not followed
 */
export function pathOfText(text: string, context: PathContext, end: 'target' | 'itself'): KnownPath {
  if (!text.startsWith('/') && context.cwd === null) return ANYWHERE;
  const absolute = text.startsWith('/') ? text : `${context.cwd}/${text}`;
  const value = context.resolvePath(absolute, end);
  return isOfProcess(value) || mayBeMoved(absolute, value, context, end) ? ANYWHERE : { value, isExact: true };
}

/**
 * Whether an earlier command of the line may change where the path leads.
 * @param value where the path leads before the line starts
 */
function mayBeMoved(absolute: string, value: string, context: PathContext, end: 'target' | 'itself'): boolean {
  const { linked = [], unlinked = [] } = context.earlier ?? {};
  if (linked.length === 0 && unlinked.length === 0) return false;
  if (isIn(value, linked)) return true;
  const steps = stepsOf(absolute, context, end);
  // A link may lead on through other links, which the lookups do not show. One of these other links may be in a directory of `linked`.
  return (
    steps.some(({ at, isLink }) => isIn(at, linked) || (isLink && isIn(at, unlinked))) ||
    (linked.length > 0 && steps.some(({ isLink }) => isLink))
  );
}

const isIn = (path: string, areas: readonly string[]): boolean => areas.some((area) => isAtOrBelow(path, area));

/**
 * Whether an earlier command of the line may replace a link that this path follows.
 * @param path absolute
 */
export function goesThroughReplacedLink(path: string, context: PathContext): boolean {
  const { linked = [], unlinked = [] } = context.earlier ?? {};
  const areas = [...linked, ...unlinked];
  return areas.length > 0 && stepsOf(path, context, 'target').some(({ at, isLink }) => isLink && isIn(at, areas));
}

/**
 * Returns one step for each name in an absolute path. Follows the links as they are before the line starts.
 * @property at     the path of the name: links before the name are followed, a link at the name itself is not followed
 * @property isLink whether the name is a link, and the path follows the link
 */
function stepsOf(
  absolute: string,
  { resolvePath }: PathContext,
  end: 'target' | 'itself',
): readonly { readonly at: string; readonly isLink: boolean }[] {
  const isWhole = end === 'target' || /\/\.?$/.test(absolute);
  const names = absolute.split('/').filter((name) => name !== '' && name !== '.');
  const steps: { readonly at: string; readonly isLink: boolean }[] = [];
  let directory = '/';
  for (const [index, name] of names.entries()) {
    const at = name === '..' ? parentOf(directory) : pathBelow(directory, name);
    const isFollowed = name !== '..' && (isWhole || index < names.length - 1);
    directory = isFollowed ? resolvePath(at, 'target') : at;
    steps.push({ at, isLink: directory !== at });
  }
  return steps;
}

/** Whether the path is certainly the working directory or below it. */
export function isBelowDirectory(text: string, context: PathContext): boolean {
  if (context.cwd === null) return false;
  const { value, isExact } = pathOfText(text, context, 'target');
  return isExact && isAtOrBelow(value, context.resolvePath(context.cwd, 'target'));
}
