/** What the viewer of a page may do about a request, and the sentence that stands in for buttons that the viewer may not use. */
import { type Html, html } from '../html.ts';

/**
 * @property whyNotApprove why the viewer cannot approve, or that the viewer has approved: a clause for `notYoursHtml`; null: they may approve
 * @property whyNotDeny    why the viewer cannot deny: a clause for `notYoursHtml`; null: they may deny
 * @property hasApproved   whether the viewer has approved, and more people have to approve; absent: no
 */
export interface ViewerRights {
  readonly whyNotApprove: string | null;
  readonly whyNotDeny: string | null;
  readonly hasApproved?: boolean;
}

export const ALL_RIGHTS: ViewerRights = { whyNotApprove: null, whyNotDeny: null };

/**
 * Makes the sentence in place of the buttons.
 * @param why a clause that begins with a small letter and has no full stop: `your limits do not allow this decision`
 */
export const notYoursHtml = (why: string): Html =>
  html`<p class="note not-yours">${why.slice(0, 1).toUpperCase()}${why.slice(1)}.</p>`;
