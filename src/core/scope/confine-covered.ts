/** Determines the confinement of a line that standing grants cover. The line may do only what the approvers of these grants were shown. */

import type { CommandNeeds } from '../confinement/command-needs.ts';
import { type Confinement, type ConfinementLevel, UNCONFINED, type Unconfined } from '../confinement/confinement.ts';
import { confinementOfLine } from '../confinement/line-confinement.ts';
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { CommandScope } from './command-scope.ts';
import { compileScope } from './compiled-scope.ts';
import type { Candidate, LineCoverage } from './cover-line.ts';
import { isImplied, needsIfCovered } from './covers-required.ts';

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
export function confineCovered(
  requiredPermissions: readonly RequiredPermission[],
  { by }: LineCoverage & { readonly kind: 'covered' },
  candidates: readonly Candidate[],
  level: ConfinementLevel,
): Confinement | Unconfined | null {
  if (level === 0) return UNCONFINED; // a scope that demands a higher level would not cover the line
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
