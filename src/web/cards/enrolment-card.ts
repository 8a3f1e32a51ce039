/** Makes the card of a host that asks to use this server. */
import type { EnrolmentView } from '../../core/wire/enrolment.ts';
import { type Html, html } from '../html.ts';
import { visibleHtml } from '../visible-html.ts';
import { ageHtml, countdownHtml } from './moments.ts';

const OUTCOME = {
  approved: 'Enrolled: this host may ask now. Each command still needs your approval.',
  denied: 'Turned away.',
  expired: 'Nobody decided in time.',
} as const;

export function enrolmentCard(enrolment: EnrolmentView): Html {
  const { state } = enrolment;
  return html`<article class="card enrolment ${state}" data-enrolment-id="${enrolment.id}" data-state="${state}" tabindex="-1">
    <header><p class="who"><strong>${visibleHtml(enrolment.name)}</strong> wants to use this server</p></header>
    <p class="meta">asked ${ageHtml(enrolment.createdAtMs)}${state === 'pending' && html` · expires ${countdownHtml(enrolment.expiresAtMs)}`}</p>
    <dl class="facts">
      <div><dt>Host</dt><dd><code>${visibleHtml(enrolment.host)}</code></dd></div>
      <div><dt>User</dt><dd><code>${visibleHtml(enrolment.user)}</code></dd></div>
    </dl>
    <p class="code-line">Code <strong class="code">${enrolment.code.slice(0, 4)} ${enrolment.code.slice(4)}</strong></p>
    ${
      state === 'pending'
        ? html`<p class="note">Approve only if the same code is shown on that host.</p>
          <div class="actions pair">
            <button type="button" class="approve" data-verb="approve">Same code: approve</button>
            <button type="button" class="deny" data-verb="deny">Deny</button>
          </div>`
        : html`<p class="outcome">${OUTCOME[state]}</p>`
    }
    <p class="message" role="status"></p>
  </article>`;
}
