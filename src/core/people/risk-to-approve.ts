/** Computes the risk of an approval: the highest risk of the request and of the scope. The server and each host use this file. */
import { higherRisk, type Risk } from '../effects/permission.ts';
import { isReading } from '../files/file-operation.ts';
import { isForCommands, isForFiles } from '../grant/grant.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import type { GrantScope } from '../scope/command-scope.ts';
import { permissionsOf } from '../scope/permissions-of-call.ts';
import { dangerOf } from '../sensitive/dangerous-places.ts';
import type { McpServerRule } from '../tools/mcp-rule.ts';

/** Returns the risk of a request that is no command line (a file operation, an MCP call, a fetch); null: unknown. */
export function riskOfCall(rules: readonly McpServerRule[], request: ExecutionRequest): Risk | null {
  const risks = permissionsOf(rules, request).map(({ risk }) => risk);
  const dangers = (request.files ?? []).filter((file) => dangerOf(file) !== null).map((): Risk => 'high');
  return risks.length === 0 ? null : [...risks, ...dangers].reduce(higherRisk);
}

/**
 * Returns null (unknown) if `asked` is null.
 * @param asked the risk of the request itself
 * @param scope null: only the request is approved
 */
export const riskWithScope = (asked: Risk | null, scope: GrantScope | null): Risk | null =>
  asked === null ? null : [asked, ...scopeRisks(scope, asked)].reduce(higherRisk);

/** The risks of what the scope allows. A scope that is neither for commands nor for files has the risk `asked`. */
function scopeRisks(scope: GrantScope | null, asked: Risk): readonly Risk[] {
  if (scope === null) return [];
  if (isForCommands(scope)) return scope.patterns.map(({ highestRisk }) => highestRisk);
  if (isForFiles(scope)) return [scope.operations.every(isReading) ? 'low' : 'medium'];
  return [asked];
}
