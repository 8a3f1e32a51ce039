/**
 * Finds the standing grants that together cover a line. If the line has a command that no grant covers, the result tells why each grant
 * does not cover this command. If the line has several such commands, the result is about the first one.
 */

import { givesCodeMoreRights } from '../confinement/code-beside.ts';
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { CommandScope } from './command-scope.ts';
import { compileScope } from './compiled-scope.ts';
import type { ScopeFacts } from './conditions.ts';
import { type Miss, missOf, nearness, needsIfCovered } from './covers-required.ts';

/**
 * A candidate possibly covers a line. It is a standing grant, or a policy, or a part of a plan. `coverLine` does not check whether the
 * candidate has ended, or has a use left.
 * @property grantId the id of the grant or policy, or the `partKey` of the part
 */
export interface Candidate {
  readonly grantId: string;
  readonly scope: CommandScope;
}

/**
 * @property by       for each required permission, in order, the grant that covers it
 * @property grantIds each grant of `by` once
 * @property required the first required permission that no candidate covers; null: `coverLine` got no required permissions
 * @property misses   why each candidate does not cover `required`, the nearest candidate first
 *
 * A line is also `uncovered` if code in one command would get the rights of other commands (`givesCodeMoreRights`). `required` is then the
 * first command that runs code, and `misses` has one entry: the grant chosen for that command, with the reason `code-beside`. This check
 * is left out for a host without confinement (level 0).
 */
export type LineCoverage =
  | { readonly kind: 'covered'; readonly by: readonly string[]; readonly grantIds: readonly string[] }
  | {
      readonly kind: 'uncovered';
      readonly required: RequiredPermission | null;
      readonly misses: readonly CandidateMiss[];
    };

interface CandidateMiss extends Candidate {
  readonly miss: Miss;
}

/**
 * Covers the line with few grants. Each step takes the grant that covers the most uncovered permissions. Among equal grants, a grant
 * without a limit of uses comes first; then the order of `candidates` decides.
 */
export function coverLine(
  requiredPermissions: readonly RequiredPermission[],
  candidates: readonly Candidate[],
  facts: ScopeFacts,
): LineCoverage {
  if (requiredPermissions.length === 0) return { kind: 'uncovered', required: null, misses: [] };
  const fitting = candidates.map((candidate) => ({
    candidate,
    covers: new Set(
      requiredPermissions.flatMap((required, at) => (missOf(candidate.scope, required, facts) === null ? [at] : [])),
    ),
  }));
  const missed = requiredPermissions.findIndex((_, at) => !fitting.some(({ covers }) => covers.has(at)));
  const uncovered = missed < 0 ? undefined : requiredPermissions[missed];
  if (uncovered !== undefined)
    return {
      kind: 'uncovered',
      required: uncovered,
      misses: nearestMisses(uncovered, candidates, facts, candidates.length),
    };
  const ordered = [
    ...fitting.filter(({ candidate }) => candidate.scope.mostUses === null),
    ...fitting.filter(({ candidate }) => candidate.scope.mostUses !== null),
  ];
  const by = new Map<number, string>();
  while (by.size < requiredPermissions.length) {
    let best: { readonly grantId: string; readonly adds: readonly number[] } | null = null;
    for (const { candidate, covers } of ordered) {
      const adds = [...covers].filter((at) => !by.has(at));
      if (adds.length > (best?.adds.length ?? 0)) best = { grantId: candidate.grantId, adds };
    }
    for (const at of best?.adds ?? []) by.set(at, best?.grantId ?? '');
  }
  const chosen = requiredPermissions.map((_, at) => by.get(at) ?? '');
  const mixed = facts.confinementLevel === 0 ? null : codeBeside(requiredPermissions, chosen, candidates);
  if (mixed !== null) return mixed;
  return { kind: 'covered', by: chosen, grantIds: [...new Set(chosen)] };
}

/** Returns the `code-beside` result if code in one command would get more rights, otherwise null. Each command must have a chosen grant. */
function codeBeside(
  requiredPermissions: readonly RequiredPermission[],
  chosen: readonly string[],
  candidates: readonly Candidate[],
): LineCoverage | null {
  const scopes = new Map(candidates.map((candidate) => [candidate.grantId, candidate]));
  const held = requiredPermissions.flatMap((required, at) => {
    const candidate = scopes.get(chosen[at] ?? '');
    const compiled = candidate === undefined ? null : compileScope(candidate.scope);
    const needs = compiled === null ? null : needsIfCovered(compiled, required);
    return candidate === undefined || needs === null ? [] : [{ required, candidate, needs }];
  });
  const found = held.find(({ needs }) => needs.runsCode);
  if (found === undefined || !givesCodeMoreRights(held.map(({ needs }) => needs))) return null;
  const miss: Miss = { kind: 'code-beside' };
  return { kind: 'uncovered', required: found.required, misses: [{ ...found.candidate, miss }] };
}

/** Returns why each candidate does not cover the required permission. The nearest candidates come first; at most `most` are returned. */
const nearestMisses = (
  required: RequiredPermission,
  candidates: readonly Candidate[],
  facts: ScopeFacts,
  most: number,
): readonly CandidateMiss[] =>
  candidates
    .flatMap(({ grantId, scope }) => {
      const miss = missOf(scope, required, facts);
      return miss === null ? [] : [{ grantId, scope, miss }];
    })
    .sort((a, b) => nearness(b.miss) - nearness(a.miss))
    .slice(0, most);
