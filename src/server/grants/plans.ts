/** `POST /v1/plans`: files a plan. The plan covers no line before an approver approves it. */
import { viewWithDeciding } from '../../core/effects/assessment-view.ts';
import { needsMatch, shownRisk } from '../../core/effects/shown-risk.ts';
import { type Grant, hasNeededSeal, isForPlan, stateAt } from '../../core/grant/grant.ts';
import { canonicalRequest } from '../../core/grant/request.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { PlanBody } from '../../core/wire/plan-body.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { newId } from '../identity/secrets.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { applyPolicy, refuseByPolicy } from './apply-policy.ts';
import type { AskOutcome } from './ask-outcome.ts';
import { newlyDeciding } from './newly-deciding.ts';
import { stoppedRefusal } from './pauses.ts';
import { fileGrant, pendingGrantFor } from './pending-request.ts';
import { firstFault, planView, type ReadPart, readParts } from './plan-reading.ts';

type Pending = Extract<AskOutcome, { kind: 'pending' }>;
/** `approved`: the same plan was filed before, and is approved now. */
export type PlanOutcome = Pending | { readonly kind: 'approved'; readonly grant: Grant };

/**
 * Files a plan. If the same plan is already approved or pending, returns its grant, and files no new plan. If the host demands seals
 * (`sealedOnly`), an approved grant without a seal does not count. Refuses a plan in these cases:
 * - a part cannot be planned, or a rule forbids a part
 * - the requester is paused or revoked
 * - the pending requests of the requester are too many, or too long together
 */
export async function filePlanOf(
  parts: ServerParts,
  requester: Subject,
  body: PlanBody,
): Promise<Result<PlanOutcome, Refusal>> {
  const { request, findings } = body;
  const fingerprint = sha256Hex(canonicalRequest(request));
  const read = await readParts(parts, request, findings);
  const fault = firstFault(read);
  if (fault !== null) return failed(refusal('plan.unfit', fault.message));
  const id = newId('g', parts.random);
  return change<PlanOutcome>(parts, async (rows) => {
    await rows.lockRequest(requester.id, fingerprint);
    const nowMs = parts.clock.nowMs();
    const stopped = await stoppedRefusal(rows, requester.id);
    if (stopped !== null) return failed(stopped);
    const forbidden = await forbiddenPart(parts, rows, requester, read);
    if (forbidden !== null) return failed(forbidden);
    const live = await livePlan(rows, requester.id, fingerprint, body, nowMs);
    if (live !== undefined) return success({ kind: 'approved', grant: live });
    const asked = { requester, fingerprint, body, newId: id };
    const deciding = await newlyDeciding(rows, { requesterId: requester.id, request });
    return (
      (await pendingGrantFor(rows, asked, nowMs)) ??
      fileGrant(parts, rows, asked, {
        nowMs,
        grant: { partUses: read.map(() => 0), expiresAtMs: endOf(body) },
        hostFacts: findings,
        needsNumber: needsMatch(shownRisk(request, viewWithDeciding(planView(request, read), deciding))),
      })
    );
  });
}

/** Returns the fixed end of the plan; infinity if the plan has no fixed end. After this end, an approver cannot decide the plan. */
const endOf = ({ request: { plan } }: PlanBody): number =>
  plan !== undefined && 'untilMs' in plan.end ? plan.end.untilMs : Number.POSITIVE_INFINITY;

async function forbiddenPart(
  parts: ServerParts,
  rows: StoreWriter,
  requester: Subject,
  read: readonly ReadPart[],
): Promise<Refusal | null> {
  for (const [at, { request, assessment }] of read.entries()) {
    const policy = await applyPolicy(parts, rows, { requesterId: requester.id, request, assessment });
    if (policy.kind !== 'forbidden') continue;
    const about = { requesterId: requester.id, request, fingerprint: sha256Hex(canonicalRequest(request)) };
    const { code, message } = await refuseByPolicy(rows, policy.rule, about, parts.clock.nowMs());
    return refusal(code, `part ${at + 1}: ${message}`);
  }
  return null;
}

async function livePlan(
  rows: StoreReader,
  requesterId: string,
  fingerprint: string,
  { sealedOnly }: PlanBody,
  nowMs: number,
) {
  const found = await rows.coveringGrants(requesterId, fingerprint, nowMs);
  return found.find(
    (grant) =>
      isForPlan(grant.scope) && hasNeededSeal(grant, sealedOnly === true) && stateAt(grant, nowMs) === 'approved',
  );
}
