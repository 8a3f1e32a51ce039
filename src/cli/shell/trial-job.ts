/** What `apes shell install` asks of its trial process, and what comes back: JSON on its standard input and output. */

/**
 * @property become    whom to become for good before anything else; null stays who we are
 * @property reachable files that must be readable, and executable where `isProgram`
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

/** @property status null when it was killed or could not be started; then `stderr` says why */
export interface TrialRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @property unreachable the first file, or the folder above it, that this user cannot use; then nothing was started */
export interface TrialAnswer {
  readonly unreachable: { readonly path: string; readonly code: string } | null;
  readonly runs: readonly TrialRun[];
}
