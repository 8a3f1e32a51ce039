/** Whether an approver can approve a line by more than its exact bytes, and why not. */
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';
import { APP, assess, factsIn, HOME, NOON, requestOf, world } from './scope-fixture.ts';

export type LineCoverage =
  | { readonly kind: 'coverable' }
  | { readonly kind: 'exact only'; readonly reason: string }
  | { readonly kind: 'opaque'; readonly reason: string };

export function coverageOf(text: string): LineCoverage {
  const { opaque, requiredPermissions } = assess(text);
  if (requiredPermissions === null) return { kind: 'opaque', reason: opaque.map(({ reason }) => reason).join('; ') };
  if (offered(text).length > 0) return { kind: 'coverable' };
  const wanted = requiredPermissions.flatMap(({ permission }) =>
    permission.resources.map(({ access, kind, value }) => `${access} ${kind} ${value}`),
  );
  return { kind: 'exact only', reason: wanted.join(', ') };
}

/** The scopes that are offered besides the exact bytes, and that cover the line itself. */
export const offered = (text: string): readonly CommandScope[] =>
  proposeScopes(
    { request: requestOf(text), assessment: assess(text), cwd: APP },
    { cwd: APP, repository: APP, home: HOME, confinementLevel: 3 },
  )
    .flatMap(({ scope }) => (scope === null ? [] : [scope]))
    .filter((scope) => isCovered(scope, text));

function isCovered(scope: CommandScope, text: string): boolean {
  const { requiredPermissions } = assess(text);
  const facts = factsIn(world, NOON, 3);
  return (
    requiredPermissions !== null &&
    coverLine(requiredPermissions, [{ grantId: 'g_1', scope }], facts).kind === 'covered'
  );
}
