/** How much an approval risks: what was asked for, and what its scope lets run beyond that. */

import { higherRisk, type Risk } from '../../core/effects/permission.ts';
import { isReading } from '../../core/files/file-operation.ts';
import { type Grant, isForCommands, isForFiles } from '../../core/grant/grant.ts';
import { isDoneByTool } from '../../core/grant/request.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import { dangerOf } from '../../core/sensitive/dangerous-places.ts';
import type { StoreReader } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf } from './about-line.ts';
import { planParts, planView } from './plan-reading.ts';
import { permissionsOf } from './reach.ts';

/** Null: not known, because the line is opaque. */
export async function approvalRisk(
  parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  grant: Grant,
  scope: GrantScope | null,
): Promise<Risk | null> {
  const asked = await requestRisk(parts, rows, grant);
  return asked === null ? null : [asked, ...scopeRisks(scope, asked)].reduce(higherRisk);
}

async function requestRisk(
  { rules, mcpRules }: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  grant: Grant,
): Promise<Risk | null> {
  const { request } = grant;
  if (request.plan !== undefined) return planView(request, await planParts({ rules }, rows, grant)).risk;
  if (!isDoneByTool(request.kind)) return (await lineOf({ rules }, rows, grant)).assessment?.risk ?? null;
  const risks = permissionsOf(mcpRules, request).map(({ risk }) => risk);
  const dangers = (request.files ?? []).filter((file) => dangerOf(file) !== null).map((): Risk => 'high');
  return risks.length === 0 ? null : [...risks, ...dangers].reduce(higherRisk);
}

/** A scope for commands says how much it lets run; one for files is worth what its operations are. */
function scopeRisks(scope: GrantScope | null, asked: Risk): readonly Risk[] {
  if (scope === null) return [];
  if (isForCommands(scope)) return scope.patterns.map(({ highestRisk }) => highestRisk);
  if (isForFiles(scope)) return [scope.operations.every(isReading) ? 'low' : 'medium'];
  return [asked];
}
