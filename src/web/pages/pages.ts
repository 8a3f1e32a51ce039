/** Makes small pages; each function returns a whole document. */

import type { EnrolmentView } from '../../core/wire/enrolment.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { WebAssets } from '../assets.ts';
import { enrolmentCard } from '../cards/enrolment-card.ts';
import { type AboutGrant, grantCard } from '../cards/grant-card.ts';
import { html } from '../html.ts';
import { type PageFrame, page, plainPage } from './page-frame.ts';

export interface CardView {
  readonly grant: GrantView;
  readonly about: AboutGrant;
}

const card = ({ grant, about }: CardView) => grantCard(grant, about);

export const grantPage = (frame: PageFrame, shown: CardView): string =>
  page(frame, html`<div class="cards" data-cards>${card(shown)}</div>`);

/** @param isManager whether the viewer may decide about hosts */
export const enrolmentPage = (frame: PageFrame, enrolment: EnrolmentView, isManager: boolean): string =>
  page(frame, html`<div class="cards" data-cards>${enrolmentCard(enrolment, isManager)}</div>`);

export const nothingHerePage = (assets: WebAssets, what: string): string =>
  plainPage(assets, 'Nothing here', html`<p>${what}</p><p><a class="button" href="/">To the inbox</a></p>`);

export const troublePage = (assets: WebAssets): string =>
  plainPage(
    assets,
    'The server has trouble',
    html`<p>The server cannot use its database at this moment. Nothing was decided, and nothing ran.</p>
      <p>Try again; if the trouble goes on, look at the server’s log.</p>`,
  );

/**
 * Makes a page that opens `address` again. When a person follows a link on another site, the browser sends no cookie (SameSite=Strict).
 * When this page opens the address, the browser sends the cookie.
 * @param address a path below the base path of the server
 */
export const samePlacePage = (assets: WebAssets, address: string): string =>
  plainPage(
    assets,
    'One moment',
    html`<p><a class="button" href="${address}">Go on</a></p>`,
    html`<meta http-equiv="refresh" content="0; url=${assets.basePath}${address}">`,
  );
