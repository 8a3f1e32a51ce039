/** Makes the entry of one grant in the history and in the inbox. A tap on the entry opens the grant. */
import type { ShownRisk } from '../../core/effects/shown-risk.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import type { ViewerRights } from '../../core/people/viewer-rights.ts';
import { lookAlikesIn } from '../../core/text/look-alikes.ts';
import { decidingText } from '../../core/variables/deciding-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml, visibleHtml } from '../visible-html.ts';
import { coverageHtml, stateBadge } from './card-outcome.ts';
import { type DecidedBy, decidedByHtml, NO_NAMES } from './decided-by.ts';
import { againHtml } from './grant-card.ts';
import { ageHtml } from './moments.ts';
import { riskBadge } from './risk-badge.ts';
import { belowLineHtml } from './whole-request.ts';

export function grantRowHtml(grant: GrantView, decidedBy: DecidedBy = NO_NAMES): Html {
  const { request } = grant;
  return html`<li class="row" data-grant-id="${grant.id}" data-version="${grant.version}" data-state="${grant.state}">
    <a href="/grants/${grant.id}"><code>${shortHtml(wantedText(request))}</code></a>
    <p class="meta">${stateBadge(grant.state)} ${visibleHtml(grant.requesterName)} on ${visibleHtml(request.host)} · ${ageHtml(grant.createdAtMs)}${decidedByHtml(grant, decidedBy)}</p>
    ${grant.scope && html`<p class="meta">covers ${coverageHtml(grant.scope)}</p>`}
  </li>`;
}

/**
 * A request as the inbox lists it.
 * @property deciding names of the variables that make the risk unknown
 * @property repeats  how often the requester repeated the request while it waited
 * @property rights   what the viewer may do about the request
 * @property groupKey equal for requests of one requester with the same kind of action, risk, host, user, directory and environment; null:
 *                    the request belongs to no group
 */
export interface Brief {
  readonly grant: GrantView;
  readonly risk: ShownRisk;
  readonly deciding: readonly string[];
  readonly repeats: number;
  readonly groupKey: string | null;
  readonly rights: ViewerRights;
}

/** Makes the entry of one request in the inbox. The style sheet shows the output of `belowLineHtml` only in an opened group. */
export function briefHtml({ grant, risk, deciding, repeats, rights }: Brief): Html {
  const { request } = grant;
  const text = wantedText(request);
  return html`<li class="brief ${grant.state}" data-grant-id="${grant.id}" data-version="${grant.version}" data-state="${grant.state}" data-risk="${risk}">
    <a href="/grants/${grant.id}">
      <span class="top"><span class="who"><strong>${visibleHtml(grant.requesterName)}</strong> <span class="on">on ${visibleHtml(request.host)}</span></span>
        ${grant.state === 'pending' ? riskBadge(risk) : stateBadge(grant.state)}</span>
      <code class="line">${shortHtml(text, 200)}</code>
      <span class="meta">in ${lineHtml(request.cwd)} · ${ageHtml(grant.createdAtMs)}${againHtml(repeats)}${grant.state === 'pending' && othersHtml(rights)}${grant.state === 'pending' && deciding.length > 0 && html` · <strong class="deciding">${shortHtml(decidingText(deciding), 120)}</strong>`}${lookAlikesIn(text, 1).length > 0 && html` · <strong class="suspect">letters that only look alike</strong>`}${grant.denyReason !== null && html` · “${visibleHtml(grant.denyReason)}”`}</span>
    </a>
    ${grant.state === 'pending' && belowLineHtml(request)}
  </li>`;
}

const othersHtml = ({ whyNotApprove, hasApproved }: ViewerRights): Html | null =>
  whyNotApprove === null
    ? null
    : html` · <span class="not-yours">${hasApproved === true ? whyNotApprove : 'for another approver'}</span>`;

/** Returns a request as the lists show it: the command line, the call, or the file operations without the contents to write. */
export const wantedText = (request: ExecutionRequest): string =>
  request.kind === 'file' ? operationsOf(request) : request.text;

const operationsOf = ({ files = [] }: ExecutionRequest): string =>
  files.map(({ verb, path }) => `${verb} ${path}`).join(', ');
