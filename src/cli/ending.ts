/** How a control verb ends: a value until `main` turns it into the caller's exit. */
import type { Failure } from '../core/failure.ts';
import type { Replacement } from '../platform/launcher.ts';

export type Ending =
  | { readonly kind: 'status'; readonly status: number }
  /** One line on stderr, and the failure's exit status, or `status` in its place. */
  | { readonly kind: 'failure'; readonly failure: Failure; readonly status?: number }
  /** The caller's process becomes this program. */
  | { readonly kind: 'become'; readonly replacement: Replacement }
  /** The caller's process dies of this signal. */
  | { readonly kind: 'die'; readonly signal: number };

export const done: Ending = { kind: 'status', status: 0 };
export const ended = (status: number): Ending => ({ kind: 'status', status });
export const failing = (failure: Failure, status?: number): Ending => ({
  kind: 'failure',
  failure,
  ...(status === undefined ? {} : { status }),
});
