/** Plans the notifications for recorded events. Each notification is planned once, even if several servers read the same events. */
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import type { Grant } from '../../core/grant/grant.ts';
import { onCallAt } from '../../core/people/on-call.ts';
import type { NotificationEvent, NotificationPreferences } from '../../core/wire/notification.ts';
import type { Rota } from '../../core/wire/people.ts';
import type { Channel } from '../../store/notification-store.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { rotaOf } from '../identity/on-call.ts';
import { personOf } from '../identity/people-rules.ts';
import type { ServerParts } from '../server-ports.ts';
import { notifyOfBreakGlass } from './break-glass-notices.ts';
import { newJob } from './new-job.ts';
import { preferencesOf } from './preferences.ts';
import { whyNotAsked } from './why-not-asked.ts';

const EVENTS_AT_ONCE = 100;
const MINUTE_MS = 60_000;

/** Whether there are events for which notifications have to be planned; false while no person has a channel. */
export async function hasNotableEvents(rows: StoreReader): Promise<boolean> {
  const { notifications } = rows;
  if (!(await notifications.hasLiveChannel())) return false;
  return (await notifications.notableEvents(await notifications.notificationCursor(), 1)).length > 0;
}

/**
 * Plans the notifications for at most `EVENTS_AT_ONCE` events. Moves the cursor in the same transaction. Of several servers, only one can
 * therefore plan these notifications.
 */
export async function planNext(parts: Readers, rows: StoreWriter): Promise<void> {
  const { notifications } = rows;
  const from = await notifications.notificationCursor();
  const events = await notifications.notableEvents(from, EVENTS_AT_ONCE);
  const last = events.at(-1);
  if (last === undefined || !(await notifications.moveCursor(from, last.seq))) return;
  const audience = await audienceOf(rows);
  const rota = await rotaOf(rows);
  for (const event of events) await planEvent(parts, rows, audience, rota, event);
}

type Readers = Pick<ServerParts, 'rules' | 'mcpRules'>;

/**
 * An account of an approver or auditor with a channel. If a person has several accounts on this server, each account is a listener.
 * @property channels where messages go; at least one
 */
interface Listener {
  readonly approverId: string;
  readonly subject: Subject;
  readonly preferences: NotificationPreferences;
  readonly channels: readonly Channel[];
}

async function audienceOf(rows: StoreReader): Promise<readonly Listener[]> {
  const live = await rows.notifications.liveChannels();
  const listeners: Listener[] = [];
  for (const approverId of new Set(live.map((channel) => channel.approverId))) {
    const subject = await rows.subject(approverId);
    if (subject === undefined) continue;
    listeners.push({
      approverId,
      subject,
      preferences: await preferencesOf(rows, approverId),
      channels: live.filter((channel) => channel.approverId === approverId),
    });
  }
  return listeners;
}

/** @property thenMs the time from the request until the other people are notified */
interface First {
  readonly listeners: readonly Listener[];
  readonly thenMs: number;
}

/**
 * Returns the accounts of the person on call. These accounts are notified first. Returns null in three cases: no person is on call, the
 * person on call has no channel, or the person on call is not asked about this request (`whyNotAsked`). If the result is null, all
 * approvers are notified at the same time.
 */
async function firstOf(
  parts: Readers,
  rows: StoreReader,
  audience: readonly Listener[],
  rota: Rota | null,
  grant: Grant,
  atMs: number,
): Promise<First | null> {
  const onCall = rota === null ? null : onCallAt(rota, atMs);
  if (rota === null || onCall === null) return null;
  const listeners = audience.filter(({ subject }) => personOf(subject) === onCall.personId);
  const [one] = listeners;
  if (one === undefined || (await whyNotAsked(parts, rows, one.subject, grant, atMs)) !== null) return null;
  return { listeners, thenMs: rota.thenMinutes * MINUTE_MS };
}

async function planEvent(
  parts: Readers,
  rows: StoreWriter,
  audience: readonly Listener[],
  rota: Rota | null,
  event: StoredAuditEvent,
): Promise<void> {
  const grant = event.grantId === null ? undefined : await rows.grant(event.grantId);
  if (grant === undefined) return;
  if (event.kind !== 'grant.requested') return planDecision(rows, audience, grant, event);
  const first = await firstOf(parts, rows, audience, rota, grant, event.atMs);
  for (const listener of audience) await planRequest(rows, listener, first, grant, event.atMs);
}

async function planDecision(
  rows: StoreWriter,
  audience: readonly Listener[],
  { id: grantId }: Grant,
  { actorId, atMs }: StoredAuditEvent,
): Promise<void> {
  const actor = actorId === null ? undefined : await rows.subject(actorId);
  if (actor?.role === 'break-glass') return notifyOfBreakGlass(rows, { subjectId: actor.id, grantId }, atMs);
  // The account that decided is not notified.
  for (const { approverId, preferences, channels } of audience)
    if (preferences.decided && actorId !== approverId)
      for (const channel of channels) await put(rows, 'decided', grantId, channel, atMs);
}

async function planRequest(
  rows: StoreWriter,
  listener: Listener,
  first: First | null,
  { id: grantId, expiresAtMs }: Grant,
  atMs: number,
): Promise<void> {
  const { preferences, channels } = listener;
  if (preferences.expired) for (const channel of channels) await put(rows, 'expired', grantId, channel, expiresAtMs);
  if (listener.subject.role === 'auditor') return; // auditors decide nothing
  const { escalation } = preferences;
  const isFirst = first?.listeners.includes(listener) === true;
  const waitsMs = first === null || isFirst ? 0 : first.thenMs;
  if (isFirst || !preferences.onlyWhenEscalated)
    for (const channel of channels) await put(rows, 'waiting', grantId, channel, atMs + waitsMs);
  if (escalation === null) return;
  const next = { grantId, approverId: escalation.to, channelId: null };
  await rows.notifications.insertJob(newJob('escalate', next, atMs + escalation.afterMinutes * MINUTE_MS));
}

const put = (rows: StoreWriter, event: NotificationEvent, grantId: string, to: Channel, dueAtMs: number) =>
  rows.notifications.insertJob(newJob(event, { grantId, approverId: to.approverId, channelId: to.id }, dueAtMs));
