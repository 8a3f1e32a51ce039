/**
 * Makes the card on which an approver reads and decides one grant. Facts that matter for the decision come first. Other facts come last,
 * and are folded.
 */

import { grantConfinementText } from '../../core/confinement/grant-confinement-text.ts';
import type { AssessmentView } from '../../core/effects/assessment-view.ts';
import type { ShownRisk } from '../../core/effects/shown-risk.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../../core/grant/request.ts';
import { ALL_RIGHTS, type ViewerRights } from '../../core/people/viewer-rights.ts';
import { pinPlaceText } from '../../core/sealed/pin-place-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PartSheet } from '../../core/wire/plan.ts';
import type { ProposalView } from '../../core/wire/proposals.ts';
import type { UseView } from '../../core/wire/why.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, visibleHtml } from '../visible-html.ts';
import { actionsHtml, type CardMatch } from './card-actions.ts';
import { contentHtml, interpreterNote, lookAlikeNote } from './card-command.ts';
import { decidingHtml, environmentHtml } from './card-environment.ts';
import {
  coverageHtml,
  neededHtml,
  outcomeHtml,
  sealingHtml,
  stateBadge,
  termHtml,
  usedForHtml,
} from './card-outcome.ts';
import { type DecidedBy, NO_NAMES } from './decided-by.ts';
import { impactHtml } from './impact-html.ts';
import { assessmentHtml } from './line-html.ts';
import { ageHtml, countdownHtml, sizeText } from './moments.ts';
import { approvedPartsNote, planHtml } from './plan-card.ts';
import { riskBadge } from './risk-badge.ts';
import { type Sealing, unsealedNote } from './unsealed-note.ts';

const KIND: Readonly<Record<ExecutionRequest['kind'], string>> = {
  command: 'Command',
  stdin: 'Commands on standard input',
  script: 'Script file',
  argv: 'One program, no shell',
  line: 'Line of an interactive shell',
  file: 'File operation',
  mcp: 'Call of an MCP server',
  fetch: 'Web fetch',
  plan: 'Plan',
};

const kindText = ({ kind, mcp }: ExecutionRequest): string =>
  mcp?.protocol === 'acp' ? 'Tool call of an agent (Agent Client Protocol)' : KIND[kind];

/**
 * The contents of a card that are not in the grant itself.
 * @property assessment null for kinds of requests that are not read as a line
 * @property risk       null if the request was not assessed, for example in lists of decided requests
 * @property deciding   the variables that make the risk unknown
 * @property proposals  the scopes that the approver can choose; empty if the request is not pending
 * @property uses       lines that ran because of the grant, the newest first
 * @property before     the environment of the requester's last approved request; null: no request was approved before, or this request is
 *                      decided
 * @property repeats    how often the requester asked for the same again while the request waited
 * @property isPaused   whether the requester is paused while the request waits
 * @property plan       the parts of the plan; absent if the grant is no plan
 * @property nowMs      when the card was made, by the server's clock (Unix ms)
 * @property sealing    null if the viewer decides nothing, or the request is decided
 * @property match      the numbers from which the approver picks; null: the approval needs no number
 * @property rights     what the viewer may do while the request waits
 * @property needed     how many people have to approve exactly this request; a wider scope can need more
 * @property decidedBy  who approved, denied or revoked the request
 */
export interface AboutGrant {
  readonly assessment: AssessmentView | null;
  readonly risk: ShownRisk | null;
  readonly deciding: readonly EnvironmentEntry[];
  readonly proposals: readonly ProposalView[];
  readonly uses: readonly UseView[];
  readonly before: ExecutionRequest['environment'] | null;
  readonly repeats: number;
  readonly isPaused: boolean;
  readonly sealing: Sealing | null;
  readonly match: CardMatch | null;
  readonly needed: number;
  readonly decidedBy: DecidedBy;
  readonly rights: ViewerRights;
  readonly nowMs: number;
  readonly plan?: readonly PartSheet[];
}

/** The contents of a card whose request is decided, or whose text was cut (`cutFrom`). */
export const NOTHING_MORE: AboutGrant = {
  assessment: null,
  risk: null,
  deciding: [],
  proposals: [],
  uses: [],
  before: null,
  repeats: 0,
  isPaused: false,
  sealing: null,
  match: null,
  needed: 1,
  decidedBy: NO_NAMES,
  rights: ALL_RIGHTS,
  nowMs: 0,
};

export function grantCard(grant: GrantView, about: AboutGrant = NOTHING_MORE): Html {
  const { request } = grant;
  const labelId = `what-${grant.id}`;
  return html`<article class="card ${grant.state}" id="${grant.id}" data-grant-id="${grant.id}" data-version="${grant.version}"
    data-state="${grant.state}" data-requester-id="${grant.requesterId}" data-round="${about.match?.wrong ?? ''}${about.isPaused && ' paused'}" tabindex="-1" aria-labelledby="who-${grant.id} ${labelId}">
    <header>
      <p class="who" id="who-${grant.id}"><strong>${visibleHtml(grant.requesterName)}</strong> <span class="on">on ${visibleHtml(request.host)}</span></p>
      <p class="badges">${about.risk !== null && riskBadge(about.risk)}${grant.state !== 'pending' && stateBadge(grant.state)}</p>
    </header>
    <p class="meta">${kindText(request)} · ${ageHtml(grant.createdAtMs)}${againHtml(about.repeats)}${lifeHtml(grant)}${unsealedHtml(grant, about)}</p>
    ${about.isPaused && PAUSED}
    ${about.plan === undefined ? contentHtml(request, labelId) : planHtml(grant, about.plan, labelId)}
    ${about.plan === undefined && approvedPartsNote(grant)}
    ${cutHtml(grant)}
    ${factsHtml(grant)}
    ${lookAlikeNote(request)}
    ${grant.state === 'pending' && decidingHtml(about.deciding)}
    ${about.assessment !== null && about.plan === undefined && assessmentHtml(about.assessment)}
    ${grant.state === 'pending' && impactHtml(grant.touches, request.host)}
    ${interpreterNote(request)}
    ${reasonHtml(grant)}
    ${environmentHtml(request, grant.state === 'pending' ? about.deciding : [], about.before, pinHtml(grant))}
    ${outcomeHtml(grant, about.decidedBy)}
    ${grant.state === 'pending' && grant.approvals === undefined && neededHtml(about.needed)}
    ${grant.state === 'pending' && sealingHtml(grant, about)}
    ${about.plan === undefined && usedForHtml(about.uses)}
    <p class="message" role="status"></p>
    ${actionsHtml(grant, about, labelId)}
  </article>`;
}

const PAUSED = html`<p class="note">This requester is paused: what you approve runs only after an approver has resumed the requester on the page <a href="/">Inbox</a>.</p>`;

/** Shows how often the requester asked for the same while the request waits. */
export const againHtml = (repeats: number): Html | null =>
  repeats === 0 ? null : html` · asked ${repeats + 1}${repeats >= MAX_REPEATS && ' or more'} times`;

/**
 * Makes the note that an approval would not be sealed. If the host takes only sealed approvals, `sealingHtml` makes another note instead.
 */
function unsealedHtml({ state, sealedOnly }: GrantView, { sealing, rights }: AboutGrant): Html | null {
  const mayApprove = state === 'pending' && sealedOnly !== true && rights.whyNotApprove === null;
  const note = mayApprove ? unsealedNote(sealing) : null;
  return note && html` · ${note}`;
}

/** The most repeats that are counted. */
export const MAX_REPEATS = 99;

function lifeHtml(grant: GrantView): Html | null {
  if (grant.state === 'pending') return html` · expires ${countdownHtml(grant.expiresAtMs)}`;
  if (grant.state !== 'approved' || grant.term === null) return null;
  if (grant.term.kind === 'timed') return html` · ends ${countdownHtml(grant.term.untilMs)}`;
  return grant.term.kind === 'once' ? html` · lapses unused ${countdownHtml(grant.expiresAtMs)}` : null;
}

/**
 * Makes a link to the whole request in place of the buttons, because an approver must not decide about a text that the card does not show.
 */
const cutHtml = ({ id, state, cutFrom }: GrantView): Html | null =>
  cutFrom === undefined
    ? null
    : html`<p class="note">This is the beginning of ${sizeText(cutFrom)}.
        <a class="button" href="/grants/${id}">${state === 'pending' ? 'Read all of it, and decide' : 'Read all of it'}</a></p>`;

/**
 * Shows what the host reports about its pin. No decision depends on this report. So the card shows the report together with the
 * environment.
 */
const pinHtml = ({ pin, request }: GrantView): Html | null =>
  pin === undefined ? null : html`<p class="hint pin">As ${visibleHtml(request.host)} says: ${pinPlaceText(pin)}.</p>`;

function reasonHtml(grant: GrantView): Html | null {
  if (grant.reason === null) return null;
  return html`<blockquote class="reason"><h2>The requester says</h2><p tabindex="0">${visibleHtml(grant.reason)}</p></blockquote>`;
}

function factsHtml(grant: GrantView): Html {
  const { request } = grant;
  const given = grantConfinementText(grant);
  return html`<p class="place">in <code>${lineHtml(request.cwd)}</code> as <code>${lineHtml(request.user)}</code></p>
    ${
      (grant.scope !== null || given !== null || grant.proposedTerm.kind !== 'once') &&
      html`<dl class="facts">
      ${grant.scope && grant.request.kind !== 'plan' && html`<div><dt>Covers</dt><dd>${coverageHtml(grant.scope)}</dd></div>`}
      ${given !== null && html`<div><dt>Held to</dt><dd>${visibleHtml(given)}</dd></div>`}
      ${grant.proposedTerm.kind !== 'once' && html`<div><dt>Asks for</dt><dd>${termHtml(grant.proposedTerm)}</dd></div>`}
    </dl>`
    }`;
}
