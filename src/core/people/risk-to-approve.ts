/** Computes the risk of an approval: the risk of the request itself and of what the scope lets run beyond it. The server and each host compute it. */
import { higherRisk, type Risk } from '../effects/permission.ts';
import { isReading } from '../files/file-operation.ts';
import { isForCommands, isForFiles } from '../grant/grant.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import type { GrantScope } from '../scope/command-scope.ts';
import { permissionsOf } from '../scope/permissions-of-call.ts';
import { dangerOf } from '../sensitive/dangerous-places.ts';
import type { McpServerRule } from '../tools/mcp-rule.ts';

/** Returns the risk of a request that is not a command line (a file operation, an MCP call, a fetch); null: not known. */
export function riskOfCall(rules: readonly McpServerRule[], request: ExecutionRequest): Risk | null {
  const risks = permissionsOf(rules, request).map(({ risk }) => risk);
  const dangers = (request.files ?? []).filter((file) => dangerOf(file) !== null).map((): Risk => 'high');
  return risks.length === 0 ? null : [...risks, ...dangers].reduce(higherRisk);
}

/**
 * Returns null (not known) if `asked` is null.
 * @param asked the risk of the request itself
 * @param scope null: nothing is approved beyond the request
 */
export const riskWithScope = (asked: Risk | null, scope: GrantScope | null): Risk | null =>
  asked === null ? null : [asked, ...scopeRisks(scope, asked)].reduce(higherRisk);

/** A scope for commands names its highest risk; the risk of a scope for files follows from its operations. Any other scope has the risk `asked`. */
function scopeRisks(scope: GrantScope | null, asked: Risk): readonly Risk[] {
  if (scope === null) return [];
  if (isForCommands(scope)) return scope.patterns.map(({ highestRisk }) => highestRisk);
  if (isForFiles(scope)) return [scope.operations.every(isReading) ? 'low' : 'medium'];
  return [asked];
}
