/** How a control verb ends: a value that `main` turns into output and exit status. */
import type { Failure } from '../core/failure.ts';
import type { Replacement } from '../platform/launcher.ts';

/**
 * The result of a verb, for people and for programs. `main` prints `text`, or with `--json` the envelope.
 *
 * @property text    for standard output, with its line feeds
 * @property data    the `data` of the envelope, with `--json`
 * @property next    the `next` of the envelope, with `--json`: where the next page of the list begins; null: there is no next page; absent:
 *                   the answer is no page of a list
 * @property problem why the verb failed although there is a result to print; the envelope has the result and the problem
 * @property status  the exit status; absent: the exit status of `problem`, or 0
 */
interface Answer {
  readonly text: string;
  readonly data: unknown;
  readonly next?: string | null;
  readonly problem?: Failure;
  readonly status?: number;
  /** `text` does not contain the problem. Therefore `main` prints the problem on standard error, as one line. */
  readonly hasLine?: true;
}

export type Ending =
  /** `main` prints nothing. */
  | { readonly kind: 'status'; readonly status: number }
  | ({ readonly kind: 'answer' } & Answer)
  /** `main` prints the failure on standard error. If `status` is absent, the failure determines the exit status. */
  | { readonly kind: 'failure'; readonly failure: Failure; readonly status?: number }
  /**
   * The caller's process becomes `replacement` when `isNoted`, the promise of `makeHoldable`, is fulfilled. If `isNoted` is rejected, the
   * program does not start.
   */
  | { readonly kind: 'become'; readonly replacement: Replacement; readonly isNoted: Promise<void> }
  /** The caller's process dies of this signal. */
  | { readonly kind: 'die'; readonly signal: number };

export const done: Ending = { kind: 'status', status: 0 };
export const ended = (status: number): Ending => ({ kind: 'status', status });
export const answering = (data: unknown, text: string): Ending => ({ kind: 'answer', data, text });
/**
 * Makes the answer with one page of a list.
 * @param next where the next page begins; null: there is no next page
 */
export const answeringPage = (data: readonly unknown[], text: string, next: string | null): Ending => ({
  kind: 'answer',
  data,
  text,
  next,
});
/** Makes the answer with a problem that `text` already contains: `main` adds no line on standard error. */
export const answeringBut = (problem: Failure, data: unknown, text: string, status?: number): Ending => ({
  kind: 'answer',
  data,
  text,
  problem,
  ...(status === undefined ? {} : { status }),
});
/** Makes the answer with a problem that `text` does not contain: `main` prints the problem on standard error, as one line. */
export const answeringWithLine = (problem: Failure, data: unknown, text: string): Ending => ({
  kind: 'answer',
  data,
  text,
  problem,
  hasLine: true,
});
/** @param status the exit status; absent: the exit status of the failure */
export const failing = (failure: Failure, status?: number): Ending => ({
  kind: 'failure',
  failure,
  ...(status === undefined ? {} : { status }),
});
