/** Grants as text for a terminal. Nothing a requester wrote reaches the terminal unescaped. */

import { givenHeldText } from '../core/confinement/given-text.ts';
import { dangerOf, dangerReason } from '../core/dangerous-places.ts';
import { formatDuration } from '../core/duration.ts';
import type { FileOperation } from '../core/file-operation.ts';
import type { Term } from '../core/grant.ts';
import { scopeTitle } from '../core/scope/scope-title.ts';
import { visibleLine } from '../core/visible-text.ts';
import type { GrantView } from '../core/wire.ts';

const COMMAND_WIDTH = 60;

/** One line a grant; an empty list says so. */
export function grantTable(grants: readonly GrantView[], nowMs: number): string {
  if (grants.length === 0) return 'no grants\n';
  return grants
    .map((grant) => {
      const { kind, text } = grant.request;
      const command = visibleLine(kind === 'file' ? (text.split('\n')[0] ?? '') : text);
      const shown = command.length > COMMAND_WIDTH ? `${command.slice(0, COMMAND_WIDTH - 1)}…` : command;
      return `${grant.id}  ${grant.state.padEnd(9)}  ${formatDuration(nowMs - grant.createdAtMs).padStart(10)} ago  ${shown}${coverage(grant)}\n`;
    })
    .join('');
}

/** Everything about one, a field a line. */
export function grantDetails(grant: GrantView, nowMs: number): string {
  const { request } = grant;
  const fields: readonly (readonly [string, string | null])[] = [
    ['grant', grant.id],
    ['state', grant.state],
    ['term', grant.term === null ? null : termText(grant.term)],
    ['covers', grant.scope ? visibleLine(scopeTitle(grant.scope)) : null],
    ['held by the kernel to', givenHeld(grant)],
    ['reason of the denial', grant.denyReason === null ? null : visibleLine(grant.denyReason)],
    ['requester', `${visibleLine(grant.requesterName)} (${visibleLine(request.user)}@${visibleLine(request.host)})`],
    ['directory', visibleLine(request.cwd)],
    ['reason', grant.reason === null ? null : visibleLine(grant.reason)],
    ['asked', `${formatDuration(nowMs - grant.createdAtMs)} ago`],
    [
      'decided',
      grant.decidedAtMs === null
        ? null
        : `${formatDuration(nowMs - grant.decidedAtMs)} ago by ${visibleLine(grant.decidedBy ?? '?')}`,
    ],
    ['uses', String(grant.uses)],
    ['page', grant.url],
    ...(request.files ?? []).flatMap(fileFields),
    [
      request.kind === 'file' ? 'content' : 'command',
      request.text.split('\n').map(visibleLine).join('\n                       '),
    ],
  ];
  return fields.flatMap(([name, value]) => (value === null ? [] : [`${`${name}:`.padEnd(23)}${value}\n`])).join('');
}

const givenHeld = (grant: GrantView): string | null => {
  const text = givenHeldText(grant);
  return text === null ? null : visibleLine(text);
};

export const termText = (term: Term): string =>
  term.kind === 'timed' ? `until ${new Date(term.untilMs).toISOString()}` : term.kind;

/** What an approval reaches beyond the line it was given for. An answer of an older server has no scope at all. */
const coverage = ({ scope }: GrantView): string => (scope ? `  [${visibleLine(scopeTitle(scope))}]` : '');

function fileFields(one: FileOperation): (readonly [string, string | null])[] {
  const code = dangerOf(one);
  return [
    [one.verb, visibleLine(one.path)],
    ['  asked as', one.askedPath === one.path ? null : visibleLine(one.askedPath)],
    ['  SHA-256', one.digest],
    ['  SHA-256 afterwards', one.resultDigest],
    ['  careful', code === null ? null : dangerReason(code)],
  ];
}
