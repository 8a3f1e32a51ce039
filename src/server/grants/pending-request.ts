/** A request that waits for an approver: the one that waits already, or a new one. */
import { isAssessable } from '../../core/effects/assess-request.ts';
import { needsMatch, shownRisk } from '../../core/effects/shown-risk.ts';
import { grantEvent } from '../../core/grant/audit-event.ts';
import { type Grant, PENDING_LIFETIME_MS } from '../../core/grant/grant.ts';
import { newMatch } from '../../core/grant/grant-match.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { StoreWriter } from '../../store/store.ts';
import { MAX_PENDING_BYTES_PER_REQUESTER, MAX_PENDING_PER_REQUESTER } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import type { AskOutcome } from './ask-outcome.ts';
import type { Asked } from './asked.ts';
import { reachView } from './reach.ts';

export async function fileRequest(
  { clock, random, mcpRules }: Pick<ServerParts, 'clock' | 'random' | 'mcpRules'>,
  rows: StoreWriter,
  asked: Asked,
): Promise<Result<AskOutcome, Refusal>> {
  const nowMs = clock.nowMs();
  const { requester, fingerprint, body } = asked;
  const waiting = await rows.pendingGrant(requester.id, fingerprint, nowMs);
  if (waiting !== undefined) {
    rows.record(grantEvent('grant.repeated', waiting, requester.id, nowMs));
    const match = (await rows.match(waiting.id))?.number ?? null;
    return success({ kind: 'pending', filed: false, grant: waiting, match });
  }
  if ((await rows.countPending(requester.id, nowMs)) >= MAX_PENDING_PER_REQUESTER)
    return failed(refusal('server.too_many', `${MAX_PENDING_PER_REQUESTER} requests wait already; withdraw some`));
  const bytes = Buffer.byteLength(JSON.stringify(body.request));
  if ((await rows.pendingBytes(requester.id, nowMs)) + bytes > MAX_PENDING_BYTES_PER_REQUESTER)
    return failed(refusal('server.too_many', 'the requests that wait already are too long together; withdraw some'));
  const grant = newGrant(asked, nowMs);
  await rows.insertGrant(grant, isAssessable(body.request) ? body.findings : null);
  rows.record(grantEvent('grant.requested', grant, requester.id, nowMs, { fingerprint }));
  const match = matchFor(asked, mcpRules) ? newMatch(grant.id, random) : null;
  if (match !== null) await rows.insertMatch(match);
  return success({ kind: 'pending', filed: true, grant, match: match?.number ?? null });
}

/** As it is judged now; what counts is the judgement at the time of the decision. */
const matchFor = ({ request, assessment }: Asked, mcpRules: ServerParts['mcpRules']): boolean =>
  needsMatch(shownRisk(request, assessment ?? reachView(mcpRules, request)));

function newGrant({ newId, requester, body, fingerprint }: Asked, nowMs: number): Grant {
  return {
    id: newId,
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
    confinement: null,
    touches: body.touches ?? null,
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
