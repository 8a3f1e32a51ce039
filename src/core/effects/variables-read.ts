/** The variables whose values become part of a command. The command may print, store or send the values, so the variables count as read. */

import type { SimpleCommand } from '../reading/reading.ts';
import { namesExpandedBy } from '../variables/bound-variables.ts';
import type { Resource } from './permission.ts';

/** Source: bash(1), "Shell Variables"; environ(7). */
const PUBLIC: ReadonlySet<string> = new Set(
  `HOME PWD OLDPWD USER LOGNAME SHELL HOSTNAME TERM PATH TMPDIR LANG LANGUAGE TZ COLUMNS LINES SHLVL UID EUID PPID RANDOM
  SECONDS EPOCHSECONDS EPOCHREALTIME LINENO BASHPID BASH_VERSION OSTYPE HOSTTYPE MACHTYPE PIPESTATUS REPLY OPTIND IFS
  NO_COLOR CI EDITOR VISUAL`.split(/\s+/),
);
/** Whether the value of the variable is no secret. */
const isPublic = (name: string): boolean => PUBLIC.has(name) || name.startsWith('LC_');

/**
 * Returns a resource for each variable whose value the command reads. Leaves out public variables. Also leaves out variables that had no
 * value before the line: a value that the line itself contains is no secret.
 * @param set the variables that have a value before the line runs; undefined: not known, and the result is empty
 */
export function variablesRead(command: SimpleCommand, set: ReadonlySet<string> | undefined): readonly Resource[] {
  if (set === undefined) return [];
  const words = [
    ...command.words,
    ...command.assignments.flatMap(({ value }) => value ?? []),
    ...command.redirections.map(({ target }) => target),
    ...(command.mentions ?? []),
  ];
  const names = new Set<string>();
  for (const word of words)
    if (word.kind === 'runtime')
      for (const name of namesExpandedBy(word.source)) if (set.has(name) && !isPublic(name)) names.add(name);
  return [...names].map((value) => ({ kind: 'variable', access: 'read', value, isExact: true }));
}
