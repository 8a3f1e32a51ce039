/** What `apes shell install` sends to its trial process, and the answer: JSON on its standard input and output. */

/**
 * @property become    the user to become first, for good; null: stay the same
 * @property reachable files that must be readable, and executable if `isProgram`
 * @property runs      programs to start one after the other, each in this directory and environment, for at most `timeoutMs`
 */
export interface TrialJob {
  readonly become: { readonly name: string; readonly uid: number; readonly gid: number } | null;
  readonly reachable: readonly { readonly path: string; readonly isProgram: boolean }[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly runs: readonly { readonly file: string; readonly argv: readonly string[] }[];
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
}
