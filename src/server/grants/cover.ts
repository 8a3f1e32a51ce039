/** Covers a line that has no approval of its own by standing scopes: by several together, each of which is then used, or by none. */

import type { Confinement, ConfinementLevel, Unconfined } from '../../core/confinement/confinement.ts';
import type { Assessment } from '../../core/effects/assess-line.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { type Grant, isForCommands, stateAt, type Term } from '../../core/grant/grant.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { factsOf } from '../../core/scope/conditions.ts';
import { confineCovered } from '../../core/scope/confine-covered.ts';
import { type Candidate, coverLine } from '../../core/scope/cover-line.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { PermitSeal, SealedDecision, SealedPolicy } from '../../core/wire/sealed.ts';
import type { StoreWriter } from '../../store/store.ts';
import type { StandingIndex } from './standing-index.ts';
import { cutText, sealIn, type Use, useGrant } from './use.ts';

/** @property assessment by the server's rules; opaque lines are covered by nothing */
export interface AssessedRequest {
  readonly request: ExecutionRequest;
  readonly requesterId: string;
  readonly fingerprint: string;
  readonly assessment: Assessment;
  /** The request's directory with its links followed, as its host found it. */
  readonly cwd: string;
  /** What its host said it holds. */
  readonly confinementLevel: ConfinementLevel;
  /** Its host takes sealed approvals only. */
  readonly isSealedOnly: boolean;
}

/**
 * Finds the grants in memory, locks their rows in the database and checks the coverage again with these: what was revoked, has
 * ended or was used up a moment ago does not count. Null: not covered.
 */
export async function useStandingGrants(
  rows: StoreWriter,
  standing: StandingIndex,
  asked: AssessedRequest,
  nowMs: number,
): Promise<Use | null> {
  const { demands: requiredPermissions, opaque } = asked.assessment;
  if (requiredPermissions === null || requiredPermissions.length === 0 || opaque.length > 0) return null;
  const facts = factsOf(asked.request, nowMs, asked.cwd, asked.confinementLevel);
  for (;;) {
    const found = await standing.coverageOf(rows, asked.requesterId, requiredPermissions, facts, asked.isSealedOnly);
    if (found.kind === 'uncovered') return null;
    const held = await hold(rows, asked, found.grantIds, nowMs);
    const again = coverLine(requiredPermissions, held.candidates, facts);
    if (again.kind === 'covered') {
      const confinement = confineCovered(requiredPermissions, again, held.candidates, asked.confinementLevel);
      if (confinement === null) return null;
      await useAll(rows, asked, held, again.grantIds, nowMs);
      return useOfAll(asked, held, again.grantIds, confinement);
    }
    const alive = new Set(held.candidates.map(({ grantId }) => grantId));
    const gone = found.grantIds.filter((id) => !alive.has(id));
    if (gone.length === 0) return null; // all of them still count, and they do not cover it
    for (const id of gone) standing.forget(id);
  }
}

/** @property candidates only those that count at this moment, as they are now */
interface Held {
  readonly grants: ReadonlyMap<string, Grant>;
  readonly candidates: readonly Candidate[];
  readonly seals: ReadonlyMap<string, PermitSeal>;
}

async function hold(
  rows: StoreWriter,
  { requesterId, isSealedOnly }: AssessedRequest,
  ids: readonly string[],
  nowMs: number,
): Promise<Held> {
  const seals = new Map<string, PermitSeal>();
  const counts = (id: string, sealed: SealedDecision | SealedPolicy | undefined): boolean => {
    const seal = sealIn(sealed);
    if (seal !== null) seals.set(id, seal);
    return seal !== null || !isSealedOnly;
  };
  const grants = new Map<string, Grant>();
  const candidates: Candidate[] = [];
  for (const grant of await rows.holdGrants(ids.filter((id) => !isPolicy(id)))) {
    if (grant.requesterId !== requesterId || stateAt(grant, nowMs) !== 'approved' || !isForCommands(grant.scope))
      continue;
    if (!counts(grant.id, grant.sealed)) continue;
    grants.set(grant.id, grant);
    candidates.push({ grantId: grant.id, scope: grant.scope });
  }
  for (const policy of await rows.holdPolicies(ids.filter(isPolicy)))
    if (
      policy.effect === 'allow-reading' &&
      policy.endedAtMs === null &&
      policy.requesterId === requesterId &&
      counts(policy.id, policy.sealed)
    )
      candidates.push({ grantId: policy.id, scope: policy.rule });
  return { grants, candidates, seals };
}

const isPolicy = (id: string): boolean => id.startsWith('p_');

async function useAll(
  rows: StoreWriter,
  { request, requesterId, fingerprint, confinementLevel }: AssessedRequest,
  { grants }: Held,
  ids: readonly string[],
  nowMs: number,
): Promise<void> {
  const line = cutText(request.text);
  const others = (id: string): string => ids.filter((other) => other !== id).join(' ');
  for (const id of ids.filter(isPolicy)) {
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
  for (const id of ids.filter((each) => !isPolicy(each))) {
    const grant = grants.get(id);
    const facts = { fingerprint, line, others: others(id), confinement: confinementLevel };
    if (grant === undefined || (await useGrant(rows, grant, nowMs, facts)) !== 'used')
      throw new Error(`grant ${id} changed while it was held`);
  }
}

function useOfAll(
  { requesterId, fingerprint }: AssessedRequest,
  held: Held,
  ids: readonly string[],
  confinement: Confinement | Unconfined,
): Use {
  const titles = new Map(held.candidates.map(({ grantId, scope }) => [grantId, scopeTitle(scope)]));
  const terms = ids.map((id) => held.grants.get(id)?.term ?? { kind: 'always' as const });
  return {
    grantId: ids[0] ?? '',
    requesterId,
    fingerprint,
    term: shortestOf(terms),
    scope: null,
    coveredBy: ids.map((id) => ({ grantId: id, title: titles.get(id) ?? id })),
    confinement,
    seals: sealsOf(held, ids),
  };
}

/** Null where one of them has none. */
function sealsOf({ seals }: Held, ids: readonly string[]): readonly PermitSeal[] | null {
  const each = ids.flatMap((id) => seals.get(id) ?? []);
  return each.length === ids.length ? each : null;
}

/** The line may run as long as all of them hold. */
function shortestOf(terms: readonly Term[]): Term {
  const ends = terms.flatMap((term) => (term.kind === 'timed' ? [term.untilMs] : []));
  return ends.length === 0 ? { kind: 'always' } : { kind: 'timed', untilMs: Math.min(...ends) };
}
