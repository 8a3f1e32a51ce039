/** Sends notices to a Telegram chat, by a bot of the approver. */
import type { TelegramSettings } from '../../../core/wire/notification.ts';
import { outcomeOfAnswer } from '../send-outcome.ts';
import { jsonBody, type Send } from './channel-tools.ts';

const TELEGRAM = 'https://api.telegram.org';

/** Without `parse_mode`, no text is markup. An entity marks the notice's body as code, so that no address or name there becomes a link. */
export const sendTelegram: Send<TelegramSettings> = async ({ token, chat, url = TELEGRAM }, notice, tools) => {
  const quoted = notice.body ?? '';
  const before = `${notice.title}\n`;
  const { body, type } = jsonBody({
    chat_id: chat,
    text: `${before}${quoted}${quoted === '' ? '' : '\n'}${notice.url}`,
    entities: quoted === '' ? [] : [{ type: 'pre', offset: before.length, length: quoted.length }],
    link_preview_options: { is_disabled: true },
  });
  const address = `${url.replace(/\/+$/, '')}/bot${token}/sendMessage`;
  return outcomeOfAnswer(await tools.post({ url: address, headers: { 'content-type': type }, body }));
};
