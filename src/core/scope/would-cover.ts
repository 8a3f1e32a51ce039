/** Evidence for the approver: which past requests a scope would have covered by itself. */

import type { CommandScope } from './command-scope.ts';
import { factsOf, leastLevel } from './conditions.ts';
import { coverLine } from './cover-line.ts';
import { type AskedLine, mayHaveCommandScope } from './scope-fault.ts';

/** @property atMs when the line was asked for (Unix ms); the scope's hours are checked at that time */
export interface PastAskedLine extends AskedLine {
  readonly atMs: number;
}

/**
 * Returns the past lines that the scope covers, in their order. The number of uses does not count, and the host is taken to
 * reach the confinement level that the scope demands.
 */
export const wouldCover = <T extends PastAskedLine>(scope: CommandScope, past: readonly T[]): readonly T[] =>
  past.filter(({ request, assessment, atMs, cwd }) => {
    if (!mayHaveCommandScope(request.kind) || assessment === null || assessment.requiredPermissions === null)
      return false;
    const facts = factsOf(request, atMs, cwd, leastLevel(scope.conditions));
    return coverLine(assessment.requiredPermissions, [{ grantId: 'this', scope }], facts).kind === 'covered';
  });
