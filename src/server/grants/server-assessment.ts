/** The server's own reading of a line: by its own rules, with what the requester's host found. */
import { type AssessmentByFacts, assessByHostFacts, isAssessable } from '../../core/effects/assess-request.ts';
import type { HostFacts } from '../../core/effects/host-facts.ts';
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import type { RuleBook } from '../../core/rules/rule.ts';
import { loadBashParser } from '../../platform/bash-parser.ts';

/**
 * Null for kinds that are not read as a line.
 * @param rules null: without the rules of tools; then every line is opaque
 */
export async function assessOnServer(
  rules: RuleBook | null,
  request: ExecutionRequest,
  hostFacts: HostFacts | null,
): Promise<AssessmentByFacts | null> {
  if (!isAssessable(request)) return null;
  return assessByHostFacts(request, hostFacts, { rules, parse: await loadBashParser() });
}

/** What the text tells by itself: enough for a rule that vetoes words. Also of scripts and standard input, not of tools that do it themselves. */
export async function assessTextAlone(
  rules: RuleBook | null,
  request: ExecutionRequest,
): Promise<AssessmentByFacts | null> {
  if (isDoneByTool(request.kind)) return null;
  const kind = isAssessable(request) ? request.kind : 'line';
  return assessByHostFacts({ ...request, kind }, null, { rules, parse: await loadBashParser() });
}
