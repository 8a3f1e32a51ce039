/** Writes grants as lines for a terminal. Escapes the texts that come from requesters. */

import { grantConfinementText } from '../../core/confinement/grant-confinement-text.ts';
import type { Term } from '../../core/grant/grant.ts';
import { lookAlikesOf } from '../../core/grant/look-alikes-of.ts';
import { approvalsText } from '../../core/people/approvals-text.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { sealerNames } from '../../core/sealed/sealer-names.ts';
import { argumentsText } from '../../core/text/arguments-text.ts';
import { formatDuration, formatTimeLeft } from '../../core/text/duration.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { type Paint, plainPaint, stateColour } from '../colour.ts';

/** The least width for the commands, even on a narrow terminal. */
const LEAST_WIDTH = 40;
/** The length of a grant id: `g_` and 26 characters. */
const ID_WIDTH = 28;

/**
 * Returns one line for each grant. For an empty list, returns a line that says that there is no grant.
 * @param columns the width of the terminal; null: there is no terminal. Without a terminal, there is no header, and no line is cut
 */
export function grantTable(
  grants: readonly GrantView[],
  nowMs: number,
  columns: number | null,
  paint: Paint = plainPaint,
): string {
  if (grants.length === 0) return 'no grants\n';
  const header = columns === null ? '' : `${row('ID', 'STATE', 'ASKED', 'COMMAND')}\n`;
  const lines = grants.map((grant) => {
    const { kind, text } = grant.request;
    const command = visibleLine(kind === 'file' ? (text.split('\n')[0] ?? '') : text.replace(/\n$/, ''));
    const given = argumentsText(grant.request);
    const asked = `${formatDuration(nowMs - grant.createdAtMs)} ago`;
    return `${row(grant.id, grant.state, asked, clip(`${hasLookAlikes(grant) ? '[letters that only look alike] ' : ''}${command}${given === null ? '' : `  [bash ${given}]`}${scopeInBrackets(grant)}`, columns), paint)}\n`;
  });
  return header + lines.join('');
}

const hasLookAlikes = ({ request }: GrantView): boolean => lookAlikesOf(request) !== null;

const row = (id: string, state: string, asked: string, command: string, paint = plainPaint): string =>
  `${id.padEnd(ID_WIDTH)}  ${paint(stateColour(state), state.padEnd(9))}  ${asked.padStart(14)}  ${command}`;

const PREFIX_WIDTH = row('', '', '', '').length;

function clip(text: string, columns: number | null): string {
  const width = columns === null ? Number.POSITIVE_INFINITY : Math.max(LEAST_WIDTH, columns - PREFIX_WIDTH);
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** Returns lines about a decision. The first line is the state. Other lines show the request, the requester, and what the grant covers. */
export function decisionText(grant: GrantView, nowMs: number, paint: Paint): string {
  const { request, state, term } = grant;
  const covers = grant.scope ? visibleLine(scopeTitle(grant.scope)) : 'exactly this';
  const held = grantConfinementText(grant);
  const given = argumentsText(request);
  const lines = [
    ['command', visibleLine(request.text)],
    ...(given === null ? [] : [['arguments', given]]),
    ['of', `${visibleLine(grant.requesterName)} in ${visibleLine(request.cwd)}`],
    ...(grant.approvals === undefined ? [] : [['approvals', visibleLine(approvalsText(grant.approvals))]]),
    ...(state === 'approved' && term !== null ? [['covers', `${covers}, ${termText(term, nowMs)}`]] : []),
    ...(state === 'approved' ? [['sealed', sealText(grant)]] : []),
    ...(state === 'approved' && held !== null ? [['held to', visibleLine(held)]] : []),
  ];
  return `${paint(stateColour(state), state)}\n${lines.map(([name = '', text]) => `  ${name.padEnd(9)} ${text}\n`).join('')}`;
}

/** Says who sealed an approval. */
export const sealText = ({ sealed }: Pick<GrantView, 'sealed'>): string =>
  sealed === undefined ? 'no: the server alone vouches for it' : `by ${visibleLine(sealerNames(sealed))}`;

/** Returns `once`, `always`, or the end of a timed term. If the end is in the future, adds the time that is left. */
export const termText = (term: Term, nowMs: number): string => {
  if (term.kind !== 'timed') return term.kind;
  const leftMs = term.untilMs - nowMs;
  const left = leftMs > 0 ? `, ${formatTimeLeft(leftMs)} from now` : '';
  return `until ${new Date(term.untilMs).toISOString().replace(/\.\d+Z$/, 'Z')}${left}`;
};

/** Returns an empty text for a grant without a scope. An older server does not send `scope`. */
const scopeInBrackets = ({ scope }: GrantView): string => (scope ? `  [${visibleLine(scopeTitle(scope))}]` : '');
