/** Assesses a request on the server, with the server's own rule files and the host facts of the requester. */
import { type AssessmentByFacts, assessByHostFacts, isAssessable } from '../../core/effects/assess-request.ts';
import type { HostFacts } from '../../core/effects/host-facts.ts';
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import type { RuleBook } from '../../core/rules/rule.ts';
import { loadBashParser } from '../../platform/bash-parser.ts';

/**
 * Returns null for a request without a line (`isAssessable`).
 * @param rules     null: there are no rule files. Every line is then opaque
 * @param hostFacts null: the host has sent no host facts. Every line is then opaque
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
 * Assesses the text of a request without host facts. A rule that forbids by the text needs no host facts. A script or standard input is
 * assessed as a line. Returns null for a plan, and for a request that a tool carries out itself (`isDoneByTool`).
 */
export async function assessTextAlone(
  rules: RuleBook | null,
  request: ExecutionRequest,
): Promise<AssessmentByFacts | null> {
  if (isDoneByTool(request.kind)) return null;
  const kind = isAssessable(request) ? request.kind : 'line';
  return assessByHostFacts({ ...request, kind }, null, { rules, parse: await loadBashParser() });
}
