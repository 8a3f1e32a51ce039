/** How a control verb ends: a value that `main` turns into output and exit status. */
import type { Failure } from '../core/failure.ts';
import type { Replacement } from '../platform/launcher.ts';

/**
 * The result of a verb, for people and for programs. `main` prints one of the two.
 *
 * @property text    for standard output, with its line feeds
 * @property data    the `data` of the envelope, with `--json`
 * @property next    the `next` of the envelope, with `--json`, for a page of a list
 * @property problem why the verb did not do what it was called for, if there is a result to print all the same
 * @property status  exit status in place of the problem's own
 */
interface Answer {
  readonly text: string;
  readonly data: unknown;
  readonly next?: string | null;
  readonly problem?: Failure;
  readonly status?: number;
  /** The problem gets a line on standard error, because the text does not say it. */
  readonly hasLine?: true;
}

export type Ending =
  | { readonly kind: 'status'; readonly status: number }
  | ({ readonly kind: 'answer' } & Answer)
  /** One line on stderr, and the failure's exit status, or `status` in its place. */
  | { readonly kind: 'failure'; readonly failure: Failure; readonly status?: number }
  /** The caller's process becomes this program, once `isNoted` is fulfilled. */
  | { readonly kind: 'become'; readonly replacement: Replacement; readonly isNoted: Promise<void> }
  /** The caller's process dies of this signal. */
  | { readonly kind: 'die'; readonly signal: number };

export const done: Ending = { kind: 'status', status: 0 };
export const ended = (status: number): Ending => ({ kind: 'status', status });
export const answering = (data: unknown, text: string): Ending => ({ kind: 'answer', data, text });
/** Makes the answer with a page of a list. @param next where the next page begins; null: this is the last page */
export const answeringPage = (data: readonly unknown[], text: string, next: string | null): Ending => ({
  kind: 'answer',
  data,
  text,
  next,
});
/** A result with a problem that the text itself says: no line on standard error is added. */
export const answeringBut = (problem: Failure, data: unknown, text: string, status?: number): Ending => ({
  kind: 'answer',
  data,
  text,
  problem,
  ...(status === undefined ? {} : { status }),
});
export const answeringWithLine = (problem: Failure, data: unknown, text: string): Ending => ({
  kind: 'answer',
  data,
  text,
  problem,
  hasLine: true,
});
export const failing = (failure: Failure, status?: number): Ending => ({
  kind: 'failure',
  failure,
  ...(status === undefined ? {} : { status }),
});
