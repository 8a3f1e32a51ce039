/** Sends notices to an incoming webhook of Slack, or of a chat that takes the same messages. */
import type { SlackSettings } from '../../../core/wire/notification.ts';
import { outcomeOfAnswer } from '../send-outcome.ts';
import { jsonBody, type Send } from './channel-tools.ts';

/** Escapes the characters that can begin a mention or a link in Slack. `*` and `_` stay. */
const slackEscape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The text about the request is `plain_text`, in which no character acts as markup. */
export const sendSlack: Send<SlackSettings> = async ({ url }, notice, tools) => {
  const plain = notice.body === null ? notice.title : `${notice.title}\n${notice.body}`;
  const { body, type } = jsonBody({
    text: slackEscape(notice.title),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: plain, emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: `<${slackEscape(notice.url)}|Review>`, verbatim: true } },
    ],
  });
  return outcomeOfAnswer(await tools.post({ url, headers: { 'content-type': type }, body }));
};
