/**
 * Makes the card of a requester. On this card an approver pauses, resumes or revokes the requester, or asks for a new key. The inbox shows
 * the card of each paused requester. On the page *Requesters*, a host also has a card if several of its requesters are not revoked.
 */
import type { PauseView } from '../../core/wire/pause.ts';
import { type Html, html } from '../html.ts';
import { type PageFrame, page } from '../pages/page-frame.ts';
import { lineHtml } from '../visible-html.ts';
import { ageHtml } from './moments.ts';
import { notYoursHtml } from './not-yours-note.ts';

/**
 * @property revokedAtMs  null: the requester was not revoked
 * @property pause        null: the requester is not paused
 * @property keyCode      the code of the key; the host shows the same code
 * @property keySinceMs   when the host last replaced its key; null: the host never replaced its key
 * @property keyAskedAtMs when an approver asked the host for a new key; null: no such request is open
 */
export interface RequesterView {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly revokedAtMs: number | null;
  readonly pause: PauseView | null;
  readonly keyCode: string;
  readonly keySinceMs: number | null;
  readonly keyAskedAtMs: number | null;
}

/**
 * @param isManager whether the viewer may resume and revoke requesters, and ask them for new keys
 * @param showsKey  whether to show the key and, for a manager, the button for a new key
 */
export function requesterCard(requester: RequesterView, isManager: boolean, showsKey = false): Html {
  const { id, name, host, user, revokedAtMs, pause } = requester;
  const state = revokedAtMs !== null ? 'revoked' : pause !== null ? 'paused' : 'free';
  return html`<article class="card requester ${state}" data-requester-id="${id}" tabindex="-1" aria-labelledby="name-${id}">
    <header><p class="who" id="name-${id}"><strong>${lineHtml(name)}</strong> <span class="on">${lineHtml(user)} on ${lineHtml(host)}</span></p>
      ${state !== 'free' && html`<span class="badge ${state === 'revoked' ? 'revoked' : 'pending'}">${state === 'revoked' ? 'Revoked' : 'Paused'}</span>`}</header>
    ${pause !== null && state === 'paused' && html`<p class="note">Paused ${ageHtml(pause.sinceMs)}. None of its lines and calls runs, not even a covered one.${pause.reason !== '' && html` Why: ${lineHtml(pause.reason)}.`}</p>`}
    ${showsKey && state !== 'revoked' && keyHtml(requester)}
    ${
      state !== 'revoked' &&
      html`${state === 'paused' && !isManager ? notYoursHtml('an approver without limits can resume it') : html`<div class="pair">${state === 'paused' ? html`<button type="button" class="approve" data-requester="resume">Resume</button>` : html`<button type="button" data-requester="pause">Pause</button>`}</div>`}
      ${isManager && showsKey && newKeyHtml}
      ${isManager && REVOCATION}`
    }
    <p class="message" role="status"></p>
  </article>`;
}

const REVOCATION = html`<details class="revoke"><summary>Revoke …</summary>
        <p class="hint">Its key is not accepted any more. To ask again, it has to enrol again.</p>
        <button type="button" class="deny" data-requester="revoke">Revoke this requester</button></details>`;

function keyHtml({ keyCode, keySinceMs, keyAskedAtMs }: RequesterView): Html {
  return html`<p class="meta">Key <code>${keyCode}</code>${keySinceMs !== null && html`, new since ${ageHtml(keySinceMs)}`}</p>
    ${keyAskedAtMs !== null && html`<p class="note">Asked for a new key ${ageHtml(keyAskedAtMs)}: the host makes it at its next connection.</p>`}`;
}

/** The approver can ask again before the host has a new key. Each request ends the requester's tokens. */
const newKeyHtml = html`<details class="rotate"><summary>New key …</summary>
        <p class="hint">The host makes a new key at its next connection. From then on the server does not accept the old key. Waiting requests and approvals, also sealed approvals, stay valid. <code>apes whoami</code> on the host shows the code of its key.</p>
        <p class="hint">Was the old key stolen? The thief can make the new key in place of the host: compare the code, or revoke the requester.</p>
        <button type="button" data-requester="rotate">Ask for a new key</button></details>`;

/** @param live the requesters of one host that are not revoked, at least two */
function hostCard(live: readonly RequesterView[], index: number, isManager: boolean): Html {
  const [{ host } = { host: '' }] = live;
  const count = live.length;
  const paused = live.filter(({ pause }) => pause !== null).length;
  return html`<article class="card" data-host="${host}" tabindex="-1" aria-labelledby="host-${index}">
    <header><p class="who" id="host-${index}"><strong>All ${count} requesters on ${lineHtml(host)}</strong></p>
      ${paused > 0 && html`<span class="badge pending">${paused === count ? 'Paused' : html`${paused} paused`}</span>`}</header>
    <div class="pair">${paused < count && html`<button type="button" data-requester="pause">Pause all</button>`}${isManager && paused > 0 && html`<button type="button" class="approve" data-requester="resume">Resume all</button>`}</div>
    ${
      isManager &&
      html`<details class="revoke"><summary>Revoke all …</summary>
      <p class="hint">None of these keys is accepted any more. To ask again, each requester has to enrol again.</p>
      <button type="button" class="deny" data-requester="revoke">Revoke all ${count}</button></details>`
    }
    <p class="message" role="status"></p>
  </article>`;
}

/** Makes the cards, grouped by host. If several requesters of a host are not revoked, the card of the host comes first. */
function byHost(requesters: readonly RequesterView[], isManager: boolean): readonly Html[] {
  const hosts = [...new Set(requesters.map(({ host }) => host))];
  return hosts.flatMap((host, index) => {
    const its = requesters.filter((one) => one.host === host);
    const live = its.filter(({ revokedAtMs }) => revokedAtMs === null);
    return [
      ...(live.length > 1 ? [hostCard(live, index, isManager)] : []),
      ...its.map((one) => requesterCard(one, isManager, true)),
    ];
  });
}

/** @property isManager whether the viewer may resume and revoke requesters, and ask them for new keys */
export interface RequestersView {
  readonly requesters: readonly RequesterView[];
  readonly isManager: boolean;
}

export const requestersPage = (frame: PageFrame, { requesters, isManager }: RequestersView): string =>
  page(
    frame,
    html`<p class="lead">A pause takes effect at the next line, in running shells too.</p>
      <div class="cards" data-requesters>${byHost(requesters, isManager)}</div>
      ${requesters.length === 0 && html`<p class="none">No host is enrolled yet.</p>`}`,
  );
