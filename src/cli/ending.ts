/** How a control verb ends: a value until `main` turns it into the caller's exit. */
import type { Failure } from '../core/failure.ts';
import type { Replacement } from '../platform/launcher.ts';

/**
 * The result of a verb, for people and for programs. `main` prints one of the two.
 *
 * @property text    for standard output, with its line feeds; all of it, or nothing
 * @property data    with `--json`: what the envelope holds
 * @property next    with `--json`, of a list that may leave something out: where its next page begins, or null
 * @property problem why the verb did not do what it was called for, beside a result that is worth printing
 * @property status  in place of the problem's own
 */
interface Answer {
  readonly text: string;
  readonly data: unknown;
  readonly next?: string | null;
  readonly problem?: Failure;
  readonly status?: number;
  /** The text leaves the problem to a line on standard error. */
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
/** A page of a list. @param next what the call for the next page begins with; null: this is the last one */
export const answeringPage = (data: readonly unknown[], text: string, next: string | null): Ending => ({
  kind: 'answer',
  data,
  text,
  next,
});
/** The text tells the problem already: it gets no line of its own. */
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
