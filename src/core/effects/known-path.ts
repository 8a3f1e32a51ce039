/** A path, as far as it is known before the line runs. */
import { isAtOrBelow } from '../files/file-operation.ts';
import type { Word } from '../reading/reading.ts';
import type { CommandContext } from './command-context.ts';
import type { Access } from './permission.ts';

/** @property isExact false: it is somewhere below `value` */
export interface KnownPath {
  readonly value: string;
  readonly isExact: boolean;
}

/** It may be any path. */
export const ANYWHERE: KnownPath = { value: '/', isExact: false };

export type PathContext = Pick<
  CommandContext,
  'cwd' | 'home' | 'resolvePath' | 'hasLinksOut' | 'matchesOf' | 'earlier'
>;

/** Another file for each process, and none before the command has started: see `processLinkOn`. */
const LINK_OF_PROCESS =
  /^\/proc\/(?:self|thread-self|\d+)(?:\/.*)?\/(?:cwd|root|exe|fd|fdinfo|map_files|ns|task)(?:\/|$)/;

export const isOfProcess = (path: string): boolean => LINK_OF_PROCESS.test(path);

/** The input and outputs a command has anyway, by their names. */
const OWN: Readonly<Record<string, Access>> = { '/dev/stdin': 'read', '/dev/stdout': 'write', '/dev/stderr': 'write' };

export const isOwnChannel = (word: Word, access: Access): boolean =>
  word.kind === 'literal' && Object.hasOwn(OWN, word.value) && OWN[word.value] === access;

export function pathOfText(text: string, context: PathContext, end: 'target' | 'itself'): KnownPath {
  if (!text.startsWith('/') && context.cwd === null) return ANYWHERE;
  const value = context.resolvePath(text.startsWith('/') ? text : `${context.cwd}/${text}`, end);
  if (isOfProcess(value)) return ANYWHERE;
  // What lies there now may be a link when the command starts.
  return context.earlier?.linked.some((area) => isAtOrBelow(value, area)) === true
    ? ANYWHERE
    : { value, isExact: true };
}

/** Where the command works; unknown is not below. */
export function isBelowDirectory(text: string, context: PathContext): boolean {
  if (context.cwd === null) return false;
  const { value, isExact } = pathOfText(text, context, 'target');
  return isExact && isAtOrBelow(value, context.resolvePath(context.cwd, 'target'));
}
