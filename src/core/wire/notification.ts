/** Notifications to approvers: their channels, their preferences, and what is sent. */
import { Type } from 'typebox';
import { RISKS } from '../effects/permission.ts';
import { base64Url, closed, Id, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const KINDS = ['push', 'ntfy', 'mail', 'webhook', 'telegram', 'slack'] as const;
export type ChannelKind = (typeof KINDS)[number];

/**
 * What a notification is about.
 * - `escalated`:   a request still waits: another approver has not decided the request in time
 * - `escalate`:    not a message, but a job. The job creates the `escalated` messages when the time to decide is over
 * - `break-glass`: a break-glass code was used, or a person has decided a request with such a code
 */
export type NotificationEvent = 'waiting' | 'escalated' | 'escalate' | 'decided' | 'expired' | 'break-glass' | 'test';

const Name = Type.String({ minLength: 1, maxLength: 80 });
const Url = Type.String({ minLength: 1, maxLength: 2048 });
const Token = Type.String({ pattern: '^[!-~]{1,500}$' });

const PushSchema = Type.Object(
  { kind: Type.Literal('push'), name: Name, endpoint: Url, p256dh: base64Url(65), auth: base64Url(16) },
  closed,
);
const NtfySchema = Type.Object(
  {
    kind: Type.Literal('ntfy'),
    name: Name,
    url: Url,
    topic: Type.String({ pattern: '^[-_A-Za-z0-9]{1,64}$' }),
    token: Type.Optional(Token),
  },
  closed,
);
const MailSchema = Type.Object(
  { kind: Type.Literal('mail'), name: Name, address: Type.String({ minLength: 3, maxLength: 254 }) },
  closed,
);
const WebhookSchema = Type.Object({ kind: Type.Literal('webhook'), name: Name, url: Url }, closed);
const TelegramSchema = Type.Object(
  {
    kind: Type.Literal('telegram'),
    name: Name,
    token: Type.String({ pattern: '^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$' }),
    chat: Type.String({ pattern: '^(-?[0-9]{1,20}|@[A-Za-z0-9_]{3,64})$' }),
    url: Type.Optional(Url),
  },
  closed,
);
const SlackSchema = Type.Object({ kind: Type.Literal('slack'), name: Name, url: Url }, closed);

/** `POST /v1/notifications/channels` */
export const NewChannelSchema = Type.Union([
  PushSchema,
  NtfySchema,
  MailSchema,
  WebhookSchema,
  TelegramSchema,
  SlackSchema,
]);
export type NewChannel = Shape<typeof NewChannelSchema>;
export type PushSettings = Shape<typeof PushSchema>;
/** @property token the access token for the topic; absent: the server sends no token */
export type NtfySettings = Shape<typeof NtfySchema>;
export type MailSettings = Shape<typeof MailSchema>;
/** @property secret the key with which the server signs its calls to the webhook. The server makes the key, and shows it once */
export type WebhookSettings = Shape<typeof WebhookSchema> & { readonly secret: string };
/** @property url the address of another server of the bot API; absent: Telegram's own server */
export type TelegramSettings = Shape<typeof TelegramSchema>;
export type SlackSettings = Shape<typeof SlackSchema>;

/**
 * @property target    the part of the receiver's address that people may see: a mail address or a host, never a secret
 * @property endedAtMs when the channel ended; null: the channel has not ended. A channel ends if the service reports that the receiver does
 *                     not exist any more. A push channel also ends if its browser is signed out
 * @property last      the result of the last attempt to send on the channel; null: no attempt yet. `text` is for people: what was sent,
 *                     or why sending failed
 */
const ChannelViewSchema = Type.Object({
  id: Type.String(),
  kind: literals(...KINDS),
  name: Type.String(),
  target: Type.String(),
  createdAtMs: Milliseconds,
  endedAtMs: nullable(Milliseconds),
  last: nullable(Type.Object({ atMs: Milliseconds, isOk: Type.Boolean(), text: Type.String() })),
});
export type ChannelView = Shape<typeof ChannelViewSchema>;

/**
 * Quiet hours are the same on every day. Quiet hours begin with the minute `from` and end before the minute `to`; midnight is minute 0. If
 * `to` is less than `from`, the quiet hours end on the next day. `from` and `to` are never equal (`quietFault`).
 * @property timeZone a name such as `Europe/Vienna`
 */
const QuietHoursSchema = Type.Object(
  {
    from: Type.Integer({ minimum: 0, maximum: 1439, description: 'a minute of the day' }),
    to: Type.Integer({ minimum: 1, maximum: 1440 }),
    timeZone: Type.String({ maxLength: 64 }),
  },
  closed,
);
export type QuietHours = Shape<typeof QuietHoursSchema>;

/**
 * `POST /v1/notifications/preferences`
 * @property minimumRisk       if a request has a lower risk than this, only `break-glass` is sent. An unknown risk counts as critical
 * @property onlyWhenEscalated the approver is notified of a waiting request only in two cases: another approver has not decided the request
 *                             in time, or this approver is on call
 * @property shows             which facts about a request a notification contains
 * @property quiet             the quiet hours; null: no quiet hours. In quiet hours, only `break-glass` and `test` are sent. Other
 *                             notifications wait for the end of the quiet hours
 * @property escalation        the approver who is notified if a request is not decided within `afterMinutes`; null: no escalation. Has no
 *                             effect while the owner of these preferences has no channel
 * @property decided           whether the approver is notified of decisions of other people
 * @property expired           whether the approver is notified of expired requests
 */
export const NotificationPreferencesSchema = Type.Object(
  {
    minimumRisk: literals(...RISKS),
    shows: literals('all', 'tool and host', 'nothing'),
    quiet: nullable(QuietHoursSchema),
    onlyWhenEscalated: Type.Boolean(),
    escalation: nullable(Type.Object({ to: Id, afterMinutes: Type.Integer({ minimum: 1, maximum: 10_080 }) }, closed)),
    decided: Type.Boolean(),
    expired: Type.Boolean(),
  },
  closed,
);
export type NotificationPreferences = Shape<typeof NotificationPreferencesSchema>;

/**
 * `GET /v1/notifications`: the channels and preferences of the caller.
 * @property approvers the other approvers, to whom the caller may escalate, sorted by name
 * @property canMail   whether the server has a mail relay
 */
export const NotificationsSchema = Type.Object({
  channels: Type.Array(ChannelViewSchema),
  preferences: NotificationPreferencesSchema,
  approvers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  pushKey: Type.String({ description: 'the applicationServerKey of this server' }),
  canMail: Type.Boolean(),
});
export type NotificationsView = Shape<typeof NotificationsSchema>;

/** @property secret the secret of a webhook; null for other channels. Only this answer shows the secret */
export const ChannelAddedSchema = Type.Object({ channel: ChannelViewSchema, secret: nullable(Type.String()) });
/** @property job the id of the notification that the test sends; `last` of the channel shows the result */
export const ChannelTestSchema = Type.Object({ job: Type.String() });
/** `GET /v1/notifications/page-token`: the CSRF token that the service worker sends with a denial. */
export const PageTokenSchema = Type.Object({ csrfToken: Type.String() });
