/** What the owner of the server says about notifications; approvers say the rest. */
import type { MailRelay } from './channels/channel-tools.ts';

/**
 * @property relay        null: no mail can be sent
 * @property allowedHosts `host:port` that channels may reach although they are private, also without TLS
 */
export interface NotificationSettings {
  readonly relay: MailRelay | null;
  readonly allowedHosts: readonly string[];
}

export const NO_NOTIFICATION_SETTINGS: NotificationSettings = { relay: null, allowedHosts: [] };
