/** Makes the page *Inbox* with one short entry for each waiting request. Requests of one kind can be decided together. */
import { mayApproveTogether } from '../../core/grant/approve-together.ts';
import type { EnrolmentView } from '../../core/wire/enrolment.ts';
import { enrolmentCard } from '../cards/enrolment-card.ts';
import { type Brief, briefHtml, wantedText } from '../cards/grant-rows.ts';
import { type RequesterView, requesterCard } from '../cards/requester-card.ts';
import { riskBadge } from '../cards/risk-badge.ts';
import { type Sealing, unsealedNote } from '../cards/unsealed-note.ts';
import { type Html, html } from '../html.ts';
import { shortHtml, visibleHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';

/** The fewest requests of one kind that are shown as a group. */
const LEAST_OF_A_GROUP = 2;

/**
 * @property briefs    the shown requests, the oldest first
 * @property waiting   the number of all waiting requests, including requests that the page does not show
 * @property isManager whether the viewer may resume requesters, and decide about hosts that want to enrol
 * @property sealing   whether an approval by the viewer would be sealed; null: the viewer may not decide requests
 */
export interface InboxView {
  readonly briefs: readonly Brief[];
  readonly enrolments: readonly EnrolmentView[];
  readonly paused: readonly RequesterView[];
  readonly waiting: number;
  readonly isManager: boolean;
  readonly sealing: Sealing | null;
}

/** Shows the oldest request first. So a new request is added at the end, and moves no entry that the approver is reading. */
export function inboxPage(frame: PageFrame, view: InboxView): string {
  const { briefs, enrolments, paused, waiting, isManager, sealing } = view;
  const rest = waiting - briefs.length;
  return page(
    frame,
    html`<div class="cards paused" data-requesters>${paused.map((requester) => requesterCard(requester, isManager))}</div>
      <div class="cards" data-enrolments>${enrolments.map((enrolment) => enrolmentCard(enrolment, isManager))}</div>
      <ul class="briefs" data-cards>${groupsOf(briefs).map((group) => (group.length < LEAST_OF_A_GROUP ? group.map(briefHtml) : groupHtml(group, sealing)))}</ul>
      ${rest > 0 && html`<p class="rest">${rest} more ${rest === 1 ? 'waits' : 'wait'}. <a href="/">Show the next</a> when you have decided these.</p>`}
      <div class="empty"><p class="big">Nothing waits for you.</p><p>New requests appear here by themselves.</p></div>`,
  );
}

/**
 * Returns the groups, in the order of their oldest requests. Requests that the viewer has already approved form a separate group. Then the
 * viewer can approve the other requests together.
 */
function groupsOf(briefs: readonly Brief[]): readonly (readonly Brief[])[] {
  const groups = new Map<string, Brief[]>();
  for (const brief of briefs) {
    const key = `${brief.groupKey ?? brief.grant.id}${brief.rights.hasApproved === true ? ' approved' : ''}`;
    groups.set(key, [...(groups.get(key) ?? []), brief]);
  }
  // The requests of a group that is too small are listed one by one, in the order in which they came.
  return [...groups.values()]
    .flatMap((group) => (group.length < LEAST_OF_A_GROUP ? group.map((brief) => [brief]) : [group]))
    .sort(([left], [right]) => (left?.grant.createdAtMs ?? 0) - (right?.grant.createdAtMs ?? 0));
}

/** The viewer can approve the whole group only if `mayApproveTogether` is true and the viewer may approve each request. */
function groupHtml(group: readonly Brief[], sealing: Sealing | null): Html | null {
  const [first] = group;
  if (first === undefined) return null;
  const { grant, risk } = first;
  const mayApprove = group.every(({ rights }) => rights.whyNotApprove === null) && mayApproveTogether(group);
  return html`<li class="group"><details><summary>
      <span class="top"><span class="who"><strong>${visibleHtml(grant.requesterName)}</strong> <span class="on">on ${visibleHtml(grant.request.host)}</span></span> ${riskBadge(risk)}</span>
      <span class="line"><strong>${group.length}</strong> of one kind, the first: <code>${shortHtml(wantedText(grant.request), 80)}</code></span></summary>
      <ul class="briefs">${group.map(briefHtml)}</ul>
      <p class="message" role="status"></p>
      ${
        group.every(({ rights }) => rights.whyNotDeny === null) &&
        html`<div class="pair">
        <button type="button" class="deny" data-all="deny">Deny all ${group.length}</button>
        ${mayApprove && html`<button type="button" class="approve" data-all="approve">Approve all ${group.length} once</button>${unsealedNote(sealing)}`}
      </div>`
      }
    </details></li>`;
}
