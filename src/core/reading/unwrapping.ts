/** What unwrapping finds: the commands that really run, and the wrappers around them. */

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
 * What a wrapper changes for its inner command.
 * - `user`, `host`, `container`, `root directory`, `directory`: another one, in which names and paths may mean other things
 * - `namespace`: another one, in which files, processes or the network may differ
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

/** @property value its name; null when it has none, or when it is only known at run time */
export interface Setting {
  readonly kind: SettingKind;
  readonly value: string | null;
}

/**
 * One wrapper around a command.
 * @property name    its name in the table: `timeout`, `docker exec`
 * @property program its first word, to be resolved as `lookup` says: the name must mean the program of the table
 * @property writes  files that the wrapper itself writes or makes
 * @property reads   files that the wrapper itself reads
 * @property hasTerminal whether it gives the command its own terminal: on one, programs start pagers and take keys
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
 * @property through   the wrappers, the outermost first; empty for a command without one
 * @property directory in which the command starts, on its own host and in its own container
 */
export interface ActualCommand {
  readonly command: SimpleCommand;
  readonly directory: Directory;
  readonly lookup: Lookup;
  readonly through: readonly Layer[];
}

/**
 * @property commands for a wrapped command: first a command without a name, with its redirections and assignments
 *                    and the files that its wrapper opens; then the inner command, with the standard input that it inherits
 * @property opaque   why only the exact bytes can be approved; empty when all was understood
 * @property texts    the texts that shells in the line read: `bash -n` must agree with each, as with the line itself
 */
export interface ActualCommands {
  readonly commands: readonly ActualCommand[];
  readonly opaque: readonly Opacity[];
  readonly texts: readonly string[];
}
