/** Carries out one due notification: checks whether it is still wanted, sends it, and stores the result. */

import { success } from '../../core/result.ts';
import type { NotificationJob } from '../../store/notification-store.ts';
import type { StoreWriter } from '../../store/store.ts';
import { countWaiting } from '../grants/count-waiting.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { sendOn } from './channel-sender.ts';
import { isStillTrue, type JobVerdict, verdictOnJob } from './job-verdict.ts';
import { newJob } from './new-job.ts';
import type { SendOutcome } from './send-outcome.ts';

/** How long a job is reserved for one server. If the server ends meanwhile, another server sends the job after this time. */
const HOLD_MS = 60_000;
/**
 * The pauses between attempts. The last attempt comes almost two hours after the first attempt. If the last attempt fails, the job ends.
 */
const PAUSES_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000];

/**
 * Returns the pause before the next attempt; null if no attempt is left.
 * @param askedMs the pause that the service asked for; null: the service asked for no pause
 */
function pauseOf(attempts: number, askedMs: number | null): number | null {
  const pauseMs = PAUSES_MS[attempts];
  return pauseMs === undefined ? null : Math.max(pauseMs, askedMs ?? 0);
}

/**
 * Carries out a due job. Returns:
 * - `over`:      the job has ended, has a later attempt, or is reserved. If the database fails after the reservation, the job
 *                stays reserved
 * - `still due`: the database cannot reserve the job, for example because the disk is full
 * @param signal stops a request that is being sent
 */
export async function workOffJob(
  parts: ServerParts,
  job: NotificationJob,
  signal: AbortSignal,
): Promise<'over' | 'still due'> {
  const held = await change(parts, async (rows) =>
    success(await rows.notifications.holdJob(job.id, job.attempts, parts.clock.nowMs() + HOLD_MS)),
  );
  if (!held.ok) return 'still due';
  if (held.value) await workOffHeld(parts, job, signal);
  return 'over';
}

/** Carries out a job that is reserved for this server. If the database fails here, the job is due again after `HOLD_MS`. */
async function workOffHeld(parts: ServerParts, job: NotificationJob, signal: AbortSignal): Promise<void> {
  if (job.event === 'escalate') return void (await change(parts, (rows) => escalate(parts, rows, job)));
  const looked = await parts.store.read(async (rows) => {
    const person = await rows.subject(job.approverId);
    const waiting = person === undefined ? 0 : await countWaiting(parts, rows, person, parts.clock.nowMs());
    return { verdict: await verdictOnJob(parts, rows, job), waiting };
  });
  if (!looked.ok) return parts.log.error({ failure: looked.failure }, 'a due notification cannot be read');
  const { verdict, waiting } = looked.value;
  const outcome =
    verdict.kind === 'send'
      ? await sendOn(parts, verdict.channel, verdict.notice, { jobId: job.id, waitingCount: waiting, signal })
      : null;
  await change(parts, async (rows) => {
    if (outcome === null) await settleUnsent(parts, rows, job, verdict);
    else await settle(parts, rows, job, outcome);
    return success(null);
  });
}

/** If the request is still pending, notifies the next approver on all channels of this approver. */
async function escalate(parts: ServerParts, rows: StoreWriter, job: NotificationJob) {
  const nowMs = parts.clock.nowMs();
  const { notifications } = rows;
  const grant = job.grantId === null ? undefined : await rows.grant(job.grantId);
  const isWaiting = grant !== undefined && isStillTrue(job.event, grant, nowMs);
  const known = isWaiting ? await notifications.channels(job.approverId) : [];
  const channels = known.filter(({ endedAtMs }) => endedAtMs === null);
  for (const channel of channels)
    await notifications.insertJob(newJob('escalated', { ...job, channelId: channel.id }, nowMs));
  await notifications.endJob(
    job.id,
    nowMs,
    isWaiting ? `passed on to ${channels.length} channels` : 'the request does not wait any more',
  );
  return success(null);
}

async function settleUnsent(
  parts: ServerParts,
  rows: StoreWriter,
  job: NotificationJob,
  looked: JobVerdict,
): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const { notifications } = rows;
  if (looked.kind === 'later') return notifications.postponeJob(job.id, looked.atMs, job.attempts);
  if (looked.kind === 'send') return;
  await notifications.endJob(job.id, nowMs, looked.why);
  if (looked.kind === 'end channel') await endChannel(rows, looked.channel.id, looked.why, nowMs);
}

async function settle(
  parts: ServerParts,
  rows: StoreWriter,
  job: NotificationJob,
  outcome: SendOutcome,
): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const { notifications } = rows;
  const channelId = job.channelId ?? '';
  if (outcome.kind === 'sent') {
    await notifications.endJob(job.id, nowMs, 'sent');
    return notifications.noteResult(channelId, { atMs: nowMs, isOk: true, text: `sent (${job.event})` });
  }
  parts.log.warn({ channel: channelId, why: outcome.why }, 'notification not sent');
  if (outcome.kind === 'gone') {
    await notifications.endJob(job.id, nowMs, outcome.why);
    return endChannel(rows, channelId, outcome.why, nowMs);
  }
  const pauseMs = outcome.kind === 'again' ? pauseOf(job.attempts, outcome.afterMs) : null;
  // The server does not repeat a test: a person waits for the result of the test.
  if (pauseMs === null || job.event === 'test') {
    await notifications.endJob(job.id, nowMs, outcome.why);
    return notifications.noteResult(channelId, { atMs: nowMs, isOk: false, text: outcome.why });
  }
  await notifications.postponeJob(job.id, nowMs + pauseMs, job.attempts + 1);
  await notifications.noteResult(channelId, {
    atMs: nowMs,
    isOk: false,
    text: `${outcome.why}; another attempt follows`,
  });
}

async function endChannel(rows: StoreWriter, channelId: string, why: string, nowMs: number): Promise<void> {
  await rows.notifications.endChannel(channelId, nowMs);
  await rows.notifications.noteResult(channelId, { atMs: nowMs, isOk: false, text: why });
}
