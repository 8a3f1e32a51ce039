/** What unwrapping finds: the commands that really run, and what stands between them and the line. */

import type { LookupSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { Directory } from './directories.ts';
import type { Opacity, SimpleCommand, Word } from './reading.ts';

/**
 * How the name of a command is looked up:
 * - `bash`: keyword, alias, function, builtin, file
 * - `sh`: the same in a POSIX shell, which has fewer builtins
 * - `builtin or file`, `builtin`, `file`: only these
 */
export type Lookup = Shape<typeof LookupSchema>;

/**
 * What is different around an inner command.
 * - `user`, `host`, `container`, `root directory`, `directory`: another one; relative paths and names mean others there
 * - `namespace`: it may not see what we see
 * - `clean environment`: without our variables, so also without our PATH
 * - `login shell`: the start-up files of that user run first, and may change what names mean
 * - `repeated`: it may run many times, or never
 */
export type SettingKind =
  | 'user'
  | 'host'
  | 'container'
  | 'root directory'
  | 'directory'
  | 'namespace'
  | 'clean environment'
  | 'login shell'
  | 'repeated';

/** @property value its name; null when that is only known at run time, or has none */
export interface Setting {
  readonly kind: SettingKind;
  readonly value: string | null;
}

/**
 * One wrapper around a command.
 * @property name    of the table: `timeout`, `docker exec`
 * @property program its first word, to be resolved as `lookup` says: the wrapper must be the program that we take it
 *                   for
 * @property writes  files the wrapper itself writes or makes
 * @property reads   files the wrapper itself reads
 * @property hasTerminal whether it gives the command a terminal of its own: there programs start pagers and take keys
 */
export interface Layer {
  readonly name: string;
  readonly program: Word;
  readonly lookup: Lookup;
  readonly settings: readonly Setting[];
  readonly writes: readonly Word[];
  readonly reads: readonly Word[];
  readonly hasTerminal: boolean;
}

/**
 * @property through   the wrappers, the outermost first; none for a command that runs as it stands in the line
 * @property directory where it starts, on its own host and in its own container
 */
export interface ActualCommand {
  readonly command: SimpleCommand;
  readonly directory: Directory;
  readonly lookup: Lookup;
  readonly through: readonly Layer[];
}

/**
 * @property commands of a wrapped command: first one without a name that holds its redirections and assignments, and the
 *                    files its wrapper opens; then what it runs, with the standard input it inherits
 * @property opaque   why nothing but the exact bytes can be approved; empty when all was understood
 * @property texts    what shells read again; `bash -n` must agree with each of them as with the line itself
 */
export interface ActualCommands {
  readonly commands: readonly ActualCommand[];
  readonly opaque: readonly Opacity[];
  readonly texts: readonly string[];
}
