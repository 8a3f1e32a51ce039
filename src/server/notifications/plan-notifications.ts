/** From what was recorded to what is to be sent: once, however many servers look at the same record. */
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import type { NotificationEvent, NotificationPreferences } from '../../core/wire/notification.ts';
import type { Channel, NotificationJob } from '../../store/notification-store.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import { preferencesOf } from './preferences.ts';

const EVENTS_AT_ONCE = 100;
const MINUTE_MS = 60_000;

/** Whether there is anything to plan; without a channel there is not. */
export async function hasNotableEvents(rows: StoreReader): Promise<boolean> {
  const { notifications } = rows;
  if (!(await notifications.hasLiveChannel())) return false;
  return (await notifications.notableEvents(await notifications.notificationCursor(), 1)).length > 0;
}

/** Plans for the next events. The cursor moves in the same transaction: another server that was at it wins, or this one does. */
export async function planNext(rows: StoreWriter): Promise<void> {
  const { notifications } = rows;
  const from = await notifications.notificationCursor();
  const events = await notifications.notableEvents(from, EVENTS_AT_ONCE);
  const last = events.at(-1);
  if (last === undefined || !(await notifications.moveCursor(from, last.seq))) return;
  const audience = await audienceOf(rows);
  for (const event of events) await planEvent(rows, audience, event);
}

interface Listener {
  readonly approverId: string;
  readonly preferences: NotificationPreferences;
  readonly channels: readonly Channel[];
}

async function audienceOf(rows: StoreReader): Promise<readonly Listener[]> {
  const live = (await rows.notifications.channels(null)).filter(({ endedAtMs }) => endedAtMs === null);
  const listeners: Listener[] = [];
  for (const approverId of new Set(live.map((channel) => channel.approverId)))
    listeners.push({
      approverId,
      preferences: await preferencesOf(rows, approverId),
      channels: live.filter((channel) => channel.approverId === approverId),
    });
  return listeners;
}

async function planEvent(rows: StoreWriter, audience: readonly Listener[], event: StoredAuditEvent): Promise<void> {
  const grant = event.grantId === null ? undefined : await rows.grant(event.grantId);
  if (grant === undefined) return;
  const put = (kind: NotificationEvent, to: Channel, dueAtMs: number) =>
    rows.notifications.insertJob(
      newJob(kind, { grantId: grant.id, approverId: to.approverId, channelId: to.id }, dueAtMs),
    );
  for (const { approverId, preferences, channels } of audience) {
    if (event.kind !== 'grant.requested') {
      // Who decided it knows.
      if (preferences.decided && event.actorId !== approverId)
        for (const channel of channels) await put('decided', channel, event.atMs);
      continue;
    }
    if (!preferences.onlyWhenEscalated) for (const channel of channels) await put('waiting', channel, event.atMs);
    if (preferences.expired) for (const channel of channels) await put('expired', channel, grant.expiresAtMs);
    const { escalation } = preferences;
    if (escalation !== null)
      await rows.notifications.insertJob(
        newJob(
          'escalate',
          { grantId: grant.id, approverId: escalation.to, channelId: null },
          event.atMs + escalation.afterMinutes * MINUTE_MS,
        ),
      );
  }
}

/** Its id follows from what it is for: planned twice, it exists once. */
export function newJob(
  event: NotificationEvent,
  { grantId, approverId, channelId }: Pick<NotificationJob, 'grantId' | 'approverId' | 'channelId'>,
  dueAtMs: number,
): NotificationJob {
  const id = `${event}:${grantId}:${channelId ?? approverId}`;
  const fresh = { attempts: 0, heldUntilMs: 0, endedAtMs: null, result: null };
  return { id, event, grantId, approverId, channelId, dueAtMs, ...fresh };
}
