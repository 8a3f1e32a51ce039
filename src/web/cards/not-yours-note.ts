/** Makes the sentence that a page shows in place of forbidden buttons. */
import { type Html, html } from '../html.ts';

/**
 * @param why a clause that begins with a small letter and has no full stop: `your limits do not allow this decision`
 */
export const notYoursHtml = (why: string): Html =>
  html`<p class="note not-yours">${why.slice(0, 1).toUpperCase()}${why.slice(1)}.</p>`;
