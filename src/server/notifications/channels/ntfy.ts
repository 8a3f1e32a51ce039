/**
 * Sends notices to a topic of an ntfy server. A notice is sent as JSON, so that none of its texts becomes an HTTP header. The only action
 * of a notice opens the page.
 */
import type { NtfySettings } from '../../../core/wire/notification.ts';
import { outcomeOfAnswer } from '../send-outcome.ts';
import { jsonBody, type Send } from './channel-tools.ts';

/** ntfy's priorities: 3 is `default`, 4 is `high`. */
const PRIORITY = { usual: 3, urgent: 4 };

export const sendNtfy: Send<NtfySettings> = async ({ url, topic, token }, notice, tools) => {
  const { body, type } = jsonBody({
    topic,
    title: notice.title,
    message: notice.body ?? 'Open the page to see the details.',
    priority: notice.isUrgent ? PRIORITY.urgent : PRIORITY.usual,
    click: notice.url,
    actions: [{ action: 'view', label: 'Review', url: notice.url }],
  });
  const headers = { 'content-type': type, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  // ntfy accepts JSON only at the root of its server, so the path of the URL is left out.
  return outcomeOfAnswer(await tools.post({ url: new URL('/', url).href, headers, body }));
};
