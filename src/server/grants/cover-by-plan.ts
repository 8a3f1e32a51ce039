/**
 * Finds the plans that cover a line, in one of two ways:
 * - One part of a plan was approved for exactly this line.
 * - Parts that have a scope cover the commands of the line, alone or together with standing grants.
 */
import type { RequiredPermission } from '../../core/effects/assess-line.ts';
import { type Grant, hasNeededSeal, isForPlan, stateAt } from '../../core/grant/grant.ts';
import { openParts, partKey } from '../../core/plan/plan-scope.ts';
import type { CommandScope } from '../../core/scope/command-scope.ts';
import type { Candidate } from '../../core/scope/cover-line.ts';
import { isImplied } from '../../core/scope/covers-required.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import type { Asked } from './asked.ts';
import type { StandingIndex } from './standing-index.ts';
import { cutText, sealIn, type Use, useGrant } from './use.ts';

/**
 * The requester whose plans count.
 * @property isSealedOnly whether only plans with a seal count
 */
interface PlanOwner {
  readonly requesterId: string;
  readonly isSealedOnly: boolean;
}

/** Whether this grant is a plan that covers lines of this requester now. */
const isLivePlan = (grant: Grant, { requesterId, isSealedOnly }: PlanOwner, nowMs: number): boolean =>
  grant.requesterId === requesterId &&
  isForPlan(grant.scope) &&
  stateAt(grant, nowMs) === 'approved' &&
  hasNeededSeal(grant, isSealedOnly);

/** Returns the parts that can be used now; an empty list if the grant is no plan. */
const partsOpenIn = ({ scope, partUses = [] }: Grant) => (isForPlan(scope) ? openParts(scope, partUses) : []);

/** Returns a candidate for each part of these plans that has a scope, can be used now, and fits the line (`fitsPart`). */
export const planCandidates = (
  plans: readonly Grant[],
  required: readonly RequiredPermission[],
): readonly Candidate[] =>
  plans.flatMap((plan) =>
    partsOpenIn(plan).flatMap(({ part, scope }) =>
      scope === null || !fitsPart(required, scope) ? [] : [{ grantId: partKey(plan.id, part), scope }],
    ),
  );

/**
 * Whether a part with this scope is a candidate for a line. Does not check whether the scope covers the line.
 * If all commands of a line are implied (`cd`, `echo` and the like), any scope whose conditions are fulfilled covers the line. Such
 * a line must not use up a part that the requester needs for a command that changes something. So the line fits only a scope that has
 * a pattern for `reading`.
 */
export const fitsPart = (required: readonly RequiredPermission[], scope: CommandScope): boolean =>
  !required.every(isImplied) || scope.patterns.some(({ operations }) => 'reading' in operations);

/** Uses an open part of a plan that was approved for exactly these bytes. Returns null if no plan has such a part. */
export async function useExactPart(
  rows: StoreWriter,
  standing: StandingIndex,
  { requesterId, fingerprint, request, body }: Asked,
  nowMs: number,
): Promise<Use | null> {
  const owner = { requesterId, isSealedOnly: body.sealedOnly === true };
  for (const grant of await lockedPlans(rows, standing, owner, nowMs)) {
    const { term } = grant;
    const part = exactPartIn(grant, fingerprint);
    if (part === undefined || term === null) continue;
    const facts = { fingerprint, line: cutText(request.text) };
    if ((await useGrant(rows, grant, nowMs, facts, [part])) !== 'used') continue;
    const seal = sealIn(grant.sealed);
    return {
      grantId: grant.id,
      requesterId,
      fingerprint,
      term,
      scope: null,
      coveredBy: null,
      confinement: null,
      seals: seal === null ? null : [seal],
      part,
    };
  }
  return null;
}

/**
 * Returns the part that `useExactPart` would use, but does not use the part. Returns null if no plan has such a part. The result is for
 * explanations.
 * @param plans the result of `livePlans`
 */
export function exactPartOf(plans: readonly Grant[], fingerprint: string) {
  for (const plan of plans) {
    const part = exactPartIn(plan, fingerprint);
    if (part !== undefined) return { grantId: plan.id, title: 'exactly this', part };
  }
  return null;
}

/** Returns the number of the open part that was approved for exactly these bytes. */
const exactPartIn = (plan: Grant, fingerprint: string): number | undefined =>
  partsOpenIn(plan).find((part) => part.scope === null && part.fingerprint === fingerprint)?.part;

async function lockedPlans(
  rows: StoreWriter,
  standing: StandingIndex,
  owner: PlanOwner,
  nowMs: number,
): Promise<readonly Grant[]> {
  const ids = await standing.plansOf(rows, owner.requesterId, nowMs);
  const locked = await rows.holdGrants(ids);
  for (const grant of locked) if (stateAt(grant, nowMs) !== 'approved') standing.forget(grant.id);
  return locked.filter((grant) => isLivePlan(grant, owner, nowMs)).sort((a, b) => a.createdAtMs - b.createdAtMs);
}

/**
 * Returns the plans that cover lines now, the oldest first. Reads the plans without a lock. So a transaction has to lock a plan before
 * the transaction uses the plan. Removes ended plans from the index.
 */
export async function livePlans(
  rows: StoreReader,
  standing: StandingIndex,
  owner: PlanOwner,
  nowMs: number,
): Promise<readonly Grant[]> {
  const found: Grant[] = [];
  for (const id of await standing.plansOf(rows, owner.requesterId, nowMs)) {
    const grant = await rows.grant(id);
    // A live plan stays in the index even if it lacks the seal for this call. Another call may accept the plan without a seal.
    if (grant === undefined || stateAt(grant, nowMs) !== 'approved') standing.forget(id);
    else if (isLivePlan(grant, owner, nowMs)) found.push(grant);
  }
  return found.sort((a, b) => a.createdAtMs - b.createdAtMs);
}
