/**
 * Files that a session's own bash opens, for a builtin or a group. Its children are confined, but bash itself is not. So the
 * name of such a file must be known before the line runs, and no command of the line may make it lead elsewhere.
 */

import { FORKED, filesOfShell, opensFile } from '../reading/files-of-shell.ts';
import type { Opacity, Redirection } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { AssessedCommand } from './assess-line.ts';

/** Why only the exact bytes of the line can be approved, or null. */
export function openedByShell(commands: readonly AssessedCommand[]): Opacity | null {
  const own = commands.filter((each) => isOwn(each) && each.command.redirections.some(opensFile));
  const unknown = own.find(({ command }) => command.redirections.some((each) => opensFile(each) && !isLiteral(each)));
  if (unknown !== undefined)
    return {
      ...because('session-opens-unknown-file'),
      source: unknown.command.source,
    };
  const led = own[0];
  if (led === undefined) return null;
  const simple = commands.map(({ command }) => command);
  if (filesOfShell(simple, () => false) === 'beside-state')
    return { ...because('session-opens-beside-state'), source: led.command.source };
  if (!commands.some(mayMakeLinks)) return null;
  return {
    ...because('session-opens-beside-writer'),
    source: led.command.source,
  };
}

/**
 * Whether the session's bash itself makes the redirections. The parser lists those of a group as a command without
 * words.
 */
const isOwn = ({ command, resolution, meaning }: AssessedCommand): boolean =>
  !command.within.some((each) => FORKED.has(each)) &&
  (command.words.length === 0 || meaning.kind !== 'other' || resolution === null || resolution.kind !== 'file');

const isLiteral = ({ target }: Redirection): boolean => target.kind === 'literal';

const mayMakeLinks = ({ effects, resolution }: AssessedCommand): boolean =>
  resolution?.kind === 'file' &&
  effects?.kind === 'understood' &&
  effects.permission.resources.some(
    ({ kind, access }) => (kind === 'path' && (access === 'write' || access === 'delete')) || access === 'execute',
  );
