/** Reads a line on the server: by the server's own rules, with the host facts of the requester. */
import { type AssessmentByFacts, assessByHostFacts, isAssessable } from '../../core/effects/assess-request.ts';
import type { HostFacts } from '../../core/effects/host-facts.ts';
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import type { RuleBook } from '../../core/rules/rule.ts';
import { loadBashParser } from '../../platform/bash-parser.ts';

/**
 * Returns null for kinds of requests that are not read as a line.
 * @param rules null: there are no rule files, and every line is opaque
 */
export async function assessOnServer(
  rules: RuleBook | null,
  request: ExecutionRequest,
  hostFacts: HostFacts | null,
): Promise<AssessmentByFacts | null> {
  if (!isAssessable(request)) return null;
  return assessByHostFacts(request, hostFacts, { rules, parse: await loadBashParser() });
}

/**
 * Assesses the text without host facts, which is enough for a rule that forbids words. Scripts and standard input are assessed in
 * the same way. Returns null for what a tool does itself.
 */
export async function assessTextAlone(
  rules: RuleBook | null,
  request: ExecutionRequest,
): Promise<AssessmentByFacts | null> {
  if (isDoneByTool(request.kind)) return null;
  const kind = isAssessable(request) ? request.kind : 'line';
  return assessByHostFacts({ ...request, kind }, null, { rules, parse: await loadBashParser() });
}
