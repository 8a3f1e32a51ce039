/** The confinement of a line that standing grants cover: each command may do what the approver of its grant was shown. */

import type { CommandNeeds } from '../confinement/command-needs.ts';
import { type Confinement, type ConfinementLevel, UNCONFINED, type Unconfined } from '../confinement/confinement.ts';
import { confinementOfLine } from '../confinement/line-confinement.ts';
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { CommandScope } from './command-scope.ts';
import { compileScope } from './compiled-scope.ts';
import type { Candidate, LineCoverage } from './cover-line.ts';
import { isImplied, needsIfCovered } from './covers-required.ts';

/** Computes the confinement that a line would have if this scope alone covered it, to show it with an offered scope. */
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
 * @param level what the host reaches: its kernel confines the line as far as it can, even if the scopes demand less
 * @returns null if no scope gives a confinement for some part of the line: the line is then not covered
 */
export function confineCovered(
  requiredPermissions: readonly RequiredPermission[],
  { by }: LineCoverage & { readonly kind: 'covered' },
  candidates: readonly Candidate[],
  level: ConfinementLevel,
): Confinement | Unconfined | null {
  if (level === 0) return UNCONFINED; // the scopes demand level 0, or they would not cover the line
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
