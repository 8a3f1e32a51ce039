/** Sends notices to a program. Signs each notice as Standard Webhooks specifies: existing libraries can verify the signature. */
import { createHmac } from 'node:crypto';
import type { WebhookSettings } from '../../../core/wire/notification.ts';
import type { Random } from '../../identity/secrets.ts';
import { outcomeOfAnswer } from '../send-outcome.ts';
import { jsonBody, type Send } from './channel-tools.ts';

const SECRET_PREFIX = 'whsec_';
const GONE = [410];

export const newWebhookSecret = (random: Random): string => SECRET_PREFIX + Buffer.from(random(32)).toString('base64');

/** `webhook-id` is the same in every attempt, so that the receiver recognises a message that arrives twice. */
export const sendWebhook: Send<WebhookSettings> = async ({ url, secret }, notice, tools) => {
  const timestamp = String(Math.floor(tools.nowMs / 1_000));
  const { body, type } = jsonBody({
    type: `grant.${notice.event}`,
    timestamp: new Date(tools.nowMs).toISOString(),
    data: { grantId: notice.grantId, url: notice.url, ...notice.facts },
  });
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${tools.jobId}.${timestamp}.`).update(body).digest('base64');
  const answer = await tools.post({
    url,
    headers: {
      'content-type': type,
      'webhook-id': tools.jobId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  return outcomeOfAnswer(answer, GONE);
};
