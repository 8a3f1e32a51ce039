/**
 * What a session's own bash opens by itself. Its children are confined, it is not: a file that it opens for a builtin or for
 * a group must have a name that is known before the line runs, and that nothing in the line can lead elsewhere.
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

/** A fork of its own; the last part of a pipeline may be none (`lastpipe`). */
const FORKED: ReadonlySet<Nesting> = new Set<Nesting>([
  'background',
  'subshell',
  'substitution',
  'process substitution',
]);

/** Redirections of a group stand by themselves, without a word. */
const isOwn = ({ command, resolution, meaning }: AssessedCommand): boolean =>
  !command.within.some((each) => FORKED.has(each)) &&
  (command.words.length === 0 || meaning.kind !== 'other' || resolution === null || resolution.kind !== 'file');

/** Here-documents and copies of descriptors open nothing that has a name. */
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
