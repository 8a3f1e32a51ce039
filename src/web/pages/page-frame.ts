/** Makes the frame of every page: head, navigation and notes. */
import type { BreakGlassView } from '../../core/wire/people.ts';
import type { WebAssets } from '../assets.ts';
import { momentHtml } from '../cards/moments.ts';
import { type Html, type HtmlPart, html } from '../html.ts';
import { lineHtml } from '../visible-html.ts';

export type PageName =
  | 'inbox'
  | 'standing'
  | 'history'
  | 'rules'
  | 'devices'
  | 'people'
  | 'settings'
  | 'notifications'
  | 'requesters'
  | 'sessions'
  | 'session'
  | 'grant'
  | 'enrolment';

/**
 * @property csrfToken the token that the script sends with every change
 * @property nowMs     the time by the server's clock (Unix ms), so that countdowns do not depend on the reader's clock
 * @property lastSeq   the number of the last event that this page includes; the script listens for later events
 * @property pending   how many requests and hosts wait for the viewer
 */
export interface PageFrame {
  readonly assets: WebAssets;
  readonly csrfToken: string;
  readonly nowMs: number;
  readonly lastSeq: number;
  readonly pending: number;
  readonly place: PageName;
  /** Whether the person who is signed in is an auditor. An auditor decides nothing. */
  readonly isAuditor: boolean;
  /**
   * The end of the viewer's sign-in by a break-glass code; null: the viewer signed in without such a code. `keyId` is the id of the code's
   * key; null: the key is not on the list of approvers.
   */
  readonly breakGlass: { readonly endMs: number; readonly keyId: string | null } | null;
  /** The other people who decide alone now, because they used a break-glass code. */
  readonly openBreakGlass: readonly Pick<BreakGlassView['open'][number], 'name' | 'untilMs'>[];
}

const TITLE: Readonly<Record<PageName, string>> = {
  inbox: 'Inbox',
  standing: 'Standing approvals',
  history: 'History',
  rules: 'Rules',
  devices: 'Devices',
  people: 'People',
  settings: 'Settings',
  notifications: 'Notifications',
  requesters: 'Requesters',
  sessions: 'Sessions',
  session: 'Session',
  grant: 'Request',
  enrolment: 'New host',
};

/** Pages with buttons that need the script for passkeys. */
const WITH_PASSKEYS: ReadonlySet<PageName> = new Set(['devices', 'people', 'settings']);

/** Makes a page for a person who is signed in. */
export function page(frame: PageFrame, body: HtmlPart): string {
  const { place, pending } = frame;
  const link = (to: string, name: PageName, label: string, extra?: HtmlPart) =>
    html`<a href="${to}" ${place === name ? html`aria-current="page"` : ''}>${label}${extra}</a>`;
  const count = html`<span class="count" data-count="${pending}">${pending === 0 ? '' : pending}</span>`;
  return document(
    frame.assets,
    `${pending === 0 ? '' : `(${pending}) `}${TITLE[place]} · ape-shell`,
    html`<meta name="csrf-token" content="${frame.csrfToken}"><meta name="server-time" content="${frame.nowMs}"><meta name="last-event" content="${frame.lastSeq}"><meta name="passkeys-script" content="${frame.assets.passkeys.path}">${WITH_PASSKEYS.has(place) && html`<script type="module" src="${frame.assets.passkeys.path}"></script>`}`,
    html`<header class="bar"><nav aria-label="Pages">
        ${link('/', 'inbox', 'Inbox', count)}
        ${link('/standing', 'standing', 'Standing')}
        ${link('/history', 'history', 'History')}
      </nav><details class="menu"><summary>More</summary><div class="entries">
        ${link('/sessions', 'sessions', 'Sessions')}
        ${link('/requesters', 'requesters', 'Requesters')}
        ${link('/rules', 'rules', 'Rules')}
        ${link('/people', 'people', 'People')}
        ${link('/devices', 'devices', 'Devices')}
        ${link('/notifications', 'notifications', 'Notifications')}
        ${link('/settings', 'settings', 'Settings')}
        <button type="button" class="plain" data-sign-out>Sign out</button></div></details></header>
      <p class="connection" role="status" hidden>No connection: what you see may be out of date.</p>
      <p class="connection signed-out" role="status" hidden>You are signed out here. <a class="again" href="">Sign in again</a></p>
      <p class="decided" role="status" hidden></p>
      <noscript><p class="connection">Deciding needs JavaScript.</p></noscript>
      <main data-place="${place}"${frame.isAuditor && html` data-auditor`}><h1${place === 'grant' && html` class="unseen"`}>${TITLE[place]}</h1>${frame.isAuditor && html`<p class="note">You are an auditor: you see everything, and decide nothing.</p>`}${frame.breakGlass !== null && breakGlassHtml(frame.breakGlass)}${frame.openBreakGlass.map(openHtml)}${body}</main>`,
  );
}

/**
 * The script shows the second note if this tab does not have the code's key, or if the browser cannot sign with the key. The script shows
 * the form if the code can be typed again.
 */
const breakGlassHtml = ({ endMs, keyId }: NonNullable<PageFrame['breakGlass']>): Html =>
  html`<p class="note" role="status">You signed in with a break-glass code: you decide alone until ${momentHtml(endMs)}, and what you approve ends then. Every approver was notified. ${keyId !== null ? html`<span class="seals">The key of the code seals what you approve in this tab.</span>` : 'Hosts that take only sealed approvals do not run what you approve.'}</p>${
    keyId !== null &&
    html`<div class="note no-seal" data-break-glass-seals="${keyId}" data-ends-ms="${endMs}" hidden><p class="why" role="status"></p>
      <form class="code-again" hidden><label class="field">The code, once more <input type="text" class="recovery-code" maxlength="64" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
        <button>Seal in this tab</button><p class="message" role="status"></p></form></div>`
  }`;

/** Shows on every page who decides alone. Without this note, a person without a notification channel would not know it. */
const openHtml = ({ name, untilMs }: PageFrame['openBreakGlass'][number]): Html =>
  html`<p class="note" role="status"><strong>${lineHtml(name)}</strong> decides alone until ${momentHtml(untilMs)}. The owner can end it on the page <a href="/people">People</a>.</p>`;

/** Makes a page for people who need not be signed in. */
export function plainPage(assets: WebAssets, title: string, body: HtmlPart, head?: HtmlPart): string {
  return document(assets, `${title} · ape-shell`, head, html`<main class="narrow"><h1>${title}</h1>${body}</main>`);
}

function document(assets: WebAssets, title: string, head: HtmlPart, body: Html): string {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="base-path" content="${assets.basePath}">
<meta name="theme-color" content="#f5f6f8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#101318" media="(prefers-color-scheme: dark)">
<link rel="icon" type="image/svg+xml" href="${assets.icon.path}">
${assets.icons.filter(({ purpose }) => purpose === 'apple').map(({ path }) => html`<link rel="apple-touch-icon" href="${path}">`)}
<link rel="manifest" href="/manifest.webmanifest">
<link rel="stylesheet" href="${assets.style.path}">
${head}
<script type="module" src="${assets.script.path}"></script>
</head>
<body>${body}</body>
</html>
`;
  return belowBase(text, assets.basePath);
}

/**
 * Puts the base path of a reverse proxy in front of the addresses in a page. Quotes in untrusted text are escaped, so the pattern matches
 * only attributes of the page itself.
 */
export const belowBase = ({ text }: Html, basePath: string): string =>
  basePath === '' ? text : text.replaceAll(/ (href|src|action)="\/(?!\/)/g, ` $1="${basePath}/`);
