/** A path, as far as it is known before the line runs. */
import { isAtOrBelow } from '../files/file-operation.ts';
import type { Word } from '../reading/reading.ts';
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

/** Links that lead to another file in each process, so that a lookup before the start finds the wrong file (see `processLinkOn`). */
const LINK_OF_PROCESS =
  /^\/proc\/(?:self|thread-self|\d+)(?:\/.*)?\/(?:cwd|root|exe|fd|fdinfo|map_files|ns|task)(?:\/|$)/;

/** Whether the path is a link that leads to another file in each process (`/proc/self/fd/3`), or leads through such a link. */
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
 * Returns the path that the text names, with links followed; `ANYWHERE` if that is not known before the line runs.
 * @param end `itself`: a link at the end of the path is not followed
 */
export function pathOfText(text: string, context: PathContext, end: 'target' | 'itself'): KnownPath {
  if (!text.startsWith('/') && context.cwd === null) return ANYWHERE;
  const absolute = text.startsWith('/') ? text : `${context.cwd}/${text}`;
  const value = context.resolvePath(absolute, end);
  if (isOfProcess(value)) return ANYWHERE;
  const linked = context.earlier?.linked ?? [];
  const mayBeLinked = (path: string): boolean => linked.some((area) => isAtOrBelow(path, area));
  // An earlier command of the line may first put a link at the path, or at a directory in front of a `..`.
  const isUncertain =
    linked.length > 0 &&
    [value, ...parentsOfDots(absolute).map((path) => context.resolvePath(path, 'target'))].some(mayBeLinked);
  return isUncertain ? ANYWHERE : { value, isExact: true };
}

/** Returns the part of a path before each `..` in it. */
function parentsOfDots(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.flatMap((part, at) => (part === '..' ? [parts.slice(0, at).join('/') || '/'] : []));
}

/** Whether the path is certainly the working directory or below it. */
export function isBelowDirectory(text: string, context: PathContext): boolean {
  if (context.cwd === null) return false;
  const { value, isExact } = pathOfText(text, context, 'target');
  return isExact && isAtOrBelow(value, context.resolvePath(context.cwd, 'target'));
}
