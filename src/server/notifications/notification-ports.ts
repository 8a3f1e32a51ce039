/** What the owner of the server sets for the notifications to all approvers. Each approver also has preferences. */
import type { MailRelay } from './channels/channel-tools.ts';

/**
 * @property relay        null: the server cannot send mail
 * @property allowedHosts `host:port` of private addresses. Channels may use these addresses, even without TLS
 */
export interface NotificationSettings {
  readonly relay: MailRelay | null;
  readonly allowedHosts: readonly string[];
}

export const NO_NOTIFICATION_SETTINGS: NotificationSettings = { relay: null, allowedHosts: [] };
