/** What `apes shell install` sends to its trial process, and the answer: JSON on its standard input and output. */

/**
 * @property become    the user to become first, for good; null: stay the same
 * @property reachable files that must be readable, and executable if `isProgram`
 * @property runs      programs to start one after the other, each in this directory and environment, for at most `timeoutMs`
 * @property keys      the directory of the user's keys
 */
export interface TrialJob {
  readonly become: { readonly name: string; readonly uid: number; readonly gid: number } | null;
  readonly reachable: readonly { readonly path: string; readonly isProgram: boolean }[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly runs: readonly { readonly file: string; readonly argv: readonly string[] }[];
  readonly keys: string;
}

/**
 * The pin beside the keys of the user, as the user can read it.
 * @property server the public key of the grant server with which the user is enrolled; null: the user is not enrolled
 * @property text   null: nothing is pinned there
 * @property fault  why it cannot be read; null: it can
 */
export interface OwnPin {
  readonly server: string | null;
  readonly text: string | null;
  readonly fault: string | null;
}

/** @property status null: it was killed or could not be started, and `stderr` says why */
export interface TrialRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @property unreachable the first file or directory that this user cannot use; nothing was started then. null: none */
export interface TrialAnswer {
  readonly unreachable: { readonly path: string; readonly code: string } | null;
  readonly runs: readonly TrialRun[];
  readonly pin: OwnPin;
}
