/** Sends notices to the app in a browser or on a phone. The browser's push service delivers the notices, but cannot read their text. */
import type { Notice } from '../../../core/notification/notice.ts';
import type { PushSettings } from '../../../core/wire/notification.ts';
import { encryptPush, MAX_PUSH_BYTES } from '../push-encryption.ts';
import { outcomeOfAnswer } from '../send-outcome.ts';
import { vapidAuthorization, vapidContact } from '../vapid.ts';
import type { Send } from './channel-tools.ts';

/** A phone that is off for longer than this time gets no notification. The inbox still shows the request. */
const TIME_TO_LIVE_S = 24 * 3600;
const GONE = [404, 410];

export const sendPush: Send<PushSettings> = async (subscription, notice, tools) => {
  const body = encryptPush(payloadOf(notice, tools.waitingCount), subscription, tools.random);
  if (body === null) return { kind: 'failed', why: 'the key of the subscription is not valid' };
  const { vapid, nowMs, publicUrl } = tools;
  const { endpoint } = subscription;
  const answer = await tools.post({
    url: endpoint,
    headers: {
      authorization: vapidAuthorization(vapid, { endpoint, contact: vapidContact(publicUrl), nowMs }),
      ttl: String(TIME_TO_LIVE_S),
      urgency: 'high',
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      // A later notification replaces an undelivered notification about the same request.
      ...(notice.grantId === null ? {} : { topic: notice.grantId.slice(0, 32) }),
    },
    body,
  });
  return outcomeOfAnswer(answer, GONE);
};

/**
 * Makes a Declarative Web Push message. Leaves out `body` if the message would be too long. Some browsers do not know such messages: there,
 * our service worker reads the message.
 */
function payloadOf(notice: Notice, waiting: number): Buffer {
  const { title, body, url, grantId, version, canDeny } = notice;
  const text = (shown: string | null) =>
    Buffer.from(
      JSON.stringify({
        web_push: 8030,
        app_badge: waiting,
        notification: {
          title,
          navigate: url,
          lang: 'en',
          dir: 'ltr',
          silent: false,
          app_badge: waiting, // the first browsers with declarative messages read the number here
          ...(shown === null ? {} : { body: shown }),
          ...(grantId === null ? {} : { tag: grantId }),
          data: { grantId, version, canDeny, waiting },
        },
      }),
    );
  const whole = text(body);
  return whole.length <= MAX_PUSH_BYTES ? whole : text(null);
}
