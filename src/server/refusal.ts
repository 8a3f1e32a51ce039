/** A refusal: the reason why the server does not do what a caller asked for. `http/reply.ts` makes the HTTP answer from a refusal. */
import type { Failure } from '../core/failure.ts';
import type { CodedFault, Fault } from '../core/fault.ts';
import type { Grant, GrantState } from '../core/grant/grant.ts';
import type { ErrorCode } from '../core/wire/error.ts';
import type { PasskeyRequest } from '../core/wire/passkeys.ts';

/**
 * @property grant   the grant as it is now; absent: the refusal is not about a grant
 * @property passkey the challenge that the person has to sign first; absent: no signature is asked for
 */
export interface Refusal extends CodedFault<ErrorCode> {
  readonly grant?: Grant;
  readonly passkey?: PasskeyRequest;
}

export const refusal = (code: ErrorCode, message: string, grant?: Grant): Refusal =>
  grant === undefined ? { code, message } : { code, message, grant };

/** Makes the refusal for a malformed body, query or path. */
export const malformedRequest = ({ message }: Fault): Refusal => refusal('request.malformed', message);

/** A revoked requester also gets this refusal. */
export const tokenEnded: Refusal = refusal(
  'auth.expired',
  'the token is unknown, has ended or was revoked; get a new one',
);

const STATE_MESSAGE: Readonly<Record<GrantState, string>> = {
  pending: 'this grant is not decided yet',
  approved: 'this grant is approved already',
  denied: 'this grant was denied',
  withdrawn: 'this grant was withdrawn by the requester',
  used: 'this grant was used already',
  revoked: 'this grant was revoked',
  expired: 'this grant has expired',
};

/**
 * Makes the refusal for a grant whose state does not allow the wanted change.
 * @param state the result of `stateAt`; `grant.state` is never `expired`
 */
export function wrongState(state: GrantState, grant: Grant): Refusal {
  return refusal(state === 'approved' ? 'grant.already_approved' : `grant.${state}`, STATE_MESSAGE[state], grant);
}

/** Makes the refusal for a fault of the database. Does not show the message of the fault. */
export function storeRefusal({ detail }: Failure): Refusal {
  return (
    STORE_REFUSALS.get(detail ?? '') ??
    refusal('server.failed', 'the server cannot use its database; nothing was decided or run')
  );
}

const STORE_REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  ['store.locked', refusal('server.busy', 'the database is locked; try again')],
  ['store.busy', refusal('server.busy', 'the database is overloaded; try again')],
  ['store.disk', refusal('server.database_away', 'the disk of the database does not work; nothing runs until it does')],
  [
    'store.away',
    refusal('server.database_away', 'the database does not answer; nothing runs until it does; try again'),
  ],
  [
    'store.full',
    refusal('server.database_full', 'the disk of the database is full; nothing runs until there is space'),
  ],
]);
