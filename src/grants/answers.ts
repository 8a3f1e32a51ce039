/** Reads answers of the server. Checks the shape of each answer before the answer is used. */

import { type Failure, failure } from '../core/failure.ts';
import { GRANT_STATES } from '../core/grant/grant.ts';
import { formatDuration } from '../core/text/duration.ts';
import type { GrantView } from '../core/wire/grant-view.ts';

const STATES: ReadonlySet<string> = new Set(GRANT_STATES);

/** Returns null if `value` does not have the shape of a grant, or has an unknown state. An unknown state must never count as approved. */
export function readGrant(value: unknown): GrantView | null {
  if (typeof value !== 'object' || value === null) return null;
  const grant = value as Partial<GrantView>;
  const isWhole =
    typeof grant.id === 'string' &&
    /^g_[a-z2-7]{26}$/.test(grant.id) &&
    typeof grant.version === 'number' &&
    typeof grant.state === 'string' &&
    STATES.has(grant.state) &&
    typeof grant.fingerprint === 'string' &&
    typeof grant.url === 'string' &&
    typeof grant.expiresAtMs === 'number' &&
    typeof grant.request === 'object' &&
    grant.request !== null &&
    typeof grant.request.text === 'string' &&
    Array.isArray(grant.request.argv) &&
    Array.isArray(grant.request.environment) &&
    typeof grant.request.cwd === 'string';
  return isWhole ? (grant as GrantView) : null;
}

/**
 * Returns the error in an answer's body; null if the body does not have the shape of an error. The member `grant` is the grant that the
 * error is about; null if the body contains no readable grant.
 */
export function readErrorCode(
  body: unknown,
): { readonly code: string; readonly message: string; readonly grant: GrantView | null } | null {
  const error = (body as { error?: { code?: unknown; message?: unknown; grant?: unknown } } | null)?.error;
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return null;
  return { code: error.code, message: error.message, grant: readGrant(error.grant) };
}

/**
 * Tells the requester why nothing runs under this grant.
 * @param grant a grant in a final state
 */
export function finalStateFailure(grant: GrantView, nowMs: number): Failure {
  const refusedWith = (message: string, advice?: string) => failure('refused', message, advice, `grant.${grant.state}`);
  const again = 'ask again if it is still needed';
  switch (grant.state) {
    case 'denied':
      return refusedWith(
        `refused: denied${grant.denyReason === null || grant.denyReason === '' ? '' : ` (${JSON.stringify(grant.denyReason)})`} (grant ${grant.id})`,
        'do not repeat it unchanged; see `apes workflow show denied`',
      );
    case 'withdrawn':
      return refusedWith(`refused: withdrawn (grant ${grant.id})`, again);
    case 'used':
      return refusedWith(
        `refused: used already${grant.usedAtMs === null ? '' : `, ${formatDuration(nowMs - grant.usedAtMs)} ago`} (grant ${grant.id})`,
        grant.term?.kind === 'once' ? 'it was good for one run; ask again' : `it has no uses left; ${again}`,
      );
    case 'revoked':
      return refusedWith(`refused: revoked (grant ${grant.id})`, again);
    case 'expired':
      return refusedWith(`refused: expired (grant ${grant.id})`, again);
    default:
      return refusedWith(`refused: ${grant.state} (grant ${grant.id})`);
  }
}
