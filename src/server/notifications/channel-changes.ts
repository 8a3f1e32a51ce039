/** Adds, removes and tests channels. People can change only their own channels. */
import { type Fault, fault } from '../../core/fault.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { ChannelView, NewChannel } from '../../core/wire/notification.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Channel } from '../../store/notification-store.ts';
import type { StoreReader } from '../../store/store.ts';
import type { Caller } from '../identity/authentication.ts';
import { newId } from '../identity/secrets.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { destinationFault } from './address-guard.ts';
import { bindingOfSettings } from './channel-sender.ts';
import { isMailAddress } from './channels/mail.ts';
import { newWebhookSecret } from './channels/webhook.ts';
import { encryptSettings } from './encrypted-settings.ts';
import { newJob } from './new-job.ts';

const MAX_CHANNELS = 20;
const noSuchChannel = refusal('channel.not_found', 'you have no such channel');

/** @property secret the secret that signs the messages of a webhook, shown only once; null for other kinds */
export interface AddedChannel {
  readonly channel: ChannelView;
  readonly secret: string | null;
}

/**
 * Adds a channel. A push channel replaces the earlier channel of the same subscription, even if the earlier channel belongs to another
 * person, who signed in with the same browser before. Fails if the settings of the new channel cannot be used, or if the caller has too
 * many channels.
 */
export async function addChannel(
  parts: ServerParts,
  caller: Caller,
  wanted: NewChannel,
): Promise<Result<AddedChannel, Refusal>> {
  const fault = channelFault(parts, caller, wanted);
  if (fault !== null) return failed(malformedRequest(fault));
  const secret = wanted.kind === 'webhook' ? newWebhookSecret(parts.random) : null;
  const channel = newChannel(parts, caller, wanted, secret);
  return change(parts, async (rows) => {
    const { notifications } = rows;
    const earlier = await notifications.channel(channel.id);
    const others = (await notifications.channels(caller.subject.id)).filter(({ id }) => id !== channel.id);
    if (others.length >= MAX_CHANNELS)
      return failed(refusal('server.too_many', `you have ${MAX_CHANNELS} channels; remove one first`));
    // The cursor does not move while there is no live channel. The new channel must get no notifications for earlier requests.
    if (!(await notifications.hasLiveChannel()))
      await notifications.moveCursor(await notifications.notificationCursor(), await rows.lastSeq());
    const { kind, target } = channel;
    if (earlier !== undefined) await notifications.removeChannel(earlier.id);
    if (earlier !== undefined && earlier.approverId !== caller.subject.id) {
      const facts = { kind, target, approverId: earlier.approverId };
      rows.record(plainEvent('notification.channel_removed', caller.subject.id, channel.createdAtMs, facts));
    }
    await notifications.insertChannel(channel);
    rows.record(plainEvent('notification.channel_added', caller.subject.id, channel.createdAtMs, { kind, target }));
    return success({ channel: channelView(channel), secret });
  });
}

/** Removes a channel of the caller, even if the channel has ended. Fails if the caller has no channel with this id. */
export function removeChannel(parts: ServerParts, caller: Caller, id: string): Promise<Result<null, Refusal>> {
  return change(parts, async (rows) => {
    const channel = await ownChannel(rows, caller, id);
    if (channel === undefined) return failed(noSuchChannel);
    await rows.notifications.removeChannel(id);
    const { kind, target } = channel;
    rows.record(plainEvent('notification.channel_removed', caller.subject.id, parts.clock.nowMs(), { kind, target }));
    return success(null);
  });
}

/**
 * Adds a job that tests a channel. Returns the id of the job. Later the channel's `last` has the result. Fails if the caller has no channel
 * with this id, or if the channel has ended.
 */
export async function testChannel(parts: ServerParts, caller: Caller, id: string): Promise<Result<string, Refusal>> {
  const asked = await change(parts, async (rows) => {
    const channel = await ownChannel(rows, caller, id);
    if (channel === undefined || channel.endedAtMs !== null) return failed(noSuchChannel);
    const job = testJob(channel, newId('n', parts.random), parts.clock.nowMs());
    await rows.notifications.insertJob(job);
    return success(job.id);
  });
  parts.notifications.wake();
  return asked;
}

/**
 * Makes the job of a test.
 * @param id a new id: the store ignores a second job with the same id
 */
export const testJob = (channel: Pick<Channel, 'id' | 'approverId'>, id: string, nowMs: number) => ({
  ...newJob('test', { grantId: null, approverId: channel.approverId, channelId: channel.id }, nowMs),
  id,
});

async function ownChannel(rows: StoreReader, { subject }: Caller, id: string): Promise<Channel | undefined> {
  const channel = await rows.notifications.channel(id);
  return channel?.approverId === subject.id ? channel : undefined;
}

function newChannel(
  parts: ServerParts,
  { subject, session }: Caller,
  wanted: NewChannel,
  secret: string | null,
): Channel {
  const { kind } = wanted;
  const id = kind === 'push' ? subscriptionId(wanted) : newId('n', parts.random);
  const owned = { id, approverId: subject.id, kind };
  return {
    ...owned,
    name: wanted.name,
    target: targetOf(wanted),
    sealed: encryptSettings(parts.serverKey, parts.random, bindingOfSettings(owned), {
      ...wanted,
      ...(secret === null ? {} : { secret }),
    }),
    sessionHash: kind === 'push' ? (session?.hash ?? '') : null,
    createdAtMs: parts.clock.nowMs(),
    endedAtMs: null,
    last: null,
  };
}

/**
 * The id depends on the secret of the subscription. Only the subscribed browser and this server have this secret. So a person who knows
 * only the endpoint cannot replace another person's channel.
 */
const subscriptionId = ({ endpoint, p256dh, auth }: NewChannel & { readonly kind: 'push' }): string =>
  `n_${sha256Hex([endpoint, p256dh, auth].join('\n')).slice(0, 26)}`;

/** Returns the part of the settings that may be shown: the mail address or the host. Paths, topics and tokens are secrets. */
function targetOf(wanted: NewChannel): string {
  if (wanted.kind === 'mail') return wanted.address;
  const address = wanted.kind === 'push' ? wanted.endpoint : (wanted.url ?? 'https://api.telegram.org');
  return new URL(address).host;
}

function channelFault(parts: ServerParts, { session }: Caller, wanted: NewChannel): Fault | null {
  const { allowedHosts, relay } = parts.notificationSettings;
  if (wanted.kind === 'mail') {
    if (relay === null) return fault('this server has no mail relay; its owner sets one (serve.smtp_url)');
    return isMailAddress(wanted.address) ? null : fault('this is no mail address; write one address, without a name');
  }
  if (wanted.kind === 'push')
    return session === null
      ? fault('a push subscription belongs to a browser that is signed in')
      : destinationFault(wanted.endpoint, allowedHosts);
  return wanted.url === undefined ? null : destinationFault(wanted.url, allowedHosts);
}

export const channelView = ({ id, kind, name, target, createdAtMs, endedAtMs, last }: Channel): ChannelView => ({
  id,
  kind,
  name,
  target,
  createdAtMs,
  endedAtMs,
  last,
});
