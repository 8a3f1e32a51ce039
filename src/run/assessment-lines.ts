/** Tells the requester what the gate understood of a waiting command, or why only the exact bytes of the command can be approved. */
import type { Assessment } from '../core/effects/assess-line.ts';
import { needsMatch } from '../core/effects/shown-risk.ts';
import { matchNumber } from '../core/text/match-text.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import { decidingText } from '../core/variables/deciding-text.ts';
import { decidingEntries } from '../core/variables/deciding-variables.ts';
import type { GrantView } from '../core/wire/grant-view.ts';

/** The pending block must stay short. */
const MAX_LINES = 4;
const SHOWN_WIDTH = 160;

/** Returns lines of a pending block, without line ends; no lines if the gate made no assessment. */
export function pendingAssessmentLines(assessment: Assessment | null, grant: GrantView): readonly string[] {
  if (assessment === null) return [];
  return assessment.requiredPermissions === null
    ? opaqueLines(assessment)
    : requiredPermissionLines(assessment, newlyDeciding(assessment, grant));
}

/**
 * Returns the names of the deciding variables that make the risk unknown. Only the server knows which values were approved before. So this
 * function tests whether the server demands a match number that the risk does not need. If so, the variables are the reason.
 */
function newlyDeciding({ risk }: Assessment, grant: GrantView): readonly string[] {
  if (risk === null || needsMatch(risk) || matchNumber(grant) === null) return [];
  return decidingEntries(grant.request).map(({ name }) => name);
}

function requiredPermissionLines(
  { requiredPermissions, risk }: Assessment,
  deciding: readonly string[],
): readonly string[] {
  // A builtin without resources is left out. Its `sentence` says no more than the command.
  const shownPermissions = (requiredPermissions ?? []).filter(
    ({ permission: { tool, resources } }) => tool !== 'shell' || resources.length > 0,
  );
  const texts = shownPermissions.map(({ permission: { operation, sentence } }) => `${operation}: ${sentence}`);
  const distinct = [...new Set(texts)];
  return [
    ...distinct.slice(0, MAX_LINES).map((each, at) => `${at === 0 ? '  does:     ' : '            '}${shown(each)}`),
    ...more(distinct.length),
    `  risk:     ${deciding.length > 0 ? shown(`unknown, because ${decidingText(deciding)}`) : `${risk}${coverageHint(risk)}`}`,
  ];
}

const coverageHint = (risk: Assessment['risk']): string =>
  risk === 'low' || risk === 'medium' ? '; one decision can cover other commands of this kind' : '';

function opaqueLines({ opaque }: Assessment): readonly string[] {
  if (opaque.length === 0) return [];
  return [
    '  reading:  a human has to approve this exact command every time, because it',
    ...opaque
      .slice(0, MAX_LINES)
      .flatMap(({ reason, source, advice }) => [
        `            ${shown(`${reason}: ${source}`)}`,
        `              instead: ${advice}`,
      ]),
    ...more(opaque.length),
  ];
}

const more = (count: number): readonly string[] =>
  count > MAX_LINES ? [`            … and ${count - MAX_LINES} more, see \`apes explain\``] : [];

function shown(text: string): string {
  const line = visibleLine(text);
  return line.length > SHOWN_WIDTH ? `${line.slice(0, SHOWN_WIDTH)}…` : line;
}

/**
 * Returns the facts of `pendingAssessmentLines` as members of a JSON object, or `{}` if the gate made no assessment. `operations` and `risk` are null
 * if the gate knows no required permissions. `risk` is also null if the variables in `deciding` make the risk unknown.
 */
export function assessmentFacts(assessment: Assessment | null, grant: GrantView) {
  if (assessment === null) return {};
  const deciding = newlyDeciding(assessment, grant);
  return {
    risk: deciding.length > 0 ? null : assessment.risk,
    ...(deciding.length > 0 ? { deciding } : {}),
    operations: assessment.requiredPermissions?.map(({ permission }) => permission.operation) ?? null,
    opaque: assessment.opaque,
  };
}
