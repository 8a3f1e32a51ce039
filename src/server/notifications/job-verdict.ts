/** Decides whether a due notification is still wanted, and makes its text. */
import { RISKS } from '../../core/effects/permission.ts';
import { type Grant, stateAt } from '../../core/grant/grant.ts';
import { breakGlassNotice, type Notice, noticedRisk, noticeOf, testNotice } from '../../core/notification/notice.ts';
import { isQuiet, quietEndMs } from '../../core/notification/quiet-hours.ts';
import type { NotificationEvent, NotificationPreferences } from '../../core/wire/notification.ts';
import type { Channel, NotificationJob } from '../../store/notification-store.ts';
import type { StoreReader } from '../../store/store.ts';
import { lineOf, shownAssessment } from '../grants/about-line.ts';
import { isPerson } from '../identity/audience.ts';
import type { ServerParts } from '../server-ports.ts';
import { preferencesOf } from './preferences.ts';
import { whyNotAsked } from './why-not-asked.ts';

/**
 * - `send`:        send the notice on this channel
 * - `drop`:        the notification is not wanted any more
 * - `end channel`: send nothing more on this channel
 * - `later`:       do not send the notification before `atMs`
 *
 * `why` is for people, and becomes the result of the job. For `end channel`, `why` also becomes the last result of the channel.
 */
export type JobVerdict =
  | { readonly kind: 'send'; readonly channel: Channel; readonly notice: Notice }
  | { readonly kind: 'drop'; readonly why: string }
  | { readonly kind: 'end channel'; readonly channel: Channel; readonly why: string }
  | { readonly kind: 'later'; readonly atMs: number };

const drop = (why: string): JobVerdict => ({ kind: 'drop', why });

/** Decides by the present state of the channel, of the channel's person, of the grant and of the preferences. */
export async function verdictOnJob(parts: ServerParts, rows: StoreReader, job: NotificationJob): Promise<JobVerdict> {
  const nowMs = parts.clock.nowMs();
  const channel = job.channelId === null ? undefined : await rows.notifications.channel(job.channelId);
  if (channel === undefined || channel.endedAtMs !== null) return drop('the channel is gone');
  const person = await rows.subject(channel.approverId);
  if (person === undefined || !isPerson(person) || person.revokedAtMs !== null)
    return drop('the person of the channel was revoked');
  if (channel.sessionHash !== null && !(await isSignedIn(rows, channel, nowMs)))
    return { kind: 'end channel', channel, why: 'this browser is signed out' };
  if (job.event === 'test') return { kind: 'send', channel, notice: testNotice(parts.publicUrl()) };
  if (job.event === 'break-glass' && job.grantId === null)
    return { kind: 'send', channel, notice: breakGlassNotice(parts.publicUrl()) };
  const grant = job.grantId === null ? undefined : await rows.grant(job.grantId);
  if (grant === undefined || !isStillTrue(job.event, grant, nowMs)) return drop('the notification is out of date');
  const asksForDecision = job.event === 'waiting' || job.event === 'escalated';
  const why = asksForDecision ? await whyNotAsked(parts, rows, person, grant, nowMs) : null;
  if (why !== null) return drop(why);
  return verdictOnGrant(parts, rows, job, channel, grant, await preferencesOf(rows, person.id));
}

async function verdictOnGrant(
  parts: ServerParts,
  rows: StoreReader,
  job: NotificationJob,
  channel: Channel,
  grant: Grant,
  preferences: NotificationPreferences,
): Promise<JobVerdict> {
  const nowMs = parts.clock.nowMs();
  const isAlarm = job.event === 'break-glass';
  if (!isAlarm && preferences.quiet !== null && isQuiet(preferences.quiet, nowMs))
    return { kind: 'later', atMs: quietEndMs(preferences.quiet, nowMs) };
  const subject = { grant, assessment: shownAssessment(await lineOf(parts, rows, grant), grant, parts.mcpRules) };
  const isLess = RISKS.indexOf(noticedRisk(subject)) < RISKS.indexOf(preferences.minimumRisk);
  if (!isAlarm && isLess) return drop('the risk of the request is below the minimum that the person has set');
  const notice = noticeOf(job.event, subject, preferences.shows, { nowMs, publicUrl: parts.publicUrl() });
  return { kind: 'send', channel, notice };
}

/** Whether the sign-in of the browser that made this channel is still live. The push subscription of a browser ends with the sign-in. */
const isSignedIn = async (rows: StoreReader, { sessionHash, approverId }: Channel, nowMs: number): Promise<boolean> =>
  (await rows.sessionHolder(sessionHash ?? '', nowMs))?.subject.id === approverId;

/** Whether a notification of this event is still true. For example, a request that was decided meanwhile does not wait any more. */
export function isStillTrue(event: NotificationEvent, grant: Grant, nowMs: number): boolean {
  const state = stateAt(grant, nowMs);
  if (event === 'decided' || event === 'break-glass') return grant.decidedAtMs !== null;
  return event === 'expired' ? state === 'expired' && grant.decidedAtMs === null : state === 'pending';
}
