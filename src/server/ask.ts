/** `POST /v1/requests`: covered and used, waiting already, or filed; all in one transaction. */
import { grantEvent } from '../core/audit-event.ts';
import type { Failure } from '../core/failure.ts';
import { type Grant, PENDING_LIFETIME_MS, transition } from '../core/grant.ts';
import { canonicalRequest } from '../core/request.ts';
import type { Result } from '../core/result.ts';
import type { AskBody } from '../core/wire.ts';
import type { StoreWriter, Subject } from '../store/store.ts';
import { type Refusal, refusal } from './refusal.ts';
import { newId, sha256Hex } from './secrets.ts';
import { change, type ServerParts } from './server-ports.ts';

/** One requester cannot bury its approver: more undecided requests than this are turned away. */
export const MOST_PENDING_PER_REQUESTER = 500;

export type AskOutcome =
  | { readonly kind: 'permitted'; readonly grant: Grant }
  | { readonly kind: 'pending'; readonly filed: boolean; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export async function ask(parts: ServerParts, requester: Subject, body: AskBody): Promise<Result<AskOutcome, Failure>> {
  const fingerprint = sha256Hex(canonicalRequest(body.request));
  const id = newId('g', parts.random);
  return change(parts, async (rows): Promise<AskOutcome> => {
    await rows.lockRequest(requester.id, fingerprint);
    const nowMs = parts.clock();
    const used = await useCovering(rows, requester, fingerprint, nowMs);
    if (used !== null) return { kind: 'permitted', grant: used };
    const waiting = await rows.pendingGrant(requester.id, fingerprint, nowMs);
    if (waiting !== undefined) {
      rows.record(grantEvent('grant.repeated', waiting, requester.id, nowMs));
      return { kind: 'pending', filed: false, grant: waiting };
    }
    if ((await rows.countPending(requester.id, nowMs)) >= MOST_PENDING_PER_REQUESTER)
      return {
        kind: 'refused',
        refusal: refusal('server.busy', `${MOST_PENDING_PER_REQUESTER} requests wait already; withdraw some`),
      };
    const grant = newGrant(id, requester, body, fingerprint, nowMs);
    await rows.insertGrant(grant);
    rows.record(grantEvent('grant.requested', grant, requester.id, nowMs, { fingerprint }));
    return { kind: 'pending', filed: true, grant };
  });
}

/** Uses the first covering grant that nobody else uses up meanwhile. */
async function useCovering(
  rows: StoreWriter,
  requester: Subject,
  fingerprint: string,
  nowMs: number,
): Promise<Grant | null> {
  for (;;) {
    const [grant] = await rows.coveringGrants(requester.id, fingerprint, nowMs);
    if (grant === undefined) return null;
    const used = transition(grant, { kind: 'use' }, nowMs);
    if (!used.ok) return null;
    if (!(await rows.replaceGrant(used.value))) continue;
    rows.record(grantEvent('grant.used', used.value, requester.id, nowMs, { uses: used.value.uses }));
    return used.value;
  }
}

function newGrant(id: string, requester: Subject, body: AskBody, fingerprint: string, nowMs: number): Grant {
  return {
    id,
    version: 1,
    state: 'pending',
    requesterId: requester.id,
    requesterName: requester.name,
    request: body.request,
    fingerprint,
    reason: body.reason ?? null,
    proposedTerm: body.proposedTerm ?? { kind: 'once' },
    term: null,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + PENDING_LIFETIME_MS,
    decidedAtMs: null,
    decidedBy: null,
    denyReason: null,
    usedAtMs: null,
    uses: 0,
    revokedAtMs: null,
  };
}
