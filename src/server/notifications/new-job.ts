/** A notification that is to be sent. */
import type { NotificationEvent } from '../../core/wire/notification.ts';
import type { NotificationJob } from '../../store/notification-store.ts';

/**
 * Its id follows from what it is for: planned twice, it exists once.
 * @param about the grant, unless it is about something else
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
