/**
 * Covers a line that has no approval of its own. Uses the scopes of standing grants, of plans, and of policies that allow reading. Counts
 * one use of each grant, plan and policy that is needed for the line.
 */

import type { Confinement, ConfinementLevel, Unconfined } from '../../core/confinement/confinement.ts';
import type { Assessment } from '../../core/effects/assess-line.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { earliestTerm, type Grant, hasNeededSeal, isForCommands, isForPlan, stateAt } from '../../core/grant/grant.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { grantOfKey } from '../../core/plan/plan-scope.ts';
import { scopeFactsOf } from '../../core/scope/conditions.ts';
import { coverAndConfine } from '../../core/scope/confine-covered.ts';
import type { Candidate } from '../../core/scope/cover-line.ts';
import { missOf } from '../../core/scope/covers-required.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { PermitSeal, SealedDecision, SealedPolicy } from '../../core/wire/sealed.ts';
import type { StoreWriter } from '../../store/store.ts';
import { livePlans, planCandidates } from './cover-by-plan.ts';
import type { StandingIndex } from './standing-index.ts';
import { cutText, sealIn, type Use, useGrant } from './use.ts';

/** @property assessment the assessment by the server's rule files; no scope covers an opaque line */
export interface AssessedRequest {
  readonly request: ExecutionRequest;
  readonly requesterId: string;
  readonly fingerprint: string;
  readonly assessment: Assessment;
  /** The real path of the request's directory, as the requester's host found this path. */
  readonly cwd: string;
  /** The confinement level that the request's host reported. */
  readonly confinementLevel: ConfinementLevel;
  /** Whether the request's host takes sealed approvals only. */
  readonly isSealedOnly: boolean;
}

/**
 * Counts and records one use of each grant and policy that is needed to cover the request. Returns null, and counts nothing, if the request
 * is not covered.
 *
 * Finds the grants and policies in the index in memory, locks their rows in the database, and checks the coverage again with these rows.
 * So a grant that was revoked, ended or used up a moment ago does not count.
 *
 * Does not check the rules that forbid, or whether the requester is paused.
 * @param standing the caller has called `catchUp` in this transaction
 */
export async function useStandingGrants(
  rows: StoreWriter,
  standing: StandingIndex,
  asked: AssessedRequest,
  nowMs: number,
): Promise<Use | null> {
  const { requiredPermissions, opaque } = asked.assessment;
  if (requiredPermissions === null || requiredPermissions.length === 0 || opaque.length > 0) return null;
  const facts = scopeFactsOf(asked.request, nowMs, asked.cwd, asked.confinementLevel);
  for (;;) {
    // Plans come first. If a standing scope covered the line, the part of the plan would stay unused. In a plan whose parts have an order,
    // the next part would then never open.
    const plans = await livePlans(rows, standing, asked, nowMs);
    const byPlan = planCandidates(plans, requiredPermissions);
    const rest = requiredPermissions.filter((required) =>
      byPlan.every(({ scope }) => missOf(scope, required, facts) !== null),
    );
    const found =
      rest.length === 0
        ? { kind: 'covered' as const, grantIds: [] }
        : await standing.coverageOf(rows, asked.requesterId, rest, facts, asked.isSealedOnly);
    if (found.kind === 'uncovered') return null;
    const planIds = byPlan.length === 0 ? [] : plans.map(({ id }) => id);
    const locked = await lockGrants(rows, asked, [...planIds, ...found.grantIds], nowMs);
    const again = coverAndConfine(requiredPermissions, locked.candidates, facts);
    if (again.kind === 'unconfinable') return null;
    if (again.kind === 'covered') {
      await useAll(rows, asked, locked, again.grantIds, nowMs);
      return useOfAll(asked, locked, again.grantIds, again.confinement);
    }
    const alive = new Set([...locked.grants.keys(), ...locked.candidates.map(({ grantId }) => grantId)]);
    const gone = [...planIds, ...found.grantIds].filter((id) => !alive.has(id));
    if (gone.length === 0 && !isPlanChanged(plans, locked)) return null; // all grants still count, and they do not cover the line
    for (const id of gone) standing.forget(id);
  }
}

/**
 * The locked rows that count now.
 * @property candidates the scopes of these rows
 * @property seals      the seals, by the id of the grant or policy
 */
interface LockedGrants {
  readonly grants: ReadonlyMap<string, Grant>;
  readonly candidates: readonly Candidate[];
  readonly seals: ReadonlyMap<string, PermitSeal>;
}

async function lockGrants(
  rows: StoreWriter,
  { requesterId, isSealedOnly, assessment }: AssessedRequest,
  ids: readonly string[],
  nowMs: number,
): Promise<LockedGrants> {
  const seals = new Map<string, PermitSeal>();
  const keepSeal = (id: string, sealed: SealedDecision | SealedPolicy | undefined): void => {
    const seal = sealIn(sealed);
    if (seal !== null) seals.set(id, seal);
  };
  const grants = new Map<string, Grant>();
  const candidates: Candidate[] = [];
  for (const grant of await rows.holdGrants(ids.filter((id) => !isPolicy(id)))) {
    if (grant.requesterId !== requesterId || stateAt(grant, nowMs) !== 'approved') continue;
    if (!isForCommands(grant.scope) && !isForPlan(grant.scope)) continue;
    if (!hasNeededSeal(grant, isSealedOnly)) continue;
    keepSeal(grant.id, grant.sealed);
    grants.set(grant.id, grant);
    if (isForCommands(grant.scope)) candidates.push({ grantId: grant.id, scope: grant.scope });
  }
  for (const policy of await rows.holdPolicies(ids.filter(isPolicy))) {
    if (policy.effect !== 'allow-reading' || policy.endedAtMs !== null || policy.requesterId !== requesterId) continue;
    if (!hasNeededSeal(policy, isSealedOnly)) continue;
    keepSeal(policy.id, policy.sealed);
    candidates.push({ grantId: policy.id, scope: policy.rule });
  }
  const byPlan = planCandidates([...grants.values()], assessment.requiredPermissions ?? []);
  return { grants, candidates: [...byPlan, ...candidates], seals };
}

/** Whether a plan was used or changed after it was read. In this case the search has to start again. */
const isPlanChanged = (plans: readonly Grant[], { grants }: LockedGrants): boolean =>
  plans.some(({ id, version }) => grants.has(id) && grants.get(id)?.version !== version);

const isPolicy = (id: string): boolean => id.startsWith('p_');

async function useAll(
  rows: StoreWriter,
  { request, requesterId, fingerprint, confinementLevel }: AssessedRequest,
  { grants }: LockedGrants,
  keys: readonly string[],
  nowMs: number,
): Promise<void> {
  const line = cutText(request.text);
  const { grantIds, partsOf } = grantsOf(keys);
  const others = (id: string): string => grantIds.filter((other) => other !== id).join(' ');
  for (const id of grantIds.filter(isPolicy)) {
    if (!(await rows.usePolicy(id))) throw new Error(`policy ${id} changed while it was held`);
    rows.record(
      plainEvent('policy.used', requesterId, nowMs, {
        policyId: id,
        fingerprint,
        line,
        others: others(id),
        confinement: confinementLevel,
      }),
    );
  }
  for (const id of grantIds.filter((grantId) => !isPolicy(grantId))) {
    const grant = grants.get(id);
    const facts = { fingerprint, line, others: others(id), confinement: confinementLevel };
    if (grant === undefined || (await useGrant(rows, grant, nowMs, facts, partsOf(id))) !== 'used')
      throw new Error(`grant ${id} changed while it was held`);
  }
}

function useOfAll(
  { requesterId, fingerprint }: AssessedRequest,
  locked: LockedGrants,
  keys: readonly string[],
  confinement: Confinement | Unconfined,
): Use {
  const titles = new Map(locked.candidates.map(({ grantId, scope }) => [grantId, scopeTitle(scope)]));
  const { grantIds } = grantsOf(keys);
  const terms = grantIds.map((id) => locked.grants.get(id)?.term ?? { kind: 'always' as const });
  return {
    grantId: grantIds[0] ?? '',
    requesterId,
    fingerprint,
    term: earliestTerm(terms),
    scope: null,
    coveredBy: keys.map((key) => {
      const { grantId, part } = grantOfKey(key);
      return { grantId, title: titles.get(key) ?? grantId, ...(part === null ? {} : { part }) };
    }),
    confinement,
    seals: sealsOf(locked, keys),
  };
}

/** Returns one seal for each key; null if the grant or policy of a key has no seal. */
function sealsOf({ seals }: LockedGrants, keys: readonly string[]): readonly PermitSeal[] | null {
  const found = keys.flatMap((key) => seals.get(grantOfKey(key).grantId) ?? []);
  return found.length === keys.length ? found : null;
}

/**
 * Splits the keys into ids and parts. A key names a grant, a policy, or a part of a plan. `grantIds` contains each id once. `partsOf`
 * returns the parts of a plan that the keys name.
 */
function grantsOf(keys: readonly string[]) {
  const parts = new Map<string, number[]>();
  for (const { grantId, part } of keys.map(grantOfKey)) {
    const earlier = parts.get(grantId) ?? [];
    parts.set(grantId, part === null ? earlier : [...earlier, part]);
  }
  return { grantIds: [...parts.keys()], partsOf: (id: string): readonly number[] => parts.get(id) ?? [] };
}
