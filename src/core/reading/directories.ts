/** Follows the `cd` commands of a line, to find the directory in which each command starts. */
import { behindPrefixes, meaningOfBuiltin } from './builtins.ts';
import type { SimpleCommand } from './reading.ts';
import type { Setting } from './unwrapping.ts';

/**
 * An absolute path, or a path relative to the start directory of the line ('' is the start directory). Null: the directory is only known
 * at run time. If CDPATH is set, a relative `cd` can lead to another directory. So a caller must check CDPATH before using a relative path.
 */
export type Directory = string | null;

/**
 * Returns the directory in which each command starts, in the order of the commands.
 * @param start the directory of the first command
 */
export function directoriesOf(commands: readonly SimpleCommand[], start: Directory): readonly Directory[] {
  const moves = commands.map(moveOf);
  const found: Directory[] = [];
  for (const [at, command] of commands.entries()) found.push(directoryAt(at, command, commands, moves, found, start));
  return found;
}

/** `none`: the command does not change the directory. `to`: the new directory; null: the new directory is not known. */
type Move = 'none' | { readonly to: string | null };

function moveOf(command: SimpleCommand): Move {
  const words = behindPrefixes(command.words);
  if (words === null) return { to: null };
  const meaning = meaningOfBuiltin({ ...command, words }, 'bash');
  if (meaning.kind !== 'directory') return 'none';
  return { to: meaning.to?.kind === 'literal' ? meaning.to.value : null };
}

function directoryAt(
  at: number,
  command: SimpleCommand,
  commands: readonly SimpleCommand[],
  moves: readonly Move[],
  found: readonly Directory[],
  start: Directory,
): Directory {
  const last = moves.slice(0, at).findLastIndex((move) => move !== 'none');
  const move = moves[last];
  // If no `&&` connects the last `cd` with this command, that `cd` may have failed.
  const isCertain = command.after?.includes(last) === true;
  const depth = loopDepth(command);
  // `cd /PATH && COMMAND` in one loop: in each round, the command starts in /PATH.
  const isSetInEachRound =
    isCertain && move !== 'none' && move?.to?.startsWith('/') === true && loopDepth(commands[last]) === depth;
  // A `cd` in a loop changes the directory for the next round too. In the next round, the commands in front of the `cd`, and the `cd`
  // itself, start in that changed directory.
  const isMovedByLoop =
    depth > 0 && moves.some((each, later) => each !== 'none' && later >= at && loopDepth(commands[later]) > 0);
  if (isMovedByLoop && !isSetInEachRound) return null;
  if (move === undefined || move === 'none') return start;
  return isCertain && move.to !== null ? joinDirectory(found[last] ?? null, move.to) : null;
}

/** The number of loops around the command; 0 for undefined. */
const loopDepth = (command: SimpleCommand | undefined): number =>
  command?.within.filter((nesting) => nesting === 'loop').length ?? 0;

/** Resolves `to` against `base`. Returns null if `to` contains `..`: symbolic links decide where `..` leads. */
function joinDirectory(base: Directory, to: string): Directory {
  const names = to.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return null;
  if (to.startsWith('/')) return `/${names.join('/')}`;
  if (base === null || names.length === 0) return base;
  return `${base === '' || base.endsWith('/') ? base : `${base}/`}${names.join('/')}`;
}

/**
 * Returns the directory in which the command inside a wrapper starts.
 * @param base the directory in which the wrapper starts
 */
export function directoryIn(base: Directory, settings: readonly Setting[]): Directory {
  let directory = base;
  for (const { kind, value } of settings) {
    if (kind === 'host' || kind === 'container' || kind === 'root directory') directory = null;
    else if (kind === 'directory') directory = value === null ? null : joinDirectory(directory, value);
  }
  return directory;
}
