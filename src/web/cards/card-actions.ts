/** Makes the buttons of a card. The buttons stay at the lower edge of the screen, however long the card is. */

import type { ViewerRights } from '../../core/people/viewer-rights.ts';
import { endText } from '../../core/plan/plan.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { Plan } from '../../core/wire/plan.ts';
import type { ProposalView } from '../../core/wire/proposals.ts';
import { type Html, html } from '../html.ts';
import { commandScopeHtml } from './command-scope-choice.ts';
import { scopeChoiceHtml } from './file-card.ts';
import { notYoursHtml } from './not-yours-note.ts';

/**
 * @property choices the numbers from which the approver picks one; the requester's side shows the right number. Empty: the numbers do not
 *                   exist yet, and the card has the same buttons as with `match: null`
 * @property wrong   how many picks were wrong
 */
export interface CardMatch {
  readonly choices: readonly string[];
  readonly wrong: number;
}

/** @property match null: the approval needs no number */
interface Decidable {
  readonly proposals: readonly ProposalView[];
  readonly match: CardMatch | null;
  readonly rights: ViewerRights;
  readonly nowMs: number;
}

/**
 * Returns null in two cases: the grant is neither pending nor approved, or the text of a pending request is cut (`cutFrom`).
 * For a pending request:
 * - If the viewer may not deny, a sentence replaces all buttons.
 * - If the viewer may deny but not approve, a sentence replaces the buttons that approve.
 * @param labelId the id of the element that says, for screen readers, what the buttons decide
 */
export function actionsHtml(
  grant: GrantView,
  { proposals, match, rights, nowMs }: Decidable,
  labelId: string,
): Html | null {
  const about = html`aria-describedby="${labelId}"`;
  if (grant.state === 'approved')
    return html`<div class="actions"><button type="button" class="deny" data-verb="revoke" ${about}>Revoke</button></div>`;
  if (grant.state !== 'pending' || grant.cutFrom !== undefined) return null;
  const { whyNotApprove, whyNotDeny } = rights;
  if (whyNotDeny !== null) return notYoursHtml(whyNotDeny);
  if (whyNotApprove !== null)
    return html`<div class="actions decide">
      ${notYoursHtml(whyNotApprove)}
      <div class="pair"><button type="button" class="deny" data-verb="deny" ${about}>Deny</button></div>
      ${denialHtml()}
    </div>`;
  const choices = match?.choices ?? [];
  if (grant.request.plan !== undefined) return planActionsHtml(grant.request.plan, choices, about, nowMs);
  return html`<div class="actions decide">
    ${choices.length === 0 ? tapHtml(about) : pickHtml(choices, about)}
    ${choices.length === 0 ? longerHtml(grant, proposals) : longerPickedHtml(grant, proposals)}
    ${denialHtml()}
  </div>`;
}

const tapHtml = (about: Html): Html => html`<div class="pair">
      <button type="button" class="deny" data-verb="deny" ${about}>Deny</button>
      <button type="button" class="approve" data-verb="approve" data-term="once" ${about}>Approve once</button>
    </div>`;

/** The requester names the end of a plan. The approver may choose an earlier end. */
function planActionsHtml({ end }: Plan, choices: readonly string[], about: Html, nowMs: number): Html {
  const ends = endsOf(end, nowMs).map(
    ([label, value], at) =>
      html`<label class="choice"><input type="radio" class="plan-end" name="plan-end" value="${value}"${at === 0 && html` checked`}> <span>${label}</span></label>`,
  );
  return html`<div class="actions decide plan-actions">
    ${
      choices.length === 0
        ? html`<div class="pair"><button type="button" class="deny" data-verb="deny" ${about}>Deny</button>
            <button type="button" class="approve" data-verb="approve" data-term="plan" ${about}>Approve the plan</button></div>`
        : html`<div class="match" role="group" aria-label="Approve the plan with the number, or deny">
            <button type="button" class="deny" data-verb="deny" ${about}>Deny</button>
            <p class="match-question">To approve the plan, pick the number that the requester shows:</p>
            <div class="choices">${choices.map((number) => html`<button type="button" class="approve" data-verb="approve" data-term="plan" data-match="${number}" ${about}>${number}</button>`)}</div></div>`
    }
    <details class="plan-ends"><summary>For a shorter time</summary><fieldset class="terms picked"><legend>The plan ends</legend>${ends}</fieldset></details>
    ${denialHtml()}
  </div>`;
}

/**
 * Returns the ends from which the approver chooses, each with a label and a value for the script. The first end is the requester's wish.
 * With every other end, the plan ends earlier. The values:
 * - `for MS`: this long after the approval
 * - `until UNTIL_MS`: at this moment (Unix ms)
 * - `within MS UNTIL_MS`: the earlier of these two moments
 */
function endsOf(end: Plan['end'], nowMs: number): readonly (readonly [string, string])[] {
  const [wantedMs, value, within] =
    'forMs' in end
      ? [end.forMs, `for ${end.forMs}`, (ms: number) => `for ${ms}`]
      : [end.untilMs - nowMs, `until ${end.untilMs}`, (ms: number) => `within ${ms} ${end.untilMs}`];
  const shorter = TIMES.filter(([, minutes]) => minutes * 60_000 < wantedMs);
  return [
    [endText({ end }), value],
    ...shorter.map(([label, minutes]) => [`for ${label}`, within(minutes * 60_000)] as const),
  ];
}

/** Makes a button for each number. The right number and its place change from request to request, so that no person approves by habit. */
const pickHtml = (
  choices: readonly string[],
  about: Html,
): Html => html`<div class="match" role="group" aria-label="Approve with the number, or deny">
      <button type="button" class="deny" data-verb="deny" ${about}>Deny</button>
      <p class="match-question">To approve <span class="match-term">once</span>, pick the number that the requester shows:</p>
      <div class="choices">${choices.map((number) => html`<button type="button" class="approve" data-verb="approve" data-term="chosen" data-match="${number}" ${about}>${number}</button>`)}</div>
    </div>`;

const scopeHtmlOf = (grant: GrantView, proposals: readonly ProposalView[]): Html | null =>
  grant.request.kind === 'file' ? scopeChoiceHtml(grant) : commandScopeHtml(grant.id, proposals);

const TIMES = [
  ['15 min', 15],
  ['1 h', 60],
  ['8 h', 480],
] as const;

function longerHtml(grant: GrantView, proposals: readonly ProposalView[]): Html {
  const timed = TIMES.map(
    ([label, minutes]) =>
      html`<button type="button" data-verb="approve" data-term="timed" data-for-ms="${minutes * 60_000}">${label}</button> `,
  );
  return html`<details class="longer"><summary>Longer or wider</summary>
      ${scopeHtmlOf(grant, proposals)}
      <fieldset class="terms"><legend>Approve for</legend>
        ${timed}<button type="button" data-verb="approve" data-term="always">Always</button>
      </fieldset>
      <details class="until"><summary>Until …</summary>
        <label>Until <input type="datetime-local" class="until-date" required></label>
        <button type="button" data-verb="approve" data-term="until">Approve until then</button>
      </details>
    </details>`;
}

/**
 * Makes the form fields to choose a term, on a card with numbers. The choice alone does not approve: the approver has to tap a number
 * too. So an approval for more than one use takes two deliberate steps.
 */
function longerPickedHtml(grant: GrantView, proposals: readonly ProposalView[]): Html {
  const choice = (label: string, term: string, more: Html | null = null) =>
    html`<label class="choice"><input type="radio" class="term" name="term-${grant.id}" value="${term}" data-label="${label}"${more}> <span>${label}</span></label>`;
  return html`<details class="longer"><summary>Longer or wider</summary>
      ${scopeHtmlOf(grant, proposals)}
      <fieldset class="terms picked"><legend>With the number, approve</legend>
        ${choice('once', 'once', html` checked`)}
        ${TIMES.map(([label, minutes]) => choice(label, 'timed', html` data-for-ms="${minutes * 60_000}"`))}
        ${choice('always', 'always')}
        ${choice('until', 'until')}
      </fieldset>
      <label class="until-field">Until <input type="datetime-local" class="until-date"></label>
    </details>`;
}

const denialHtml = (): Html => html`<details class="denial"><summary>Deny, and why</summary>
      <label>Reason, shown to the requester <textarea class="deny-reason" rows="2" maxlength="2000"></textarea></label>
      <button type="button" class="deny" data-verb="deny">Deny with this reason</button>
      <button type="button" class="deny" data-verb="deny" data-pauses>Deny and pause this requester</button>
    </details>`;
