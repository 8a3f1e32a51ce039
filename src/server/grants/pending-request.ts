/** Files a request, so that an approver can decide it. A request that already waits is not filed again. */
import { isAssessable } from '../../core/effects/assess-request.ts';
import { assessmentView, viewWithDeciding } from '../../core/effects/assessment-view.ts';
import type { HostFacts } from '../../core/effects/host-facts.ts';
import { needsMatch, shownRisk } from '../../core/effects/shown-risk.ts';
import { grantEvent } from '../../core/grant/audit-event.ts';
import { type Grant, PENDING_LIFETIME_MS } from '../../core/grant/grant.ts';
import { newMatch } from '../../core/grant/grant-match.ts';
import type { EnvironmentEntry } from '../../core/grant/request.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { AskBody } from '../../core/wire/ask.ts';
import type { PlanHostFacts, StoreWriter, Subject } from '../../store/store.ts';
import { MAX_PENDING_BYTES_PER_REQUESTER, MAX_PENDING_PER_REQUESTER } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import type { AskOutcome } from './ask-outcome.ts';
import type { Asked } from './asked.ts';
import { callView } from './call-scopes.ts';
import { newlyDeciding } from './newly-deciding.ts';

type Pending = Extract<AskOutcome, { kind: 'pending' }>;

/** Files the request, or returns the waiting grant of the same request. */
export async function fileRequest(
  parts: Pick<ServerParts, 'clock' | 'random' | 'mcpRules'>,
  rows: StoreWriter,
  asked: Asked,
): Promise<Result<Pending, Refusal>> {
  const nowMs = parts.clock.nowMs();
  const { findings = null } = asked.body;
  return (
    (await pendingGrantFor(rows, asked, nowMs)) ??
    fileGrant(parts, rows, asked, {
      nowMs,
      grant: {},
      hostFacts: isAssessable(asked.request) ? findings : null,
      needsNumber: needsNumberWhenFiled(asked, parts.mcpRules, await newlyDeciding(rows, asked)),
    })
  );
}

/**
 * A request or a plan to file.
 * @property newId the id for a new grant
 */
export interface Filed {
  readonly requester: Subject;
  readonly fingerprint: string;
  readonly body: Pick<AskBody, 'request' | 'reason' | 'proposedTerm' | 'touches' | 'sealedOnly' | 'pin' | 'batches'>;
  readonly newId: string;
}

/**
 * Returns the waiting grant of the same request; null if no such grant waits. Stores the new demands of the host (`withDemand`), and
 * records the repetition. The reason, the proposed term and the impact preview stay as they are.
 */
export async function pendingGrantFor(
  rows: StoreWriter,
  { requester, fingerprint, body }: Filed,
  nowMs: number,
): Promise<Result<Pending, Refusal> | null> {
  const known = await rows.pendingGrant(requester.id, fingerprint, nowMs);
  if (known === undefined) return null;
  const waiting = await withDemand(rows, known, body);
  rows.record(grantEvent('grant.repeated', waiting, requester.id, nowMs));
  const match = (await rows.match(waiting.id))?.number ?? null;
  return success({ kind: 'pending', filed: false, grant: waiting, match });
}

/**
 * Stores changed demands of the host as a new version of the grant. So an approver cannot decide on a card with the old demands. The
 * demands say whether the host takes only sealed approvals, where the host keeps its pin, and whether the host verifies seals of batches.
 * If `body` has no `pin`, the earlier value stays.
 */
async function withDemand(rows: StoreWriter, known: Grant, body: Filed['body']): Promise<Grant> {
  const { sealedOnly: _, batches: __, ...rest } = known;
  const next = { ...rest, ...demandOf(body), version: known.version + 1 };
  const isSame = known.sealedOnly === body.sealedOnly && known.pin === next.pin && known.batches === body.batches;
  if (isSame) return known;
  return (await rows.replaceGrant(next)) ? next : known;
}

const demandOf = ({ sealedOnly, pin, batches }: Filed['body']): Pick<Grant, 'sealedOnly' | 'pin' | 'batches'> => ({
  ...(sealedOnly === undefined ? {} : { sealedOnly }),
  ...(pin === undefined ? {} : { pin }),
  ...(batches === undefined ? {} : { batches }),
});

/**
 * @property grant       members that a plan sets; `expiresAtMs` counts only if it is earlier than the usual end
 * @property needsNumber whether the approver has to pick a number (`needsMatch`)
 */
interface Filing {
  readonly nowMs: number;
  readonly grant: Partial<Pick<Grant, 'partUses' | 'expiresAtMs'>>;
  readonly hostFacts: HostFacts | PlanHostFacts | null;
  readonly needsNumber: boolean;
}

/**
 * Stores a new pending grant. If the approver has to pick a number, also stores the number. Refuses if too many requests of the requester
 * wait, or if these requests are too long together. Call `pendingGrantFor` first: `fileGrant` does not look for a waiting grant of the same
 * request.
 */
export async function fileGrant(
  { random }: Pick<ServerParts, 'random'>,
  rows: StoreWriter,
  filed: Filed,
  { nowMs, grant: other, hostFacts, needsNumber }: Filing,
): Promise<Result<Pending, Refusal>> {
  const { requester, fingerprint, body } = filed;
  const waiting = await rows.pendingOf(requester.id, nowMs);
  if (waiting.count >= MAX_PENDING_PER_REQUESTER)
    return failed(refusal('server.too_many', `${MAX_PENDING_PER_REQUESTER} requests wait already; withdraw some`));
  const bytes = Buffer.byteLength(JSON.stringify(body.request));
  if (waiting.bytes + bytes > MAX_PENDING_BYTES_PER_REQUESTER)
    return failed(refusal('server.too_many', 'the waiting requests are too large in total; withdraw some'));
  const usual = newGrant(filed, nowMs);
  const expiresAtMs = Math.min(usual.expiresAtMs, other.expiresAtMs ?? usual.expiresAtMs);
  const grant = { ...usual, ...other, expiresAtMs };
  await rows.insertGrant(grant, hostFacts);
  rows.record(grantEvent('grant.requested', grant, requester.id, nowMs, { fingerprint }));
  const match = needsNumber ? newMatch(grant.id, random) : null;
  if (match !== null) await rows.insertMatch(match);
  return success({ kind: 'pending', filed: true, grant, match: match?.number ?? null });
}

/**
 * Whether the approver has to pick a number. The answer depends on the assessment at the time of the filing. For the decision, the server
 * assesses the request again.
 */
function needsNumberWhenFiled(
  { request, assessment }: Asked,
  mcpRules: ServerParts['mcpRules'],
  deciding: readonly EnvironmentEntry[],
): boolean {
  const view = assessment === null ? callView(mcpRules, request) : assessmentView(assessment);
  return needsMatch(shownRisk(request, view && viewWithDeciding(view, deciding)));
}

function newGrant({ newId, requester, body, fingerprint }: Filed, nowMs: number): Grant {
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
    ...demandOf(body),
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
