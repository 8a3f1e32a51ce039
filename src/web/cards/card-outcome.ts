/** Shows the outcome of a request, and which lines ran because of the approval. */
import type { Term } from '../../core/grant/grant.ts';
import { isForCommands, isForFiles } from '../../core/grant/grant.ts';
import { approvalsText } from '../../core/people/approvals-text.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { sealerNames } from '../../core/sealed/sealer-names.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { UseView } from '../../core/wire/why.ts';
import { type Html, html } from '../html.ts';
import { shortHtml, visibleHtml } from '../visible-html.ts';
import { byHtml, type DecidedBy } from './decided-by.ts';
import { scopeHtml } from './file-card.ts';
import type { AboutGrant } from './grant-card.ts';
import { ageHtml, momentHtml } from './moments.ts';
import { isSealed } from './unsealed-note.ts';

const STATE: Readonly<Record<GrantView['state'], string>> = {
  pending: 'Waiting',
  approved: 'Approved',
  denied: 'Denied',
  withdrawn: 'Withdrawn',
  used: 'Used',
  revoked: 'Revoked',
  expired: 'Expired',
};

export const stateBadge = (state: GrantView['state']): Html =>
  html`<span class="badge ${state}">${STATE[state]}</span>`;

/** Names the scope of an approval in one line. */
export const coverageHtml = (scope: GrantScope): Html =>
  isForFiles(scope) ? scopeHtml(scope) : html`${visibleHtml(scopeTitle(scope))}`;

export function termHtml(term: Term): Html {
  if (term.kind === 'timed') return html`until ${momentHtml(term.untilMs)}`;
  return term.kind === 'once' ? html`one use` : html`always, until revoked`;
}

/** Names the people who sealed the approval, or says `unsealed`. For an unsealed approval, only the server vouches. */
const sealHtml = ({ sealed }: GrantView): Html =>
  sealed === undefined ? html` · unsealed` : html` · sealed by ${visibleHtml(sealerNames(sealed))}`;

export const SEALED_ONLY = 'This host runs only what is approved with a passkey or an owner key.';
const HOW_TO_SEAL = html`Register a passkey on the page <a href="/devices">Devices</a> and have it admitted as an approver, or approve with <code>apes grants approve</code>.`;

/**
 * Makes the note about seals that the viewer sees before the decision:
 * - If the host demands a seal, the note says so.
 * - If the host demands no seal, the note says that an approval on this page would not be sealed. But this note is left out (null) if the
 *   approval would be sealed, if the viewer decides nothing, or if there is no list of approvers.
 */
export function sealingHtml({ sealedOnly }: GrantView, { sealing }: Pick<AboutGrant, 'sealing'>): Html | null {
  if (sealedOnly === true)
    return html`<p class="note seal-needed">${SEALED_ONLY}${sealing !== null && !isSealed(sealing) && html` ${HOW_TO_SEAL}`}</p>`;
  return sealing === 'unsealed'
    ? html`<p class="hint">An approval on this page is not sealed: only the server vouches for it.</p>`
    : null;
}

/** Returns null for a waiting request that no person has approved yet. */
export function outcomeHtml(grant: GrantView, { decided, revoked }: DecidedBy): Html | null {
  const at = (ms: number | null) => ms !== null && html` ${ageHtml(ms)}`;
  switch (grant.state) {
    case 'pending':
      return approvalsHtml(grant);
    case 'approved':
      return html`<p class="outcome">Approved${at(grant.decidedAtMs)}${byHtml(decided)}: ${grant.term !== null && termHtml(grant.term)}${usesHtml(grant)}${sealHtml(grant)}${grant.approvals !== undefined && html` · ${visibleHtml(approvalsText(grant.approvals))}`}</p>`;
    case 'denied':
      return html`<p class="outcome">Denied${at(grant.decidedAtMs)}${byHtml(decided)}${grant.denyReason !== null && html`: “${visibleHtml(grant.denyReason)}”`}</p>`;
    case 'used':
      if (grant.request.kind === 'plan')
        return html`<p class="outcome">The plan is over; it was last used${at(grant.usedAtMs)}${approverHtml(decided)}${sealHtml(grant)}</p>`;
      return html`<p class="outcome">Approved once${byHtml(decided)}, and used${at(grant.usedAtMs)}${sealHtml(grant)}</p>`;
    case 'revoked':
      return html`<p class="outcome">Revoked${at(grant.revokedAtMs)}${byHtml(revoked)}${usesHtml(grant)}${approverHtml(decided)}${sealHtml(grant)}</p>`;
    case 'withdrawn':
      return html`<p class="outcome">The requester took it back</p>`;
    case 'expired':
      return grant.term === null
        ? html`<p class="outcome">No approver decided in time</p>`
        : html`<p class="outcome">The approval is over${usesHtml(grant)}${approverHtml(decided)}${sealHtml(grant)}</p>`;
  }
}

const approverHtml = (name: string | null): Html | null => (name === null ? null : html` · approved${byHtml(name)}`);

/** Shows who has approved so far, and the approved term and scope. Returns null if no person has approved, or if one approval is enough. */
function approvalsHtml({ approvals }: GrantView): Html | null {
  if (approvals === undefined) return null;
  const { term, scope } = approvals;
  return html`<p class="outcome part-approved">${visibleHtml(approvalsText(approvals))}: ${termHtml(term)}${scope !== null && html`, covers ${coverageHtml(scope)}`}. An approval with another term or scope begins the count again.</p>`;
}

/** Says how many people have to approve a request that has no approval yet. Returns null if one approval is enough. */
export const neededHtml = (needed: number): Html | null =>
  needed === 1 ? null : html`<p class="outcome part-approved">${needed} people have to approve this.</p>`;

function usesHtml(grant: GrantView): Html | null {
  if (grant.term?.kind === 'once' || (grant.uses === 0 && grant.term === null)) return null;
  const left = usesLeft(grant);
  return html` · ${grant.uses === 0 ? 'not used yet' : `used ${grant.uses === 1 ? 'once' : `${grant.uses} times`}`}${left !== null && `, ${left} ${left === 1 ? 'use' : 'uses'} left`}`;
}

/** Returns how many uses are left; null if the number of uses has no limit. */
const usesLeft = ({ scope, uses }: GrantView): number | null =>
  isForCommands(scope) && scope.mostUses !== null ? Math.max(0, scope.mostUses - uses) : null;

/** Lists the lines that ran because of a standing grant. */
export function usedForHtml(uses: readonly UseView[]): Html | null {
  if (uses.length === 0) return null;
  const rows = uses.map(
    ({ atMs, line, others }) =>
      html`<li><code>${line === null ? 'exactly this' : shortHtml(line)}</code> <span class="hint">${ageHtml(atMs)}${others.length > 0 && `, together with ${others.length} other ${others.length === 1 ? 'approval' : 'approvals'}`}</span></li>`,
  );
  return html`<details class="used-for"><summary>Ran because of this</summary><ul>${rows}</ul></details>`;
}
