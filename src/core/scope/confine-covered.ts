/** Covers a line and determines its confinement. The line may do only what the approvers of the covering grants were shown. */

import type { CommandNeeds } from '../confinement/command-needs.ts';
import { type Confinement, type ConfinementLevel, UNCONFINED, type Unconfined } from '../confinement/confinement.ts';
import { confinementOfLine } from '../confinement/line-confinement.ts';
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { CommandScope } from './command-scope.ts';
import { compileScope } from './compiled-scope.ts';
import type { ScopeFacts } from './conditions.ts';
import { type Candidate, coverLine, type LineCoverage } from './cover-line.ts';
import { isImplied, needsIfCovered } from './covers-required.ts';

/** `unconfinable`: the grants give no confinement for one of the commands that they cover. They then do not cover the line. */
type ConfinedCoverage =
  | (Covered & { readonly confinement: Confinement | Unconfined })
  | Exclude<LineCoverage, Covered>
  | { readonly kind: 'unconfinable' };

type Covered = LineCoverage & { readonly kind: 'covered' };

/** Covers the line with few grants (`coverLine`), and determines its confinement at the level that `facts` reports. */
export function coverAndConfine(
  requiredPermissions: readonly RequiredPermission[],
  candidates: readonly Candidate[],
  facts: ScopeFacts,
): ConfinedCoverage {
  const coverage = coverLine(requiredPermissions, candidates, facts);
  if (coverage.kind === 'uncovered') return coverage;
  const confinement = confineCovered(requiredPermissions, coverage, candidates, facts.confinementLevel);
  return confinement === null ? { kind: 'unconfinable' } : { ...coverage, confinement };
}

/**
 * Returns the confinement of a line that only this scope covers. Approvers see this confinement when the scope is offered. Returns null if
 * the scope gives no confinement for one of the commands.
 */
export const confineUnder = (
  scope: CommandScope,
  requiredPermissions: readonly RequiredPermission[],
  level: ConfinementLevel,
) =>
  confineCovered(
    requiredPermissions,
    { kind: 'covered', by: requiredPermissions.map(() => 'this'), grantIds: ['this'] },
    [{ grantId: 'this', scope }],
    level,
  );

/**
 * Returns the confinement of the whole line.
 * @param level the level that the host reaches. The line is confined at this level, even if the scopes demand a lower level
 * @param candidates must contain every grant that `by` names
 * @returns null if the covering scope of a command gives no confinement for this command. The grants then do not cover the line
 */
function confineCovered(
  requiredPermissions: readonly RequiredPermission[],
  { by }: Covered,
  candidates: readonly Candidate[],
  level: ConfinementLevel,
): Confinement | Unconfined | null {
  if (level === 0) return UNCONFINED; // at level 0, only a scope that demands level 0 covers a line
  const scopes = new Map(candidates.map(({ grantId, scope }) => [grantId, scope]));
  const needs: CommandNeeds[] = [];
  for (const [at, required] of requiredPermissions.entries()) {
    if (isImplied(required)) continue;
    const scope = scopes.get(by[at] ?? '');
    const compiled = scope === undefined ? null : compileScope(scope);
    const covered = compiled === null ? null : needsIfCovered(compiled, required);
    if (covered === null) return null;
    needs.push(covered);
  }
  return confinementOfLine(needs, level);
}
