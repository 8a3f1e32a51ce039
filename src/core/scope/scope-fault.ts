/**
 * Decides whether an approver may give a scope to a request. The scope must be well formed and cover the request. An approval for one use
 * has no scope. Some requests can only be approved exactly (`exactOnly`).
 */

import { givesCodeMoreRights } from '../confinement/code-beside.ts';
import type { ConfinementLevel } from '../confinement/confinement.ts';
import type { Assessment } from '../effects/assess-line.ts';
import type { ExecutionKind, ExecutionRequest } from '../grant/request.ts';
import type { CommandScope } from './command-scope.ts';
import { compileScope } from './compiled-scope.ts';
import { missedCondition, scopeFactsOf } from './conditions.ts';
import { conditionMiss, missOfPatterns, needsIfCovered } from './covers-required.ts';
import { CODE_BESIDE, missText } from './miss-text.ts';
import { scopeShapeFault } from './scope-shape.ts';
import { forbidden, notCovering, type ScopeFault, unfit } from './unfit.ts';

/**
 * The request that a scope must cover.
 * @property assessment null: the line was not assessed, and can only be approved exactly
 * @property cwd        the request's directory with its links followed; absent: not known
 * @property confinementLevel the level that the request's host reports; absent: 0
 */
export interface AskedLine {
  readonly request: ExecutionRequest;
  readonly assessment: Pick<Assessment, 'requiredPermissions' | 'opaque'> | null;
  readonly cwd?: string;
  readonly confinementLevel?: ConfinementLevel;
}

/** Whether a request of this kind may have a scope for commands: only a request to run one line or one program may. */
export const mayHaveCommandScope = (kind: ExecutionKind): boolean =>
  kind === 'command' || kind === 'line' || kind === 'argv';

/**
 * Returns why this scope must not be given to this request; null: the scope may be given.
 * @param scope  a value of any shape
 * @param isOnce whether the approval is for one use
 */
export function commandScopeFault(scope: unknown, asked: AskedLine, isOnce: boolean): ScopeFault | null {
  const { request, assessment } = asked;
  if (!mayHaveCommandScope(request.kind)) return unfit(`a ${request.kind} is approved exactly`);
  if (isOnce) return unfit('a scope makes no sense for one use; choose a time, or always');
  const reason = exactOnly(asked);
  if (reason !== null) return forbidden(`this can only be approved exactly: it ${reason}`);
  return scopeShapeFault(scope) ?? missedRequest(scope as CommandScope, assessment?.requiredPermissions ?? [], asked);
}

/**
 * Returns why the request can only be approved exactly; null: the request may have a scope. The text completes a sentence that begins with
 * "it".
 */
export function exactOnly({ assessment }: Pick<AskedLine, 'assessment'>): string | null {
  if (assessment === null) return 'was not looked up';
  const { requiredPermissions, opaque } = assessment;
  if (requiredPermissions === null) return opaque[0]?.reason ?? 'is not understood';
  if (requiredPermissions.length === 0) return 'needs no permission that a scope gives';
  return requiredPermissions.some(({ permission }) => permission.risk === 'critical') ? 'is critical' : null;
}

/**
 * Returns why the scope does not cover the request; null: the scope covers the request. The hours of the scope are not checked: an
 * approver may decide in the evening about a scope that counts only from 9 to 17.
 */
function missedRequest(
  scope: CommandScope,
  requiredPermissions: NonNullable<Assessment['requiredPermissions']>,
  { request, cwd, confinementLevel = 0 }: AskedLine,
): ScopeFault | null {
  const compiled = compileScope(scope);
  if (compiled === null) return unfit('the scope is malformed');
  const always = { ...scope.conditions, hours: null };
  const facts = scopeFactsOf(request, 0, cwd, confinementLevel);
  const condition = missedCondition(always, compiled.environment, facts);
  if (condition !== null)
    return notCovering(
      `the request itself is not covered: the scope ${missText(conditionMiss(condition, compiled, facts), scope)}`,
    );
  for (const required of requiredPermissions) {
    const miss = missOfPatterns(compiled, required, confinementLevel);
    if (miss === null) continue;
    const message = `${required.source.slice(0, 80)} is not covered: the scope ${missText(miss, scope)}`;
    return miss.kind === 'danger' || miss.kind === 'critical' ? forbidden(message) : notCovering(message);
  }
  const needs =
    confinementLevel === 0 ? [] : requiredPermissions.flatMap((required) => needsIfCovered(compiled, required) ?? []);
  return givesCodeMoreRights(needs) ? forbidden(`no scope may cover this line: ${CODE_BESIDE}`) : null;
}
