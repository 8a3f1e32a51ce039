/** The card of a requester, on which an approver pauses, resumes or revokes it. The inbox shows a pause as a card too, with a button to end it. */
import type { PauseView } from '../../core/wire/pause.ts';
import { type Html, html } from '../html.ts';
import { type PageFrame, page } from '../pages/page-frame.ts';
import { lineHtml } from '../visible-html.ts';
import { ageHtml } from './moments.ts';

/** @property pause null: the requester is not paused */
export interface RequesterView {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly revokedAtMs: number | null;
  readonly pause: PauseView | null;
}

export function requesterCard({ id, name, host, user, revokedAtMs, pause }: RequesterView): Html {
  const state = revokedAtMs !== null ? 'revoked' : pause !== null ? 'paused' : 'free';
  return html`<article class="card requester ${state}" data-requester-id="${id}" tabindex="-1" aria-labelledby="name-${id}">
    <header><p class="who" id="name-${id}"><strong>${lineHtml(name)}</strong> <span class="on">${lineHtml(user)} on ${lineHtml(host)}</span></p>
      ${state !== 'free' && html`<span class="badge ${state === 'revoked' ? 'revoked' : 'pending'}">${state === 'revoked' ? 'Revoked' : 'Paused'}</span>`}</header>
    ${pause !== null && state === 'paused' && html`<p class="note">Nothing of it runs since ${ageHtml(pause.sinceMs)}, not even what a grant covers.${pause.reason !== '' && html` Why: ${lineHtml(pause.reason)}.`}</p>`}
    ${
      state !== 'revoked' &&
      html`<div class="pair">${state === 'paused' ? html`<button type="button" class="approve" data-requester="resume">Resume</button>` : html`<button type="button" data-requester="pause">Pause</button>`}</div>
      <details class="revoke"><summary>Revoke …</summary>
        <p class="hint">Its key is not accepted any more. To ask again, it has to enrol again.</p>
        <button type="button" class="deny" data-requester="revoke">Revoke this requester</button></details>`
    }
    <p class="message" role="status"></p>
  </article>`;
}

export const requestersPage = (frame: PageFrame, requesters: readonly RequesterView[]): string =>
  page(
    frame,
    html`<p class="lead">A pause counts from the next line on, in running shells too.</p>
      <div class="cards">${requesters.map(requesterCard)}</div>
      ${requesters.length === 0 && html`<p class="none">No host is enrolled yet.</p>`}`,
  );
