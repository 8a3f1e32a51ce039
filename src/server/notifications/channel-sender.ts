/** Decrypts the settings of a channel, and sends a notice on this channel. */
import type { Notice } from '../../core/notification/notice.ts';
import type { NewChannel, WebhookSettings } from '../../core/wire/notification.ts';
import type { Channel } from '../../store/notification-store.ts';
import type { ServerParts } from '../server-ports.ts';
import type { ChannelTools } from './channels/channel-tools.ts';
import { sendMail } from './channels/mail.ts';
import { sendNtfy } from './channels/ntfy.ts';
import { sendPush } from './channels/push.ts';
import { sendSlack } from './channels/slack.ts';
import { sendTelegram } from './channels/telegram.ts';
import { sendWebhook } from './channels/webhook.ts';
import { decryptSettings } from './encrypted-settings.ts';
import { post } from './outgoing.ts';
import type { SendOutcome } from './send-outcome.ts';
import { vapidKeyOf } from './vapid.ts';

const TIMEOUT_MS = 10_000;

/**
 * Returns the additional authenticated data (AAD) for encrypted settings: channel, approver and kind. So settings that are copied to
 * another row cannot be decrypted there.
 */
export const bindingOfSettings = ({ id, approverId, kind }: Pick<Channel, 'id' | 'approverId' | 'kind'>): string =>
  `${id}\n${approverId}\n${kind}`;

/** Sends the notice on the channel. If the channel's settings cannot be decrypted, the outcome is `failed`. */
export function sendOn(
  parts: ServerParts,
  channel: Channel,
  notice: Notice,
  {
    jobId,
    waitingCount: waiting,
    signal,
  }: Pick<ChannelTools, 'jobId' | 'waitingCount'> & { readonly signal: AbortSignal },
): Promise<SendOutcome> {
  const { relay, allowedHosts } = parts.notificationSettings;
  const limits = { allowedHosts, timeoutMs: TIMEOUT_MS, signal };
  return dispatch(decryptSettings(parts.serverKey, bindingOfSettings(channel), channel.sealed), notice, {
    post: (outgoing) => post(outgoing, limits),
    nowMs: parts.clock.nowMs(),
    random: parts.random,
    vapid: vapidKeyOf(parts.serverKey),
    publicUrl: parts.publicUrl(),
    relay,
    jobId,
    waitingCount: waiting,
  });
}

const UNREADABLE: SendOutcome = {
  kind: 'failed',
  why: 'the settings of the channel cannot be read: add the channel again',
};

type KeptSettings = Exclude<NewChannel, { readonly kind: 'webhook' }> | WebhookSettings;

/** If settings can be decrypted, this server has checked and encrypted them. So the shape of these settings is known. */
async function dispatch(opened: unknown, notice: Notice, tools: ChannelTools): Promise<SendOutcome> {
  const settings = opened as KeptSettings | null;
  switch (settings?.kind) {
    case undefined:
      return UNREADABLE;
    case 'push':
      return sendPush(settings, notice, tools);
    case 'ntfy':
      return sendNtfy(settings, notice, tools);
    case 'mail':
      return sendMail(settings, notice, tools);
    case 'webhook':
      return sendWebhook(settings, notice, tools);
    case 'telegram':
      return sendTelegram(settings, notice, tools);
    case 'slack':
      return sendSlack(settings, notice, tools);
  }
}
