/** The buttons of a card. They stand at the lower edge of the screen, however long the card is. */
import type { GrantView } from '../core/wire/grant-view.ts';
import type { ProposalView } from '../core/wire/proposals.ts';
import { commandScopeHtml } from './command-scope-choice.ts';
import { scopeChoiceHtml } from './file-card.ts';
import { type Html, html } from './html.ts';

/** @param labelId of what the buttons decide about, for screen readers */
export function actionsHtml(grant: GrantView, proposals: readonly ProposalView[], labelId: string): Html | null {
  const about = html`aria-describedby="${labelId}"`;
  if (grant.state === 'approved')
    return html`<div class="actions"><button type="button" class="deny" data-verb="revoke" ${about}>Revoke</button></div>`;
  if (grant.state !== 'pending' || grant.cutFrom !== undefined) return null;
  return html`<div class="actions decide">
    <div class="pair">
      <button type="button" class="deny" data-verb="deny" ${about}>Deny</button>
      <button type="button" class="approve" data-verb="approve" data-term="once" ${about}>Approve once</button>
    </div>
    ${longerHtml(grant, proposals)}
    ${denialHtml()}
  </div>`;
}

function longerHtml(grant: GrantView, proposals: readonly ProposalView[]): Html {
  const timed = (label: string, minutes: number) =>
    html`<button type="button" data-verb="approve" data-term="timed" data-for-ms="${minutes * 60_000}">${label}</button>`;
  return html`<details class="longer"><summary>Longer or wider</summary>
      ${grant.request.kind === 'file' ? scopeChoiceHtml(grant) : commandScopeHtml(grant.id, proposals)}
      <fieldset class="terms"><legend>Approve for</legend>
        ${timed('15 min', 15)} ${timed('1 h', 60)} ${timed('8 h', 480)}
        <button type="button" data-verb="approve" data-term="always">Always</button>
      </fieldset>
      <details class="until"><summary>Until …</summary>
        <label>Until <input type="datetime-local" class="until-date" required></label>
        <button type="button" data-verb="approve" data-term="until">Approve until then</button>
      </details>
    </details>`;
}

const denialHtml = (): Html => html`<details class="denial"><summary>Deny, and why</summary>
      <label>Reason, shown to the requester <textarea class="deny-reason" rows="2" maxlength="2000"></textarea></label>
      <button type="button" class="deny" data-verb="deny">Deny with this reason</button>
    </details>`;
