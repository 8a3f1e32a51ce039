/**
 * Makes the page *Settings*: when an approval needs a passkey, and how many people have to approve. Only the owner can change these
 * settings.
 */
import { RISKS } from '../../core/effects/permission.ts';
import { quorumText } from '../../core/people/limits-text.ts';
import { approvalsNeeded } from '../../core/people/may-decide.ts';
import type { PasskeyAbove } from '../../core/wire/passkeys.ts';
import type { Quorum } from '../../core/wire/people.ts';
import { type Html, html } from '../html.ts';
import { lineHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';

/**
 * @property quorum   null: the people rules in the database cannot be read
 * @property deciders how many people may decide
 * @property server   facts about this server
 */
export interface SettingsView {
  readonly isOwner: boolean;
  readonly passkeyAbove: PasskeyAbove;
  readonly quorum: Quorum | null;
  readonly deciders: number;
  readonly server: { readonly version: string; readonly publicUrl: string };
}

export function settingsPage(frame: PageFrame, view: SettingsView): string {
  const { quorum, server } = view;
  return page(
    frame,
    html`${!view.isOwner && html`<p class="lead">Only the owner can change these settings, after signing in with a browser.</p>`}
      ${passkeyHtml(view)}
      ${quorum !== null && quorumHtml(quorum, view)}
      <section class="server"><h2>This server</h2>
        <div class="cards"><article class="card"><dl class="facts">
          <div><dt>Version</dt><dd>${server.version}</dd></div>
          <div><dt>Address</dt><dd><code>${lineHtml(server.publicUrl)}</code></dd></div>
        </dl></article></div>
      </section>`,
  );
}

/** The choices have short texts, because a phone of 360 px cuts off long texts. */
const ABOVE: Readonly<Record<PasskeyAbove, string>> = {
  none: 'every approval',
  low: 'all except low risk',
  medium: 'high, critical or unknown risk',
  high: 'critical or unknown risk',
  critical: 'no approval',
};

function passkeyHtml({ passkeyAbove, isOwner }: SettingsView): Html {
  const option = (value: PasskeyAbove) =>
    html`<option value="${value}"${value === passkeyAbove && html` selected`}>${ABOVE[value]}</option>`;
  return html`<section class="when"><h2>When a passkey is needed</h2>
      <div class="cards"><article class="card" data-devices>
        ${
          isOwner
            ? html`<label class="field">A person who has a passkey confirms with it <select data-field="passkeyAbove">${(['none', ...RISKS] as const).map(option)}</select></label>
              <div class="actions"><button type="button" data-passkey="send" data-path="/v1/approval-settings">Set</button></div>`
            : html`<p>A person who has a passkey confirms with it: ${ABOVE[passkeyAbove]}.</p>`
        }
        <p class="message" role="status"></p>
      </article></div>
    </section>`;
}

const MAX_PEOPLE = 9;

function quorumHtml(quorum: Quorum, { isOwner, deciders }: SettingsView): Html {
  const most = Math.max(deciders, ...RISKS.map((risk) => quorum[risk]));
  const counts = Array.from({ length: Math.min(most, MAX_PEOPLE) }, (_, index) => index + 1);
  return html`<section class="quorum"><h2>How many people an approval takes</h2>
      <div class="cards"><article class="card" data-devices>
        <p class="hint">For each risk: how many different people have to approve a request. One denial denies the request. A higher risk never needs fewer people than a lower risk.</p>
        ${approvalsNeeded(quorum, 'critical') > deciders && html`<p class="note">Some risks need more people than decide here (${deciders}). Requests of these risks are never approved.</p>`}
        ${
          isOwner
            ? html`${RISKS.map(
                (risk) =>
                  html`<label class="field">${risk} risk <select data-field="quorum.${risk}" data-kind="number">${counts.map((count) => html`<option${count === approvalsNeeded(quorum, risk) && html` selected`}>${count}</option>`)}</select></label>`,
              )}
              <p class="hint">Hosts that take sealed approvals follow a change only after you have signed it: <code>apes approvers people</code>.</p>
              <div class="actions"><button type="button" data-passkey="send" data-path="/v1/people-rules">Set</button></div>`
            : html`<p>${quorumText(quorum)}</p>`
        }
        <p class="message" role="status"></p>
      </article></div>
    </section>`;
}
