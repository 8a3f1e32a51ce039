/** The result of unwrapping: the commands that really run, and the wrappers around them. */

import type { LookupSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { Directory } from './directories.ts';
import type { Opacity, SimpleCommand, Word } from './reading.ts';

/**
 * How the name of a command is looked up:
 * - `bash`: keyword, alias, function, builtin, file
 * - `sh`: the same in a POSIX shell, which has fewer builtins
 * - `builtin or file`: only builtin, then file
 * - `builtin`, `file`: only this one kind
 */
export type Lookup = Shape<typeof LookupSchema>;

/**
 * What a wrapper changes for its inner command.
 * - `user`, `host`, `container`, `root directory`, `directory`: the command runs with another user, host and so on. Names and paths may
 *   mean something else there
 * - `namespace`: the command runs in another namespace, with other files, processes or networks
 * - `clean environment`: the command gets no variable of the caller, not even PATH
 * - `login shell`: the start-up files of the user run first, and may change what names mean
 * - `repeated`: the command may run many times, or never
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

/** @property value the name of the user, host, container or directory; null: there is no name, or the name is only known at run time */
export interface Setting {
  readonly kind: SettingKind;
  readonly value: string | null;
}

/**
 * One wrapper around a command.
 * @property name    the wrapper's name, with its verbs or the option that gives the command: `timeout`, `docker exec`, `bash -c`
 * @property program the wrapper's first word. The assessment looks this word up as `lookup` says. If the word means neither a file nor a
 *                   builtin, the command is opaque
 * @property writes  files that the wrapper itself writes or creates
 * @property reads   files that the wrapper itself reads
 * @property hasTerminal whether the wrapper gives the command a terminal. On a terminal, programs start pagers and read keys
 * @property isLeftRunning whether the wrapper may end before the command. The command then goes on in the background
 */
export interface Layer {
  readonly name: string;
  readonly program: Word;
  readonly lookup: Lookup;
  readonly settings: readonly Setting[];
  readonly writes: readonly Word[];
  readonly reads: readonly Word[];
  readonly hasTerminal: boolean;
  readonly isLeftRunning?: true;
}

/**
 * @property through   the wrappers, the outermost first; empty for a command without a wrapper
 * @property directory the directory in which the command starts, as a path on the host or in the container where the command runs
 */
export interface ActualCommand {
  readonly command: SimpleCommand;
  readonly directory: Directory;
  readonly lookup: Lookup;
  readonly through: readonly Layer[];
}

/**
 * @property commands in the order of the line; if `opaque` is not empty, some commands of the line may be missing. A wrapped command may
 *                    become several commands, in this order:
 *                    1. a command without a name: the redirections, the assignments, and the files that the wrapper opens
 *                    2. the wrapper's own work
 *                    3. the inner command, with the standard input that it inherits
 * @property opaque   why only the exact bytes can be approved; empty if everything was understood
 * @property texts    the texts that the line gives to shells. `bash -n` must accept the line and each of these texts
 */
export interface ActualCommands {
  readonly commands: readonly ActualCommand[];
  readonly opaque: readonly Opacity[];
  readonly texts: readonly string[];
}
