/** Collects what an approver sees about notifications: the approver's own channels and preferences, and the other approvers. */
import type { NotificationsView } from '../../core/wire/notification.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import type { ServerPorts } from '../server-ports.ts';
import { channelView } from './channel-changes.ts';
import { preferencesOf } from './preferences.ts';
import { vapidKeyOf } from './vapid.ts';

export async function notificationsView(
  ports: Pick<ServerPorts, 'serverKey' | 'notificationSettings'>,
  rows: StoreReader,
  approver: Subject,
): Promise<NotificationsView> {
  return {
    channels: (await rows.notifications.channels(approver.id)).map(channelView),
    preferences: await preferencesOf(rows, approver.id),
    approvers: (await rows.notifications.approvers()).filter(({ id }) => id !== approver.id),
    pushKey: vapidKeyOf(ports.serverKey).publicKey,
    canMail: ports.notificationSettings.relay !== null,
  };
}
