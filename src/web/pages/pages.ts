/** The pages. Each takes what it shows and gives a whole document. */

import type { EnrolmentView } from '../../core/wire/enrolment.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { WebAssets } from '../assets.ts';
import { enrolmentCard } from '../cards/enrolment-card.ts';
import { type AboutGrant, grantCard } from '../cards/grant-card.ts';
import { type RemovedShown, removedHtml } from '../cards/removed-note.ts';
import { type Html, html } from '../html.ts';
import { type PageFrame, page, plainPage } from './page-frame.ts';

export interface CardView {
  readonly grant: GrantView;
  readonly about: AboutGrant;
}

const card = ({ grant, about }: CardView) => grantCard(grant, about);

export const grantPage = (frame: PageFrame, shown: CardView): string =>
  page(frame, html`<div class="cards" data-cards>${card(shown)}</div>`);

export const enrolmentPage = (frame: PageFrame, enrolment: EnrolmentView): string =>
  page(frame, html`<div class="cards" data-cards>${enrolmentCard(enrolment)}</div>`);

export const standingPage = (frame: PageFrame, grants: readonly GrantView[]): string =>
  page(
    frame,
    html`<p class="lead">These run without asking again, exactly as shown or as far as they say, until they end or you revoke them.</p>
      <div class="cards" data-cards>${grants.map((grant) => grantCard(grant))}</div>
      <div class="empty"><p class="big">No standing approvals.</p><p>Approve something for a time, or always, and it is listed here.</p></div>`,
  );

/**
 * Requests, and lines that ran or were refused without one, the newest first.
 * @param older   where the next page begins, or null at the end
 * @param removed what is not kept any longer
 */
export const historyPage = (
  frame: PageFrame,
  rows: readonly Html[],
  older: string | null,
  removed: readonly RemovedShown[],
): string =>
  page(
    frame,
    html`<ul class="rows" data-rows>${rows}</ul>
      ${older !== null && html`<p><a class="button" href="/history?before=${older}">Older</a></p>`}
      ${older === null && removedHtml(removed)}
      <div class="empty"><p class="big">Nothing yet.</p></div>`,
  );

export const nothingHerePage = (assets: WebAssets, what: string): string =>
  plainPage(assets, 'Nothing here', html`<p>${what}</p><p><a class="button" href="/">To the inbox</a></p>`);

export const troublePage = (assets: WebAssets): string =>
  plainPage(
    assets,
    'The server has trouble',
    html`<p>It cannot use its database at this moment. Nothing was decided, and nothing ran.</p>
      <p>Try again; if it stays like this, look at the server’s log.</p>`,
  );

/** A link from elsewhere arrives without the cookie (SameSite=Strict); coming from our own page it does not. */
export const samePlacePage = (assets: WebAssets, address: string): string =>
  plainPage(
    assets,
    'One moment',
    html`<p><a class="button" href="${address}">Go on</a></p>`,
    html`<meta http-equiv="refresh" content="0; url=${assets.basePath}${address}">`,
  );
