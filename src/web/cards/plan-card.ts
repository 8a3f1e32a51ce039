/**
 * Shows a plan on its card. Before the decision, each part shows its line and its effects, with fields to strike out or narrow the part.
 * After the decision, each part shows its state and the lines that ran under this part.
 */
import { isForPlan } from '../../core/grant/grant.ts';
import { endText } from '../../core/plan/plan.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PartOffer, PartSheet } from '../../core/wire/plan.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml, visibleHtml } from '../visible-html.ts';
import { heldHtml } from './held-html.ts';
import { assessmentHtml } from './line-html.ts';
import { ageHtml } from './moments.ts';
import { riskBadge } from './risk-badge.ts';

export function planHtml(grant: GrantView, parts: readonly PartSheet[], labelId: string): Html {
  const { plan } = grant.request;
  const isAsked = grant.state === 'pending';
  return html`<div class="content plan" data-order="${plan?.order === true ? 'yes' : 'no'}">
      <p class="plan-title" id="${labelId}"><strong>${headOf(grant, parts)}</strong>${plan !== undefined && isAsked && html`, ${endText(plan)}`}</p>
      <ol class="plan-parts">${parts.map((part) => (isAsked ? askedHtml(grant, part) : doneHtml(grant, part)))}</ol>
    </div>`;
}

/**
 * Makes the note that says which parts of a plan were approved. The note is for a card that shows only the requested plan. Returns null if
 * the grant is no plan, or was not approved.
 */
export function approvedPartsNote({ id, request, scope }: GrantView): Html | null {
  if (!isForPlan(scope)) return null;
  const given = scope.parts.map(({ part, uses }) => `part ${part}, ${uses === 1 ? 'once' : `up to ${uses} times`}`);
  const kept = new Set(scope.parts.map(({ part }) => part));
  const struck = (request.plan?.parts ?? []).flatMap((_, at) => (kept.has(at + 1) ? [] : [`part ${at + 1}`]));
  return html`<p class="note">Approved parts: ${given.join('; ')}.${struck.length > 0 && ` Struck out: ${struck.join(', ')}.`} <a href="/grants/${id}">How far each part reaches</a></p>`;
}

function headOf({ state, request: { plan } }: GrantView, parts: readonly PartSheet[]): Html {
  const order = plan?.order === true && ', one after the other';
  const count = html`${parts.length} ${parts.length === 1 ? 'part' : 'parts'}`;
  if (state === 'pending') return html`Plan of ${count}${order}`;
  const isGiven = parts.some(({ given }) => given !== null);
  if (!isGiven) return html`Plan of ${count}${order}, not approved`;
  const done = parts.filter(({ used }) => used > 0).length;
  return html`Planned ${parts.filter(({ given }) => given !== null).length}, done ${done}${order}`;
}

function askedHtml({ id, request }: GrantView, part: PartSheet): Html {
  const { part: number, text, cwd, risk, offers, assessment, wantedUses, fingerprint } = part;
  const widest = offers.at(-1);
  return html`<li class="plan-part" data-part="${number}" data-fingerprint="${fingerprint}">
      <label class="choice keep"><input type="checkbox" class="keep-part" checked>
        <span class="part-number">Part ${number}</span> ${riskBadge(risk)}</label>
      <pre class="part-line" tabindex="0" aria-label="Part ${number}">${visibleHtml(text)}</pre>
      ${cwd !== request.cwd && html`<p class="place">in <code>${lineHtml(cwd)}</code></p>`}
      ${offers.length > 1 ? scopesHtml(id, part) : widest !== undefined && html`<p class="hint">exactly this line<input type="radio" class="part-scope" name="part-scope-${id}-${number}" value="exact" data-scope="null" checked hidden></p>`}
      <label class="uses-field">Uses, at most <input type="number" class="part-uses" min="1" max="${wantedUses}" step="1" value="${wantedUses}" inputmode="numeric"></label>
      ${assessment !== null && html`<details class="part-meaning"><summary>What it does</summary>${assessmentHtml(assessment)}</details>`}
    </li>`;
}

/** Makes the form fields to choose a part's scope. The scope that the requester asked for is preselected. All others are narrower. */
function scopesHtml(id: string, { part, offers }: PartSheet): Html {
  return html`<fieldset class="part-scopes"><legend>How far</legend>${[...offers]
    .reverse()
    .map((offer, at) => offerHtml(`part-scope-${id}-${part}`, offer, at === 0))}</fieldset>`;
}

const offerHtml = (name: string, { id, title, scope, held }: PartOffer, isChosen: boolean): Html =>
  html`<div class="proposal"><label class="choice"><input type="radio" class="part-scope" name="${name}" value="${id}" data-scope="${JSON.stringify(scope)}"${isChosen && html` checked`}>
      <span class="title">${lineHtml(title)}</span></label>${scope !== null && held !== null && heldHtml(held)}</div>`;

const STATE: Readonly<Record<PartSheet['state'], string>> = {
  asked: 'Not approved',
  struck: 'Struck out',
  next: 'Covered',
  later: 'Waits for the part before',
  done: 'Done',
};

function doneHtml({ scope }: GrantView, { part, text, state, risk, used, given, runs }: PartSheet): Html {
  const isExact = isForPlan(scope) && scope.parts.some((own) => own.part === part && own.scope === null);
  return html`<li class="plan-part ${state}" data-part="${part}">
      <p class="keep"><span class="part-number">Part ${part}</span> ${riskBadge(risk)} <span class="part-state">${STATE[state]}</span>${given !== null && html` · used ${used} of ${given.uses}`}</p>
      <pre class="part-line" tabindex="0" aria-label="Part ${part}">${visibleHtml(text)}</pre>
      ${given !== null && !isExact && html`<p class="hint">covers: ${lineHtml(given.title)}</p>`}
      ${given?.held != null && heldHtml(given.held)}
      ${runs.length > 0 && html`<ul class="part-runs" aria-label="Ran because of part ${part}">${runs.map(({ atMs, line }) => html`<li><code>${shortHtml(line)}</code> <span class="hint">${ageHtml(atMs)}</span></li>`)}</ul>`}
    </li>`;
}
