/** Makes the card of a host that asks to use this server. */
import type { EnrolmentView } from '../../core/wire/enrolment.ts';
import { type Html, html } from '../html.ts';
import { visibleHtml } from '../visible-html.ts';
import { ageHtml, countdownHtml } from './moments.ts';
import { notYoursHtml } from './not-yours-note.ts';

const OUTCOME = {
  approved: 'Enrolled: this host may ask now. Each command still needs your approval.',
  denied: 'Turned away.',
  expired: 'No approver decided in time.',
} as const;

/** @param isManager whether the viewer may decide about hosts */
export function enrolmentCard(enrolment: EnrolmentView, isManager = true): Html {
  const { state, code } = enrolment;
  return html`<article class="card enrolment ${state}" data-enrolment-id="${enrolment.id}" data-state="${state}" data-code="${code ?? ''}" tabindex="-1">
    <header><p class="who"><strong>${visibleHtml(enrolment.name)}</strong> wants to use this server</p></header>
    <p class="meta">asked ${ageHtml(enrolment.createdAtMs)}${state === 'pending' && html` · expires ${countdownHtml(enrolment.expiresAtMs)}`}</p>
    <dl class="facts">
      <div><dt>Host</dt><dd><code>${visibleHtml(enrolment.host)}</code></dd></div>
      <div><dt>User</dt><dd><code>${visibleHtml(enrolment.user)}</code></dd></div>
    </dl>
    ${code !== null && html`<p class="code-line">Code <strong class="code">${spaced(code)}</strong></p>`}
    ${
      state === 'pending'
        ? html`${twinsHtml(enrolment)}${isManager ? decisionHtml(code) : notYoursHtml('an approver without limits decides about new hosts')}`
        : html`<p class="outcome">${OUTCOME[state]}</p>`
    }
    <p class="message" role="status"></p>
  </article>`;
}

const spaced = (code: string): string => `${code.slice(0, 4)} ${code.slice(4)}`;

/** Repeats the code beside the buttons: the host chooses its names, and a name can look like a line with a code. */
const decisionHtml = (
  code: string | null,
): Html => html`<p class="note">${code === null ? 'The host has not sent its part of the code yet. The code appears here by itself.' : html`Approve only if that host shows the same code: <strong>${spaced(code)}</strong>`}</p>
          <div class="actions pair">
            ${code !== null && html`<button type="button" class="approve" data-verb="approve">Same code: approve</button>`}
            <button type="button" class="deny" data-verb="deny">Deny</button>
          </div>`;

/**
 * Warns of the newest requester that an approver could mistake for this host. Returns false if there is no such requester. This host is
 * possibly an attacker that pretends to be that requester. Or this host is the host of that requester, with a new key.
 */
function twinsHtml({ twins = [] }: EnrolmentView): Html | false {
  const [newest] = twins.toSorted((left, right) => right.sinceMs - left.sinceMs);
  if (newest === undefined) return false;
  const { name, host, user, sinceMs } = newest;
  return html`<p class="note" role="alert">Another requester of this name, or of this host and user, exists already: <strong>${visibleHtml(name)}</strong>, <code>${visibleHtml(user)}</code> on <code>${visibleHtml(host)}</code>, enrolled ${ageHtml(sinceMs)}${twins.length > 1 && html`, and ${twins.length - 1} more`}. That requester stays valid. If this is the same host with a new key, revoke the other requester on the page Requesters.</p>`;
}
