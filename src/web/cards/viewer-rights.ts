/** What the viewer of a page may do about a request, and the sentence that the page shows in place of forbidden buttons. */
import { type Html, html } from '../html.ts';

/**
 * @property whyNotApprove a clause for `notYoursHtml`: why the viewer cannot approve, or that the viewer has approved; null: the viewer can
 * @property whyNotDeny    a clause for `notYoursHtml`: why the viewer cannot deny; null: the viewer can deny
 * @property hasApproved   true: the viewer has approved, but further people have to approve; absent: false
 */
export interface ViewerRights {
  readonly whyNotApprove: string | null;
  readonly whyNotDeny: string | null;
  readonly hasApproved?: boolean;
}

export const ALL_RIGHTS: ViewerRights = { whyNotApprove: null, whyNotDeny: null };

/**
 * Makes the sentence that the page shows in place of the buttons.
 * @param why a clause that begins with a small letter and has no full stop: `your limits do not allow this decision`
 */
export const notYoursHtml = (why: string): Html =>
  html`<p class="note not-yours">${why.slice(0, 1).toUpperCase()}${why.slice(1)}.</p>`;
