/** Shows how the kernel would confine a request, with a note for each thing that the confinement leaves open. */
import type { Confinement, Unconfined } from '../../core/confinement/confinement.ts';
import { confinementText, unconfinedTexts } from '../../core/confinement/confinement-text.ts';
import { type Html, html } from '../html.ts';
import { lineHtml } from '../visible-html.ts';

export const heldHtml = (held: Confinement | Unconfined): Html =>
  html`<p class="held">Held by the kernel to: ${lineHtml(confinementText(held))}</p>
    ${unconfinedTexts(held).map((text) => html`<p class="note not-held">${lineHtml(text)}</p>`)}`;

/** Returns the checkbox with which an approver confines exactly this request; null if the host cannot confine the request. */
export const confinedTickHtml = (held: Confinement | Unconfined | null): Html | null =>
  held === null || held.level === 0
    ? null
    : html`<label class="choice confined-choice"><input type="checkbox" class="confined">
        <span>confined <span class="evidence">Held by the kernel to: ${lineHtml(confinementText(held))}</span></span></label>
      ${unconfinedTexts(held).map((text) => html`<p class="note not-held">${lineHtml(text)}</p>`)}`;
