/**
 * Notifies approvers and auditors of each sign-in with a break-glass code, and of each decision with the code. Ignores the preferences of
 * the recipients.
 */
import type { StoreWriter } from '../../store/store.ts';
import { newJob } from './new-job.ts';

/**
 * @property subjectId the subject that used the code
 * @property grantId   the grant that was decided; null: the code was used to sign in
 */
interface Used {
  readonly subjectId: string;
  readonly grantId: string | null;
}

/** Stores one notification for each channel that has not ended; the server sends these notifications later. */
export async function notifyOfBreakGlass(rows: StoreWriter, used: Used, nowMs: number): Promise<void> {
  for (const channel of await rows.notifications.liveChannels()) {
    const job = { grantId: used.grantId, approverId: channel.approverId, channelId: channel.id };
    await rows.notifications.insertJob(newJob('break-glass', job, nowMs, used.grantId ?? used.subjectId));
  }
}
