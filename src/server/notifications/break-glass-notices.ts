/**
 * Notifies every approver and auditor with a channel, whatever their preferences are: when a person signs in with a break-glass code, and
 * of each decision with the code.
 */
import type { StoreWriter } from '../../store/store.ts';
import { newJob } from './new-job.ts';

/** @property grantId the grant that was decided; null: the code was used to sign in */
interface Used {
  readonly subjectId: string;
  readonly grantId: string | null;
}

export async function notifyOfBreakGlass(rows: StoreWriter, used: Used, nowMs: number): Promise<void> {
  for (const channel of await rows.notifications.channels(null)) {
    if (channel.endedAtMs !== null) continue;
    const job = { grantId: used.grantId, approverId: channel.approverId, channelId: channel.id };
    await rows.notifications.insertJob(newJob('break-glass', job, nowMs, used.grantId ?? used.subjectId));
  }
}
