/**
 * The right to run one thing once. Only the gate makes one (`issuePermit` is imported by `src/gate` alone),
 * and whatever starts a process takes a Permit, never a string: the compiler sees to it.
 */
import type { Confinement } from '../confinement/confinement.ts';
import type { ExecutionRequest } from './request.ts';

declare const issued: unique symbol;

/** @property grantId the grant that covers it, or null for what never needs one (`exit`, our own control commands) */
export interface Permit {
  readonly [issued]: true;
  readonly request: ExecutionRequest;
  readonly grantId: string | null;
  /** Why it may run, as shown to people: `once`, `until 14:05`, `always`, `exempt`. */
  readonly because: string;
  /** What the kernel must hold it to, or it does not run. Null: the approval was for exactly this, or said "not confined". */
  readonly confinement: Confinement | null;
  /** Whether a scope covers it that reaches further than its exact bytes. */
  readonly isWide: boolean;
}

export function issuePermit(
  request: ExecutionRequest,
  grantId: string | null,
  because: string,
  confinement: Confinement | null = null,
  isWide = false,
): Permit {
  return { request, grantId, because, confinement, isWide } as Permit;
}
