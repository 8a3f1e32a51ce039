/** Makes the page *Rules*: what is forbidden, and which requesters may read without asking. */
import { hasNeededSeal } from '../../core/grant/grant.ts';
import type { DenyPolicy } from '../../core/policy/policy.ts';
import type { PolicyView } from '../../core/wire/policy.ts';
import type { ReadingDirectory, ReadingEvidence } from '../../core/wire/reading-evidence.ts';
import { SEALED_ONLY } from '../cards/card-outcome.ts';
import { ageHtml } from '../cards/moments.ts';
import { type Sealing, unsealedNote } from '../cards/unsealed-note.ts';
import { Html, html } from '../html.ts';
import { lineHtml, shortHtml, visibleHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';

/** @property isSealedOnly whether the host accepted only sealed approvals when the host last filed a request */
export interface RequesterRules extends ReadingEvidence {
  readonly isSealedOnly: boolean;
}

interface NamedRequester {
  readonly requesterId: string;
  readonly requesterName: string;
  readonly isRevoked: boolean;
}

/**
 * @property policies   the live policies, the newest first
 * @property requesters requesters and their past reading. Requesters with a reading policy come first; both groups are sorted by name
 * @property names      the names of all requesters, also of revoked ones
 * @property leftOut    how many requesters are missing in `requesters`, because `requesters` has a limit
 * @property sealing    how a new policy of the viewer would be sealed, or why it would not be sealed; null: the viewer decides nothing
 */
export interface RulesView {
  readonly policies: readonly PolicyView[];
  readonly requesters: readonly RequesterRules[];
  readonly names: readonly NamedRequester[];
  readonly leftOut: number;
  readonly sealing: Sealing | null;
}

export function rulesPage(frame: PageFrame, view: RulesView): string {
  const { policies, requesters, names, leftOut, sealing } = view;
  const denies = policies.filter((policy) => policy.effect === 'deny');
  return page(
    frame,
    html`<p class="lead">Rules come before every approval, and apply to all later requests.</p>
      <section class="forbidden"><h2>Forbidden</h2>
        <p class="hint">No approval and no rule lets these run.</p>
        ${denies.length === 0 && html`<p class="none">Nothing is forbidden.</p>`}
        <div class="cards">${denies.map((policy) => denyHtml(policy, names))}${addHtml(names)}</div>
      </section>
      <section class="reading"><h2>Reading without asking</h2>
        <p class="hint">Commands that only read, inside directories you choose, with programs that only root can change. Off unless you switch it on.</p>
        ${requesters.length === 0 && html`<p class="none">No host is enrolled yet.</p>`}
        <div class="cards">${requesters.map((requester) => readingHtml(requester, policies, sealing))}</div>
        ${leftOut > 0 && html`<p class="hint">${leftOut} more ${leftOut === 1 ? 'requester is' : 'requesters are'} not shown here. Revoke those that you no longer use, on the page <a href="/people">People</a>.</p>`}
      </section>`,
  );
}

function denyHtml(policy: DenyPolicy & { readonly title: string }, names: readonly NamedRequester[]): Html {
  const { id, title, reason, requesterId, uses, createdAtMs } = policy;
  const whom = names.find((named) => named.requesterId === requesterId)?.requesterName ?? requesterId;
  return html`<article class="card rule" data-policy-id="${id}">
      <p class="title"><strong>${lineHtml(title)}</strong></p>
      <p>${lineHtml(reason)}</p>
      <p class="meta">${whom === null ? 'for everybody' : html`for ${lineHtml(whom)}`} · since ${ageHtml(createdAtMs)} · ${timesText(uses, 'refused')}</p>
      <div class="actions"><button type="button" class="deny" data-rule="end">End this rule</button></div>
      <p class="message" role="status"></p>
    </article>`;
}

const timesText = (uses: number, what: string): string =>
  uses === 0 ? `never ${what}` : `${what} ${uses === 1 ? 'once' : `${uses} times`}`;

function addHtml(names: readonly NamedRequester[]): Html {
  const plain = 'spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr"';
  return html`<details class="card add-rule"><summary>Forbid something</summary>
      <fieldset class="by"><legend>What</legend>
        <label class="choice"><input type="radio" name="by" value="text" checked> <span>lines with this text</span></label>
        <label class="field by-text">Text <input type="text" class="rule-text" placeholder="*curl*|*sh*" ${attributes(plain)}><span class="hint">A * matches any text. The text is compared with the whole line, with each command in the line, and with each command that a wrapper runs.</span></label>
        <label class="choice"><input type="radio" name="by" value="operation"> <span>this operation</span></label>
        <div class="by-operation" hidden>
          <label class="field">Operation <input type="text" class="rule-operation" placeholder="git push*" ${attributes(plain)}><span class="hint">As cards name it: git push, rm, docker run. A * at the end matches every operation with this beginning. A * alone matches every operation.</span></label>
          <label class="field">On files below <input type="text" class="rule-below" placeholder="anywhere" ${attributes(plain)}><span class="hint">A directory: the rule then refuses only commands that touch files in this directory.</span></label>
        </div>
      </fieldset>
      <label class="field">For <select class="rule-requester"><option value="">everybody</option>${names
        .filter(({ isRevoked }) => !isRevoked)
        .map(
          ({ requesterId, requesterName }) => html`<option value="${requesterId}">${lineHtml(requesterName)}</option>`,
        )}</select></label>
      <label class="field">Reason, shown to the requester <input type="text" class="rule-reason" maxlength="500"></label>
      <button type="button" class="deny" data-rule="forbid">Forbid it</button>
      <p class="message" role="status"></p>
    </details>`;
}

/** Returns a text as attributes, unescaped. Call this function only with constant text. */
const attributes = (text: string): Html => new Html(text);

type Reading = Extract<PolicyView, { readonly effect: 'allow-reading' }>;

function readingHtml(requester: RequesterRules, policies: readonly PolicyView[], sealing: Sealing | null): Html {
  const { requesterId, requesterName, of, reading, directories, isSealedOnly } = requester;
  const live = policies.filter(
    (policy): policy is Reading => policy.effect === 'allow-reading' && policy.requesterId === requesterId,
  );
  const hasEffect = live.some((policy) => hasNeededSeal(policy, isSealedOnly));
  return html`<article class="card reading-policy" data-requester-id="${requesterId}">
      <header><p class="who"><strong>${lineHtml(requesterName)}</strong></p><span class="badge ${hasEffect && 'approved'}">${stateText(live.length > 0, hasEffect)}</span></header>
      ${live.map(
        ({
          id,
          title,
          uses,
          sealed,
        }) => html`<div class="live" data-policy-id="${id}"><p>${lineHtml(title)}</p><p class="meta">${timesText(uses, 'used')} · ${sealed === undefined ? unsealedNote('no-list') : html`sealed by ${visibleHtml(sealed.by ?? sealed.seal.keyId)}`}</p>
          <div class="actions"><button type="button" class="deny" data-rule="end">Switch off</button></div></div>`,
      )}
      <p class="evidence">${of === 0 ? 'This requester has no past requests to compare with.' : html`${reading} of its last ${of} ${of === 1 ? 'request' : 'requests'} only read.`}</p>
      ${isSealedOnly && demandHtml(live, hasEffect, sealing)}
      ${live.length === 0 && directories.length > 0 && chooseHtml(directories, sealing)}
      <p class="message" role="status"></p>
    </article>`;
}

const stateText = (isOn: boolean, hasEffect: boolean): string => (hasEffect ? 'On' : isOn ? 'No effect' : 'Off');

/**
 * Says that the host takes only sealed approvals, and what a viewer who decides has to do. Returns null in two cases:
 * - a live policy has effect
 * - there is no live policy, and the viewer can make one that has effect
 */
function demandHtml(live: readonly Reading[], hasEffect: boolean, sealing: Sealing | null): Html | null {
  const maySeal = sealing === 'by-passkey'; // a break-glass key seals no policy
  if (hasEffect || (live.length === 0 && maySeal)) return null;
  if (sealing === null) return html`<p class="note seal-needed">${SEALED_ONLY}</p>`; // an auditor switches nothing on
  return html`<p class="note seal-needed">${SEALED_ONLY} ${
    maySeal
      ? 'Switch this off, and on again with your passkey.'
      : html`Register a passkey on the page <a href="/devices">Devices</a> and have it admitted as an approver, before you switch this on.`
  }</p>`;
}

function chooseHtml(directories: readonly ReadingDirectory[], sealing: Sealing | null): Html {
  return html`<fieldset class="directories"><legend>Inside</legend>
      ${directories.map(
        ({
          directory,
          count,
          samples,
          environmentOf,
        }) => html`<label class="choice"><input type="checkbox" value="${directory}" data-environment-of="${environmentOf}">
          <span><code>${lineHtml(directory)}</code> <span class="evidence">${count} of them${samples.length > 0 && html`, for example ${samples.slice(0, 3).map((sample, at) => html`${at > 0 && ', '}<code>${shortHtml(sample, 60)}</code>`)}`}</span></span></label>`,
      )}
    </fieldset>
    <div class="actions"><button type="button" data-rule="reading" disabled>Let reading there run without asking</button>${unsealedNote(sealing)}</div>`;
}
