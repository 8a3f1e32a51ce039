/** How much an approval risks: what was asked for, and what its scope lets run beyond that. By the side that asks. */
import { higherRisk, type Risk } from '../effects/permission.ts';
import { isReading } from '../files/file-operation.ts';
import { isForCommands, isForFiles } from '../grant/grant.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import type { GrantScope } from '../scope/command-scope.ts';
import { permissionsOf } from '../scope/permissions-of-call.ts';
import { dangerOf } from '../sensitive/dangerous-places.ts';
import type { McpServerRule } from '../tools/mcp-rule.ts';

/** Of a request that is no line; null: not known. */
export function riskOfCall(rules: readonly McpServerRule[], request: ExecutionRequest): Risk | null {
  const risks = permissionsOf(rules, request).map(({ risk }) => risk);
  const dangers = (request.files ?? []).filter((file) => dangerOf(file) !== null).map((): Risk => 'high');
  return risks.length === 0 ? null : [...risks, ...dangers].reduce(higherRisk);
}

/** @param asked of the request itself; null: not known, and then nothing is known of the whole */
export const riskWithScope = (asked: Risk | null, scope: GrantScope | null): Risk | null =>
  asked === null ? null : [asked, ...scopeRisks(scope, asked)].reduce(higherRisk);

/** A scope for commands says how much it lets run; one for files is worth what its operations are. */
function scopeRisks(scope: GrantScope | null, asked: Risk): readonly Risk[] {
  if (scope === null) return [];
  if (isForCommands(scope)) return scope.patterns.map(({ highestRisk }) => highestRisk);
  if (isForFiles(scope)) return [scope.operations.every(isReading) ? 'low' : 'medium'];
  return [asked];
}
