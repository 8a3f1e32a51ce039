/** What the kernel would confine a request to, and what it would leave open, for the approver. */
import type { Confinement, Unconfined } from '../../core/confinement/confinement.ts';
import { heldText, openTexts } from '../../core/confinement/confinement-text.ts';
import { type Html, html } from '../html.ts';
import { lineHtml } from '../visible-html.ts';

export const heldHtml = (held: Confinement | Unconfined): Html =>
  html`<p class="held">Held by the kernel to: ${lineHtml(heldText(held))}</p>
    ${openTexts(held).map((text) => html`<p class="note not-held">${lineHtml(text)}</p>`)}`;

/** The tick for an approval of exactly this with a confinement; nothing if the host's kernel cannot confine it. */
export const confinedTickHtml = (held: Confinement | Unconfined | null): Html | null =>
  held === null || held.level === 0
    ? null
    : html`<label class="choice confined-choice"><input type="checkbox" class="confined">
        <span>confined <span class="evidence">Held by the kernel to: ${lineHtml(heldText(held))}</span></span></label>
      ${openTexts(held).map((text) => html`<p class="note not-held">${lineHtml(text)}</p>`)}`;
