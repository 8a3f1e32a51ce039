/** Makes the job of a notification. */
import type { NotificationEvent } from '../../core/wire/notification.ts';
import type { NotificationJob } from '../../store/notification-store.ts';

/**
 * The id is computed from the event, the subject and the receiver, so that a job that is planned twice exists once.
 * @param about the id of the subject of the notification; default: the id of the grant. If both are null, the caller has to replace the id
 *              of the job: otherwise all such jobs of one receiver are one job
 */
export function newJob(
  event: NotificationEvent,
  { grantId, approverId, channelId }: Pick<NotificationJob, 'grantId' | 'approverId' | 'channelId'>,
  dueAtMs: number,
  about: string | null = grantId,
): NotificationJob {
  const id = `${event}:${about}:${channelId ?? approverId}`;
  const fresh = { attempts: 0, heldUntilMs: 0, endedAtMs: null, result: null };
  return { id, event, grantId, approverId, channelId, dueAtMs, ...fresh };
}
