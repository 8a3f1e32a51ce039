/** The server's own reading of a line: by its own rules, with what the requester's host found. */
import type { Assessment } from '../core/assessment/assess-line.ts';
import { assessByFindings, isAssessable } from '../core/assessment/assess-request.ts';
import type { Findings } from '../core/assessment/findings.ts';
import type { RuleBook } from '../core/permission/rule.ts';
import type { ExecutionRequest } from '../core/request.ts';
import { loadBashParser } from '../platform/bash-parser.ts';

/** @property isComplete whether the host had looked up all that had to be */
export interface Judged {
  readonly assessment: Assessment;
  readonly isComplete: boolean;
}

/**
 * Null for kinds that are not read as a line.
 * @param rules null: without the rules of tools; then every line is opaque
 */
export async function judgeRequest(
  rules: RuleBook | null,
  request: ExecutionRequest,
  findings: Findings | null,
): Promise<Judged | null> {
  if (!isAssessable(request)) return null;
  return assessByFindings(request, findings, { rules, parse: await loadBashParser() });
}

/** What the text tells by itself: enough for a rule that vetoes words. Also of scripts and standard input, not of file tools. */
export async function judgeText(rules: RuleBook | null, request: ExecutionRequest): Promise<Judged | null> {
  if (request.kind === 'file') return null;
  const kind = isAssessable(request) ? request.kind : 'line';
  return assessByFindings({ ...request, kind }, null, { rules, parse: await loadBashParser() });
}
