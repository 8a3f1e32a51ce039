/**
 * What a starter writes to the standard input of a session's host, and what the host answers on its standard output. Both are one line of
 * JSON.
 */
import type { Failure } from '../../core/failure.ts';
import type { StartFault } from '../../pty/program-session.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';

/**
 * @property name        null: the session has no name
 * @property directory   where the sessions of this installation are on record
 * @property journal     the directory of the journal
 * @property dist        the directory of this package's built files
 * @property file        the program to start
 * @property argv        the arguments of the program; the first is the program's name
 * @property environment entries NAME=VALUE, each as base64
 */
export interface StartOrder {
  readonly id: string;
  readonly name: string | null;
  readonly directory: string;
  readonly journal: string;
  readonly dist: string;
  readonly size: TerminalSize;
  readonly file: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: readonly string[];
}

/** The host's answer, also if the start failed. `status`: see `StartFault`. */
export type StartAnswer =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly status: number; readonly failure: Failure };

export const startFailed = ({ status, failure }: StartFault): StartAnswer => ({ ok: false, status, failure });
