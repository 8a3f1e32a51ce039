/**
 * Files that a session's own bash opens, for a builtin or a group. Its children are confined, but bash itself is not. So the
 * name of such a file must be known before the line runs, and no command of the line may make it lead elsewhere.
 */

import type { Nesting, Opacity, Redirection } from '../reading/reading.ts';
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
  if (led === undefined || !commands.some(mayMakeLinks)) return null;
  return {
    ...because('session-opens-beside-writer'),
    source: led.command.source,
  };
}

/** What bash runs in a child process. Not a pipeline: with `lastpipe`, bash runs its last command itself. */
const FORKED: ReadonlySet<Nesting> = new Set<Nesting>([
  'background',
  'subshell',
  'substitution',
  'process substitution',
]);

/**
 * Whether the session's bash itself makes the redirections. The parser lists those of a group as a command without
 * words.
 */
const isOwn = ({ command, resolution, meaning }: AssessedCommand): boolean =>
  !command.within.some((each) => FORKED.has(each)) &&
  (command.words.length === 0 || meaning.kind !== 'other' || resolution === null || resolution.kind !== 'file');

/** Whether the redirection opens a file by name: not a here-document, and not a copy of a descriptor. */
const opensFile = ({ operator, target }: Redirection): boolean =>
  operator !== '<<' &&
  operator !== '<<<' &&
  !((operator === '<&' || operator === '>&') && target.kind === 'literal' && /^(?:\d+-?|-)$/.test(target.value)) &&
  !(target.kind === 'literal' && target.value === '/dev/null');

const isLiteral = ({ target }: Redirection): boolean => target.kind === 'literal';

const mayMakeLinks = ({ effects, resolution }: AssessedCommand): boolean =>
  resolution?.kind === 'file' &&
  effects?.kind === 'understood' &&
  effects.permission.resources.some(
    ({ kind, access }) => (kind === 'path' && (access === 'write' || access === 'delete')) || access === 'execute',
  );
