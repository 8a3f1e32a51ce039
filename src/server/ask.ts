/** `POST /v1/requests`: covered and used, waiting already, or filed; all in one transaction. */
import { type AuditFacts, grantEvent } from '../core/audit-event.ts';
import type { Failure } from '../core/failure.ts';
import { scopeReaches } from '../core/file-scope.ts';
import { compareForUse, type Grant, PENDING_LIFETIME_MS, transition } from '../core/grant.ts';
import { canonicalRequest, type ExecutionRequest } from '../core/request.ts';
import type { Result } from '../core/result.ts';
import type { AskBody } from '../core/wire.ts';
import type { StoreWriter, Subject } from '../store/store.ts';
import { type Refusal, refusal } from './refusal.ts';
import { newId, sha256Hex } from './secrets.ts';
import { change, type ServerParts } from './server-ports.ts';

/** One requester cannot bury its approver: more undecided requests than this are turned away. */
export const MOST_PENDING_PER_REQUESTER = 500;

export type AskOutcome =
  /** `fingerprint` is the one of what was asked now; a grant with a scope was given for another. */
  | { readonly kind: 'permitted'; readonly grant: Grant; readonly fingerprint: string }
  | { readonly kind: 'pending'; readonly filed: boolean; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export async function ask(parts: ServerParts, requester: Subject, body: AskBody): Promise<Result<AskOutcome, Failure>> {
  const fingerprint = sha256Hex(canonicalRequest(body.request));
  const id = newId('g', parts.random);
  return change(parts, async (rows): Promise<AskOutcome> => {
    await rows.lockRequest(requester.id, fingerprint);
    const nowMs = parts.clock();
    const used = await useCovering(rows, requester, body.request, fingerprint, nowMs);
    if (used !== null) return { kind: 'permitted', grant: used, fingerprint };
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
  request: ExecutionRequest,
  fingerprint: string,
  nowMs: number,
): Promise<Grant | null> {
  for (;;) {
    const exact = await rows.coveringGrants(requester.id, fingerprint, nowMs);
    const [grant] = [...exact, ...(await reachingGrants(rows, requester, request, nowMs))].sort(compareForUse);
    if (grant === undefined) return null;
    const used = transition(grant, { kind: 'use' }, nowMs);
    if (!used.ok) return null;
    if (!(await rows.replaceGrant(used.value))) continue;
    rows.record(
      grantEvent('grant.used', used.value, requester.id, nowMs, factsOfUse(used.value, request, fingerprint)),
    );
    return used.value;
  }
}

/** The approvals whose path prefix reaches all of this request. */
async function reachingGrants(rows: StoreWriter, requester: Subject, request: ExecutionRequest, nowMs: number) {
  if (request.kind !== 'file') return [];
  const scoped = await rows.scopedGrants(requester.id, nowMs);
  return scoped.filter(({ scope, request: asked }) => scope !== null && scopeReaches(scope, asked, request));
}

const MOST_NAMED_CHARACTERS = 2_000;

/** A use by a path prefix says which files it was for: the grant itself does not tell. */
function factsOfUse(grant: Grant, request: ExecutionRequest, fingerprint: string): AuditFacts {
  if (grant.fingerprint === fingerprint || request.files === undefined) return { uses: grant.uses };
  const named = request.files.map(({ verb, path }) => `${verb} ${path}`).join('\n');
  const cut = named.slice(0, MOST_NAMED_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  return { uses: grant.uses, fingerprint, count: request.files.length, files: cut };
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
    scope: null,
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
