/** Tells people why a request can run or cannot run. Every byte of the request is made visible. */

import { grantConfinementText } from '../../core/confinement/grant-confinement-text.ts';
import type { AssessmentView, CommandView } from '../../core/effects/assessment-view.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { argumentsText } from '../../core/text/arguments-text.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { decidingText } from '../../core/variables/deciding-text.ts';
import type { UseView, WhyAnswer } from '../../core/wire/why.ts';
import { termText } from './grant-text.ts';
import { resourceText } from './resource-text.ts';

const SHOWN_USES = 5;

export function whyText(why: WhyAnswer, nowMs: number): string {
  const { grant, assessment, coverable, proposals, uses } = why;
  const held = grantConfinementText(grant);
  const given = argumentsText(grant.request);
  return [
    ...row('line', visibleLine(grant.request.text)),
    ...(given === null ? [] : row('arguments', given)),
    ...row('decision', decisionText(why, nowMs)),
    ...(held === null ? [] : row('held to', visibleLine(held))),
    ...(assessment === null ? [] : assessmentLines(assessment)),
    ...coverable.advice.flatMap((each, at) =>
      row(at > 0 ? '' : coverable.isCoverable ? 'missing' : 'instead', visibleLine(each)),
    ),
    ...proposals.flatMap((each, at) => row(at === 0 ? 'could cover' : '', visibleLine(each))),
    ...uses.slice(0, SHOWN_USES).flatMap((each, at) => row(at === 0 ? 'used for' : '', useText(each))),
    ...(uses.length > SHOWN_USES ? row('', `… and ${uses.length - SHOWN_USES} more`) : []),
    '',
  ].join('\n');
}

const row = (name: string, text: string): readonly string[] => [`${(name === '' ? '' : name).padEnd(12)}${text}`];

function decisionText({ grant, decidedBy }: WhyAnswer, nowMs: number): string {
  const by = decidedBy === null ? '' : ` by ${visibleLine(decidedBy.name)}`;
  switch (grant.state) {
    case 'pending':
      return `not decided yet: ${grant.url}`;
    case 'approved':
    case 'used':
      return `${grant.state}${by}, ${grant.term === null ? 'without a term' : termText(grant.term, nowMs)}, ${coversText(grant.scope)}`;
    case 'denied':
      return `denied${by}${grant.denyReason === null ? '' : `: ${visibleLine(grant.denyReason)}`}`;
    default:
      return `${grant.state}${by}`;
  }
}

const coversText = (scope: WhyAnswer['grant']['scope']): string =>
  scope ? visibleLine(scopeTitle(scope)) : 'for exactly these bytes';

const UNKNOWN = 'unknown: treat it as critical';

/** Writes what a line would do, command by command. The risk of an opaque line is not known. */
export function assessmentLines(assessment: AssessmentView): readonly string[] {
  const { harness, command, commands, opaque, risk, deciding = [] } = assessment;
  return [
    ...(harness === null
      ? []
      : row('prelude', `added by ${harness}, left out of the reading; the command is ${visibleLine(command)}`)),
    ...(opaque.length === 0
      ? row('reading', `complete, risk ${deciding.length > 0 ? UNKNOWN : (risk ?? 'not known')}`)
      : row('reading', `opaque, risk ${UNKNOWN}; only the exact bytes can be approved, because the line`)),
    ...opaque.flatMap(({ reason, source, advice }) => [
      ...row('', `${visibleLine(reason)}: ${visibleLine(source)}`),
      ...row('', `  instead: ${advice}`),
    ]),
    ...(deciding.length === 0
      ? []
      : row(
          '',
          `${visibleLine(decidingText(deciding))} in the environment; no request with these values was approved before`,
        )),
    ...commands.flatMap((each, at) => commandLines(each, at + 1)),
  ];
}

function commandLines({ source, through, runs, permission, unknown }: CommandView, number: number): readonly string[] {
  return [
    `${number}. ${visibleLine(source)}`,
    ...(through.length === 0 ? [] : row('   through', through.map(visibleLine).join(' > '))),
    ...(runs === null ? [] : row('   runs', visibleLine(runs))),
    ...(unknown === null ? [] : row('   unknown', visibleLine(unknown))),
    ...(permission === null
      ? []
      : [
          ...row('   does', `${visibleLine(permission.operation)}: ${visibleLine(permission.sentence)}`),
          ...permission.resources.flatMap((each) => row('   touches', resourceText(each))),
          ...row('   risk', permission.risk),
        ]),
  ];
}

const useText = ({ atMs, line, others, confinement }: UseView): string =>
  `${new Date(atMs).toISOString()}  ${line === null ? 'exactly this' : visibleLine(line)}${others.length === 0 ? '' : ` (with ${others.join(', ')})`}${typeof confinement === 'number' ? ` (confinement level ${confinement})` : ''}`;
