/** What the kernel must hold a line to that standing scopes cover: what each of them was shown to let its part of it do. */

import { type Confinement, type ConfinementLevel, UNCONFINED, type Unconfined } from '../confinement/confinement.ts';
import { confinementOf } from '../confinement/hold-line.ts';
import type { Hold } from '../confinement/hold-required.ts';
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { CommandScope } from './command-scope.ts';
import { compileScope } from './compiled-scope.ts';
import type { Candidate, LineCoverage } from './cover-line.ts';
import { holdBy, isImplied } from './covers-required.ts';

/** What the line that a scope is offered for would be held to. */
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
 * @param level of the host: a line is held to all that its kernel can, also where its scopes demand less
 * @returns null where a part of the line has no scope that says what to hold it to: then nothing covers it
 */
export function confineCovered(
  requiredPermissions: readonly RequiredPermission[],
  { by }: LineCoverage & { readonly kind: 'covered' },
  candidates: readonly Candidate[],
  level: ConfinementLevel,
): Confinement | Unconfined | null {
  if (level === 0) return UNCONFINED; // their own level is 0, or they would not cover it
  const scopes = new Map(candidates.map(({ grantId, scope }) => [grantId, scope]));
  const holds: Hold[] = [];
  for (const [at, required] of requiredPermissions.entries()) {
    if (isImplied(required)) continue;
    const scope = scopes.get(by[at] ?? '');
    const compiled = scope === undefined ? null : compileScope(scope);
    const hold = compiled === null ? null : holdBy(compiled, required);
    if (hold === null) return null;
    holds.push(hold);
  }
  return confinementOf(holds, level);
}
