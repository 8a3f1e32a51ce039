/**
 * The permit: the right to run one request once. Only the gate issues permits (only `src/gate` imports `issuePermit`).
 * A function that starts a process takes a Permit and not a string, so the compiler rejects a start without a Permit.
 */
import type { Confinement } from '../confinement/confinement.ts';
import type { ExecutionRequest } from './request.ts';

declare const issued: unique symbol;

/** @property grantId the grant that covers the request; null: the request needs no grant (`exit`, our own control verbs) */
export interface Permit {
  readonly [issued]: true;
  readonly request: ExecutionRequest;
  readonly grantId: string | null;
  /** Why the request may run, as shown to people: `exempt`, or a text that begins with the grant's term, such as `once` or `always`. */
  readonly because: string;
  /** The confinement under which the request has to run; null: the approval has no confinement, or says "not confined". */
  readonly confinement: Confinement | null;
  /** Whether scopes cover the request. False if an approval is for exactly this request, or if the request needs no grant. */
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
