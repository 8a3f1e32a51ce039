/** Why the server does not do what was asked; `http/reply.ts` makes the answer of it. */
import type { Failure } from '../core/failure.ts';
import type { Grant, GrantState } from '../core/grant.ts';
import type { ErrorCode } from '../core/wire/error.ts';

/** `grant` as it is now, where one is concerned. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly grant?: Grant;
}

export const refusal = (code: ErrorCode, message: string, grant?: Grant): Refusal =>
  grant === undefined ? { code, message } : { code, message, grant };

const STATE_MESSAGE: Readonly<Record<GrantState, string>> = {
  pending: 'nobody has decided this grant yet',
  approved: 'this grant is approved already',
  denied: 'this grant was denied',
  withdrawn: 'this grant was withdrawn by the requester',
  used: 'this grant was used already',
  revoked: 'this grant was revoked',
  expired: 'this grant has expired',
};

/** The grant is in a state in which what was asked for cannot happen. */
export function wrongState(state: GrantState, grant: Grant): Refusal {
  return refusal(state === 'approved' ? 'grant.already_approved' : `grant.${state}`, STATE_MESSAGE[state], grant);
}

/** What the database's trouble looks like from outside: never its details. */
export function storeRefusal(failure: Failure): Refusal {
  return failure.detail === 'store.locked'
    ? refusal('server.busy', 'the database is busy; try again')
    : refusal('server.failed', 'the server cannot use its database; nothing was decided or run');
}
