/** Finds the past requests that a scope alone would have covered. These past requests are evidence for the approver. */

import type { CommandScope } from './command-scope.ts';
import { leastLevel, scopeFactsOf } from './conditions.ts';
import { coverLine } from './cover-line.ts';
import { type AskedLine, mayHaveCommandScope } from './scope-fault.ts';

/** @property atMs the time of the request (Unix ms); the scope's hours are compared with this time */
export interface PastAskedLine extends AskedLine {
  readonly atMs: number;
}

/**
 * Returns the past lines that the scope covers, in the same order. Two conditions of the scope always count as met: the number of uses, and
 * the confinement level of the host.
 */
export const wouldCover = <T extends PastAskedLine>(scope: CommandScope, past: readonly T[]): readonly T[] =>
  past.filter(({ request, assessment, atMs, cwd }) => {
    if (!mayHaveCommandScope(request.kind) || assessment === null || assessment.requiredPermissions === null)
      return false;
    const facts = scopeFactsOf(request, atMs, cwd, leastLevel(scope.conditions));
    return coverLine(assessment.requiredPermissions, [{ grantId: 'this', scope }], facts).kind === 'covered';
  });
