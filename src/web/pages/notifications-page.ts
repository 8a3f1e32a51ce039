/** Makes the page *Notifications*, where a person chooses the channels, events and times of notifications. */
import { RISKS } from '../../core/effects/permission.ts';
import type { ChannelView, NotificationPreferences, NotificationsView } from '../../core/wire/notification.ts';
import { ageHtml } from '../cards/moments.ts';
import { type Html, type HtmlPart, html } from '../html.ts';
import { lineHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';

export function notificationsPage(frame: PageFrame, view: NotificationsView): string {
  return page(
    frame,
    html`<p class="lead">${
      frame.isAuditor
        ? 'You are notified of break-glass codes, and of what you choose below. You are not asked to decide.'
        : 'You are notified of requests that still wait when the notification is sent, and of what you choose below. No notification can approve anything.'
    }</p>
      <div class="cards">
        ${deviceHtml(view)}
        ${view.channels.map(channelHtml)}
        ${addHtml(view)}
        ${preferencesHtml(view, frame.isAuditor)}
      </div>
      <script type="module" src="${frame.assets.notifications.path}"></script>`,
  );
}

const deviceHtml = ({ pushKey }: NotificationsView): Html =>
  html`<section class="card" data-push-key="${pushKey}">
      <h2>This device</h2>
      <p class="hint">Notifications of this browser or installed app. The text of a notification is encrypted on the way.</p>
      <div class="actions"><button type="button" data-notification="subscribe">Notify this device</button></div>
      <p class="message" role="status"></p>
    </section>`;

function channelHtml({ id, kind, name, target, createdAtMs, endedAtMs, last }: ChannelView): Html {
  const state = endedAtMs !== null ? 'Ended' : last === null ? 'New' : last.isOk ? 'Works' : 'Trouble';
  return html`<section class="card" data-channel-id="${id}">
      <header><p class="who"><strong>${lineHtml(name)}</strong> <span class="on">${kind}, ${lineHtml(target)}</span></p>
        <span class="badge ${state === 'Works' && 'approved'}${state === 'Trouble' && 'denied'}">${state}</span></header>
      <p class="meta">added ${ageHtml(createdAtMs)}${last !== null && html` · last: ${lineHtml(last.text)}, ${ageHtml(last.atMs)}`}</p>
      <div class="actions">${endedAtMs === null && html`<button type="button" data-notification="test">Test</button>`}<button type="button" class="deny" data-notification="remove">Remove</button></div>
      <p class="message" role="status"></p>
    </section>`;
}

function addHtml({ canMail }: NotificationsView): Html {
  const field = (kinds: string, name: string, label: string, hint: string, type = 'text') =>
    html`<label class="field" data-for="${kinds}" ${kinds.split(' ').includes('ntfy') ? '' : html`hidden`}>${label} <input type="${type}" data-field="${name}" maxlength="2048" spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr"><span class="hint">${hint}</span></label>`;
  return html`<details class="card add-channel"><summary>Add a channel</summary>
      <label class="field">Kind <select class="channel-kind">
        <option value="ntfy">ntfy</option>${canMail && html`<option value="mail">mail</option>`}<option value="webhook">webhook</option><option value="telegram">Telegram</option><option value="slack">Slack</option>
      </select></label>
      ${field('ntfy mail webhook telegram slack', 'name', 'Name', 'Your name for this channel.')}
      ${field('ntfy webhook slack', 'url', 'Address', 'https://…: the address of the ntfy server, or of the webhook.', 'url')}
      ${field('ntfy', 'topic', 'Topic', 'Anyone who knows the topic can read your notifications: choose one that cannot be guessed.')}
      ${field('ntfy telegram', 'token', 'Token', 'The token of the ntfy topic, if it needs one, or of your own Telegram bot.', 'password')}
      ${field('telegram', 'chat', 'Chat', 'The number of the chat.')}
      ${field('mail', 'address', 'Mail address', 'One address.', 'email')}
      <div class="actions"><button type="button" data-notification="add">Add</button></div>
      <p class="secret" hidden>Each message is signed with this secret: <code></code></p>
      <p class="message" role="status"></p>
    </details>`;
}

const SHOWS = [
  ['nothing', 'nothing of the request'],
  ['tool and host', 'the tool, the host and the risk'],
  ['all', 'the command itself'],
] as const;

/** Hides the section *When I do not decide* from auditors. An auditor is never asked to decide. */
function preferencesHtml({ preferences, approvers }: NotificationsView, isAuditor: boolean): Html {
  const { minimumRisk, shows, quiet, escalation, onlyWhenEscalated, decided, expired } = preferences;
  const on = (isOn: boolean): HtmlPart => isOn && html`checked`;
  return html`<section class="card preferences"><h2>What you want to hear of</h2>
      <label class="field">From this risk on <select class="minimum-risk">${RISKS.map((risk) => html`<option ${risk === minimumRisk && html`selected`}>${risk}</option>`)}</select><span class="hint">A request that is not understood counts as critical.</span></label>
      <fieldset class="directories"><legend>On the lock screen, show</legend>${SHOWS.map(
        ([value, label]) =>
          html`<label class="choice"><input type="radio" name="shows" value="${value}" ${on(value === shows)}> <span>${label}</span></label>`,
      )}</fieldset>
      <fieldset class="directories"><legend>Also notify me</legend>
        <label class="choice"><input type="checkbox" class="decided" ${on(decided)}> <span>when another approver has decided</span></label>
        <label class="choice"><input type="checkbox" class="expired" ${on(expired)}> <span>when a request has expired without a decision</span></label>
      </fieldset>
      ${quietHtml(quiet)}
      <fieldset class="directories"${isAuditor && html` hidden`}><legend>When I do not decide</legend>
        <label class="field">ask <select class="escalation-to"><option value="">no other approver</option>${approvers.map(
          ({ id, name }) =>
            html`<option value="${id}" ${id === escalation?.to && html`selected`}>${lineHtml(name)}</option>`,
        )}</select></label>
        <label class="field">after this many minutes <input type="number" class="escalation-after" min="1" max="10080" value="${escalation?.afterMinutes ?? 15}"></label>
        <label class="choice"><input type="checkbox" class="only-escalated" ${on(onlyWhenEscalated)}> <span>Notify me only of requests that others did not decide in time</span></label>
      </fieldset>
      <div class="actions"><button type="button" data-notification="save">Save</button></div>
      <p class="message" role="status"></p>
    </section>`;
}

function quietHtml(quiet: NotificationPreferences['quiet']): Html {
  const time = (minute: number) =>
    `${String(Math.floor((minute % 1440) / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  return html`<fieldset class="directories"><legend>Quiet hours</legend>
      <label class="choice"><input type="checkbox" class="quiet" ${quiet !== null && html`checked`}> <span>Wait until the quiet hours are over. Then notify me of requests that still wait</span></label>
      <label class="field">From <input type="time" class="quiet-from" value="${time(quiet?.from ?? 22 * 60)}"></label>
      <label class="field">to <input type="time" class="quiet-to" value="${time(quiet?.to ?? 7 * 60)}"></label>
      <label class="field">Time zone <input type="text" class="quiet-zone" value="${quiet?.timeZone ?? ''}" maxlength="64"></label>
    </fieldset>`;
}
