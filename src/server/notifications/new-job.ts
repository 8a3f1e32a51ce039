/** Makes the job of a notification. */
import type { NotificationEvent } from '../../core/wire/notification.ts';
import type { NotificationJob } from '../../store/notification-store.ts';

/**
 * Makes the job's id from the event, `about` and the receiver. So a job that is planned twice gets the same id, and exists once.
 * @param about the id of the grant or person that the notification is about. If `about` is null, all jobs of this event and receiver get
 *              the same id: then the caller must replace the id
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
