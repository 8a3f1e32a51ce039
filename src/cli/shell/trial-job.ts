/** The JSON that `apes shell install` and `status` send to the trial process on standard input, and the JSON that the process returns. */

/**
 * @property become      the user to which the trial process switches first; null: the process keeps its user
 * @property reachable   files that the user must be able to read, and to execute if `isProgram`
 * @property directory   the working directory of each program; if the user cannot enter this directory, the programs start in `/`
 * @property environment the whole environment of each program
 * @property timeoutMs   how long each program may run
 * @property runs        the programs to start, one after the other; `argv` includes argv[0]
 * @property keys        the directory of the user's keys
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
 * The user's own pin, a file in the directory of the user's keys.
 * @property server the public key of the grant server with which the user is enrolled; null if the user is not enrolled, or if the
 *                  enrolment cannot be read
 * @property text   the content of the pin's file; null if there is no pin, or if `fault` is not null
 * @property fault  why the pin's file cannot be read, or that the file is too long; null: no fault
 */
export interface OwnPin {
  readonly server: string | null;
  readonly text: string | null;
  readonly fault: string | null;
}

/** @property status null if the program was killed or could not be started: then `stderr` says why */
export interface TrialRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @property unreachable the first file or directory that the user cannot use, and the error (`EACCES`); null: the user can use all
 * @property runs        in the order of the job; empty if something is unreachable
 */
export interface TrialAnswer {
  readonly unreachable: { readonly path: string; readonly code: string } | null;
  readonly runs: readonly TrialRun[];
  readonly pin: OwnPin;
}
