/**
 * Finds whether a session's bash itself opens files, for redirections of builtins and groups. The kernel confines what bash starts, but not
 * bash itself. Between the check and the opening of a file, a program in the background can replace a link. The name then means another
 * file. So if bash itself would open files for a covered line, the line runs in a subshell, which is confined. A line that changes bash's
 * state cannot run in a subshell.
 */
import { isBuiltinName } from './builtins.ts';
import type { Nesting, Redirection, SimpleCommand } from './reading.ts';

/**
 * - `none`: bash itself opens no file
 * - `apart`: bash itself opens files, and the line can run in a subshell
 * - `beside-state`: bash itself opens files, and the line also changes bash's state (its directory, its variables); such a line needs an
 *   approval of its exact bytes
 */
export type FilesOfShell = 'none' | 'apart' | 'beside-state';

/** @param isFunction whether the name is a function of the session. bash itself runs functions */
export function filesOfShell(commands: readonly SimpleCommand[], isFunction: (name: string) => boolean): FilesOfShell {
  const own = commands.filter((command) => isByShell(command, isFunction));
  if (!own.some(({ redirections }) => redirections.some(opensFile))) return 'none';
  return own.some(changesState) ? 'beside-state' : 'apart';
}

/** Constructs that bash runs in a child process. Pipelines are missing: with `lastpipe`, bash itself runs the last command. */
const FORKED: ReadonlySet<Nesting> = new Set<Nesting>([
  'background',
  'subshell',
  'substitution',
  'process substitution',
]);

/**
 * Whether bash starts a child process for a construct around the command. The substitution `$(< FILE)` does not count: since version 5.2,
 * bash reads the file itself.
 */
export function isInChild(command: SimpleCommand): boolean {
  const { within } = command;
  const around = isOnlyRead(command) && within.at(-1) === 'substitution' ? within.slice(0, -1) : within;
  return around.some((each) => FORKED.has(each));
}

const isOnlyRead = ({ words, assignments, redirections: [first, ...others] }: SimpleCommand): boolean =>
  words.length === 0 && assignments.length === 0 && first?.operator === '<' && others.length === 0;

/**
 * Whether bash itself possibly runs the command. A command without words holds the redirections of a group. bash itself opens the files of
 * these redirections.
 */
function isByShell(command: SimpleCommand, isFunction: (name: string) => boolean): boolean {
  if (isInChild(command)) return false;
  const [name] = command.words;
  return name === undefined || name.kind !== 'literal' || isBuiltinName(name.value) || isFunction(name.value);
}

/** Builtins that only print or test. A line with `printf -v` is opaque. */
const STATELESS: ReadonlySet<string> = new Set([':', '[', 'echo', 'false', 'printf', 'pwd', 'test', 'true', 'type']);

function changesState({ words: [name], assignments }: SimpleCommand): boolean {
  if (name === undefined) return assignments.length > 0;
  return name.kind !== 'literal' || !STATELESS.has(name.value);
}

/** Whether the redirection opens a file by name. Here-documents, here-strings, descriptors (`>&2`, `>&-`) and `/dev/null` do not count. */
export const opensFile = ({ operator, target }: Redirection): boolean =>
  operator !== '<<' &&
  operator !== '<<<' &&
  !((operator === '<&' || operator === '>&') && target.kind === 'literal' && /^(?:\d+-?|-)$/.test(target.value)) &&
  !(target.kind === 'literal' && target.value === '/dev/null');
