/** A plan as a table: each part with its state, and the uses so far. */

import { isForPlan } from '../../core/grant/grant.ts';
import { lookAlikesText } from '../../core/grant/look-alikes-of.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { formatDuration, formatTimeLeft } from '../../core/text/duration.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PartSheet, PlanSheet } from '../../core/wire/plan.ts';

const STATE: Readonly<Record<PartSheet['state'], string>> = {
  asked: 'asked',
  struck: 'struck out',
  next: 'covered',
  later: 'later',
  done: 'done',
};

export function sheetText(grant: GrantView, { parts }: PlanSheet, nowMs: number): string {
  return [
    `plan    ${grant.id}  ${grant.state}${timeLeft(grant, nowMs)}`,
    ...(grant.denyReason === null ? [] : [`reason  ${visibleLine(grant.denyReason)}`]),
    ...parts.flatMap((part) => partLines(part, grant, nowMs)),
    '',
  ].join('\n');
}

function timeLeft({ state, term, request: { plan } }: GrantView, nowMs: number): string {
  if (state === 'approved' && term?.kind === 'timed')
    return `, ends in ${formatTimeLeft(term.untilMs - nowMs)}${plan?.order === true ? ', in order' : ''}`;
  return '';
}

function partLines(sheet: PartSheet, { request, scope }: GrantView, nowMs: number): string[] {
  const { part, text, cwd, state, risk, used, wantedUses, given, as, offers, runs } = sheet;
  const most = given?.uses ?? wantedUses;
  const own = isForPlan(scope) ? scope.parts.find((each) => each.part === part) : undefined;
  const isExact = own === undefined ? as === 'exact' : own.scope === null;
  const [last] = runs;
  const warning = lookAlikesText({ ...request, text, cwd });
  return [
    `${String(part).padStart(2)}  ${STATE[state].padEnd(10)}  ${used}/${most} used  ${risk.padEnd(8)}  ${visibleLine(text)}`,
    ...(cwd === request.cwd ? [] : [`      in:      ${visibleLine(cwd)}`]),
    ...(warning === null ? [] : [`      warning: ${visibleLine(warning)}`]),
    ...(isExact ? [] : [`      covers:  ${visibleLine(given?.title ?? as)}`]),
    ...(state === 'asked' ? offers.flatMap(offerLine) : []),
    ...(last === undefined ? [] : [`      last: ${formatDuration(nowMs - last.atMs)} ago  ${visibleLine(last.line)}`]),
  ];
}

/**
 * Returns the line for a scope that the approver can give to the part. The line begins with the id for `--narrow`. Returns no line for the
 * offer that covers only the part's exact line (`scope` is null).
 */
const offerLine = ({ id, scope }: PartSheet['offers'][number]): readonly string[] =>
  scope === null ? [] : [`      ${id} covers: ${visibleLine(scopeTitle(scope))}`];
