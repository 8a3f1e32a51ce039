/** What the person who looks at a page may do about a request, and the sentence in place of buttons that are not theirs. */
import { type Html, html } from '../html.ts';

/**
 * @property whyNotApprove a sentence that says who can, or that this person has; null: the person may approve
 * @property whyNotDeny    the same for a denial
 * @property hasApproved   whether the person has approved, and more people have to; absent: no
 */
export interface ViewerRights {
  readonly whyNotApprove: string | null;
  readonly whyNotDeny: string | null;
  readonly hasApproved?: boolean;
}

export const ALL_RIGHTS: ViewerRights = { whyNotApprove: null, whyNotDeny: null };

export const notYoursHtml = (why: string): Html =>
  html`<p class="note not-yours">${why.slice(0, 1).toUpperCase()}${why.slice(1)}.</p>`;
