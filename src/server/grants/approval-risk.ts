/** Determines the risk of an approval. The server itself assesses the request. */
import type { Risk } from '../../core/effects/permission.ts';
import type { Grant } from '../../core/grant/grant.ts';
import { isDoneByTool } from '../../core/grant/request.ts';
import { riskOfCall, riskWithScope } from '../../core/people/risk-to-approve.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import type { StoreReader } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf } from './about-line.ts';
import { planView } from './plan-reading.ts';

/**
 * Returns null if the risk is not known. Examples are an opaque line, and a deciding variable that `newlyDeciding` finds.
 * @param scope the scope of the approval; null: the approval is for exactly this request
 */
export async function approvalRisk(
  { rules, mcpRules }: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  grant: Grant,
  scope: GrantScope | null,
): Promise<Risk | null> {
  const { request } = grant;
  const line = await lineOf({ rules }, rows, grant);
  if (line.deciding.length > 0) return null;
  if (line.plan !== undefined) return planView(request, line.plan).risk;
  const asked = isDoneByTool(request.kind) ? riskOfCall(mcpRules, request) : (line.assessment?.risk ?? null);
  return riskWithScope(asked, scope);
}
