/**
 * In an interactive session, bash itself opens files for builtins and for groups of commands. This file checks the names of these files.
 * The children of this bash are confined, but bash itself is not. So the name of such a file must be literal. No command of the line may
 * replace the file by a link to another file.
 */

import { filesOfShell, isInChild, opensFile } from '../reading/files-of-shell.ts';
import type { Opacity, Redirection } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { AssessedCommand } from './assess-line.ts';

/** Returns why the line is opaque, if the session's bash itself opens a file unsafely; else null. */
export function openedByShell(commands: readonly AssessedCommand[]): Opacity | null {
  const opening = commands.filter(
    (command) => isOfSessionBash(command) && command.command.redirections.some(opensFile),
  );
  const unknown = opening.find(({ command }) =>
    command.redirections.some((redirection) => opensFile(redirection) && !isLiteral(redirection)),
  );
  if (unknown !== undefined)
    return {
      ...because('session-opens-unknown-file'),
      source: unknown.command.source,
    };
  const [first] = opening;
  if (first === undefined) return null;
  const simple = commands.map(({ command }) => command);
  if (filesOfShell(simple, () => false) === 'beside-state')
    return { ...because('session-opens-beside-state'), source: first.command.source };
  if (!commands.some(mayMakeLinks)) return null;
  return {
    ...because('session-opens-beside-writer'),
    source: first.command.source,
  };
}

/**
 * Whether the session's bash itself opens the files of the command's redirections. The parser represents the redirections of a group as a
 * command without words.
 */
const isOfSessionBash = ({ command, resolution, meaning }: AssessedCommand): boolean =>
  !isInChild(command) &&
  (command.words.length === 0 || meaning.kind !== 'other' || resolution === null || resolution.kind !== 'file');

const isLiteral = ({ target }: Redirection): boolean => target.kind === 'literal';

const mayMakeLinks = ({ effects, resolution }: AssessedCommand): boolean =>
  resolution?.kind === 'file' &&
  effects?.kind === 'understood' &&
  effects.permission.resources.some(
    ({ kind, access }) => (kind === 'path' && (access === 'write' || access === 'delete')) || access === 'execute',
  );
