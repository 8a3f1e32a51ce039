/** Makes two pages: *Sessions*, which lists what runs on each host, and the page that shows the screen of one session. */
import type { RunningHost, RunningSession, ScreenText } from '../../core/wire/running.ts';
import { ageHtml } from '../cards/moments.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml, visibleHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';

type Command = RunningHost['commands'][number];

export const runningPage = (frame: PageFrame, hosts: readonly RunningHost[]): string =>
  page(
    frame,
    html`<p class="lead">Hold stops all processes of a session or command, until you let it go on or kill it.</p>
      <div data-running-list>${hosts.map(hostHtml)}
      ${hosts.length === 0 && html`<p class="none">No host is connected. A host connects when <code>ape-shell</code> is first used on it, or a session begins.</p>`}</div>`,
  );

function hostHtml(host: RunningHost): Html {
  const { requesterId, name, user, host: machine, sessions, commands } = host;
  const isEmpty = sessions.length + commands.length === 0;
  return html`<section class="host ${host.state}"><h2>${lineHtml(name)} <span class="on">${lineHtml(user)} on ${lineHtml(machine)}</span></h2>
      ${stateNote(host)}
      ${isEmpty && html`<p class="none">Nothing runs there now.</p>`}
      <div class="cards">${sessions.map((running) => sessionCard(requesterId, running))}${commands.map((running) => commandCard(requesterId, running))}</div>
    </section>`;
}

function stateNote({ state, seenAtMs }: RunningHost): Html | null {
  if (state === 'here') return null;
  const how = state === 'slow' ? 'This host does not answer now' : 'This host is not connected';
  return html`<p class="note">${how}. The list is from ${ageHtml(seenAtMs)}; nothing there can be held now.</p>`;
}

function sessionCard(requesterId: string, session: RunningSession, isWatched = false): Html {
  const { id, name, kind, program, cwd, title, startedAtMs, pendingGrant, heldSinceMs, isAnswering } = session;
  const shown = name ?? (title === '' ? `${kind === 'shell' ? 'Shell' : 'Session'} ${id.slice(0, 7)}` : title);
  return html`<article class="card running" data-requester-id="${requesterId}" data-running-id="${id}" tabindex="-1" aria-labelledby="name-${id}">
    <header><p class="who" id="name-${id}"><strong>${lineHtml(shown)}</strong></p>${heldBadge(heldSinceMs)}</header>
    ${program.length > 0 && html`<pre class="runs">${shortHtml(program.join(' '), 200)}</pre>`}
    <p class="meta">${kind === 'shell' ? 'interactive shell' : 'program'} · since ${ageHtml(startedAtMs)} ${cwd !== '' && html` · in <code>${lineHtml(cwd)}</code>`}</p>
    ${pendingGrant !== null && html`<p class="note">It waits for a decision: <a href="/grants/${pendingGrant}">the request</a>.</p>`}
    ${!isAnswering && html`<p class="note">${session.state === 'exited' ? 'It has ended; processes that it left behind are still held.' : 'The process of ape-shell that runs this session does not answer.'}</p>`}
    ${heldNote(heldSinceMs)}
    ${!isWatched && html`<p><a class="button" href="/sessions/${requesterId}/${id}">Look at its screen</a></p>`}
    ${isAnswering || heldSinceMs !== null ? actionsHtml(heldSinceMs) : messageHtml}
  </article>`;
}

function commandCard(requesterId: string, { grantId, text, processes, startedAtMs, heldSinceMs }: Command): Html {
  return html`<article class="card running" data-requester-id="${requesterId}" data-running-id="${grantId}" tabindex="-1" aria-labelledby="name-${grantId}">
    <header><p class="who" id="name-${grantId}"><strong>Command</strong>${processes > 1 && html` <span class="on">${processes} at the same time</span>`}</p>${heldBadge(heldSinceMs)}</header>
    <pre class="runs">${text === null ? 'a command of a grant that this server does not know' : shortHtml(text, 200)}</pre>
    <p class="meta">since ${ageHtml(startedAtMs)} · <a href="/grants/${grantId}">its request</a></p>
    ${heldNote(heldSinceMs)}
    ${actionsHtml(heldSinceMs)}
  </article>`;
}

const heldBadge = (heldSinceMs: number | null): Html | false =>
  heldSinceMs !== null && html`<span class="badge pending">Held</span>`;

const heldNote = (heldSinceMs: number | null): Html | false =>
  heldSinceMs !== null && html`<p class="note">Its processes were stopped ${ageHtml(heldSinceMs)}.</p>`;

const actionsHtml = (heldSinceMs: number | null): Html =>
  html`<div class="pair">${
    heldSinceMs === null
      ? html`<button type="button" data-running="hold">Hold</button>`
      : html`<button type="button" class="approve" data-running="continue">Let it go on</button>`
  }</div>
    <details class="revoke"><summary>Kill …</summary>
      <p class="hint">All its processes are asked to end, and killed after two seconds.</p>
      <button type="button" class="deny" data-running="kill">Kill it</button></details>
    ${messageHtml}`;

const messageHtml = html`<p class="message" role="status"></p>`;

/**
 * @property host   null: the server knows no host of this requester, or the viewer may not see it
 * @property screen the screen, or why the screen cannot be shown (a sentence without its full stop)
 */
export interface WatchedSession {
  readonly requesterId: string;
  readonly id: string;
  readonly host: RunningHost | null;
  readonly screen: ScreenText | string;
}

export function screenPage(frame: PageFrame, { requesterId, id, host, screen }: WatchedSession): string {
  const session = host?.sessions.find((candidate) => candidate.id === id);
  return page(
    frame,
    html`<p class="lead"><a href="/sessions">All sessions</a></p>
      ${host !== null && stateNote(host)}
      <div class="cards">${session !== undefined ? sessionCard(requesterId, session, true) : host?.state === 'here' && html`<p class="note">It does not run any more.</p>`}</div>
      <section class="watched" aria-labelledby="screen-title" data-screen="${requesterId}/${id}"><h2 id="screen-title">Its screen</h2>
        <p class="hint">Live while this page is open, and read only. It may show secrets; it is not kept.</p>
        <div class="screen-part">${screenHtml(screen)}</div></section>`,
  );
}

export function screenHtml(screen: ScreenText | string): Html {
  if (typeof screen === 'string') return html`<p class="note">${screen}.</p>`;
  const filled = screen.lines.findLastIndex((line) => line !== '') + 1;
  const lines = screen.lines.slice(0, Math.max(filled, screen.cursor.row + 1, 1));
  return html`<p class="meta">${screen.columns} × ${screen.rows}${screen.title !== '' && html` · ${lineHtml(screen.title)}`}</p>
    <pre class="screen" tabindex="0" role="region" aria-label="Screen">${lines.map((line) => html`${visibleHtml(line)}\n`)}</pre>`;
}
