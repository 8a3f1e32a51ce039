/** Sends notices by mail, through the relay in the server's settings. */
import { connectionFault, unreachableText } from '../../../core/connection-fault.ts';
import type { MailSettings } from '../../../core/wire/notification.ts';
import type { SendOutcome } from '../send-outcome.ts';
import type { Send } from './channel-tools.ts';

const TIMEOUT_MS = 10_000;

/** Whether the text is exactly one mail address, without a name or a comment. */
export const isMailAddress = (text: string): boolean =>
  /^[^\s@<>()[\],;:"\\\p{Cc}]{1,64}@[^\s@<>()[\],;:"\\\p{Cc}]{1,189}$/u.test(text);

export const sendMail: Send<MailSettings> = async ({ address }, notice, { relay, publicUrl }) => {
  if (relay === null) return { kind: 'failed', why: 'this server has no mail relay (serve.smtp_url)' };
  const { default: nodemailer } = await import('nodemailer');
  const transport = nodemailer.createTransport({
    url: relay.url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: relay.from,
      to: { name: '', address },
      subject: notice.title,
      text: `${notice.body === null ? '' : `${notice.body}\n\n`}${notice.url}\n\nSent by ${publicUrl}; change your notifications at ${publicUrl}/notifications\n`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return { kind: 'sent' };
  } catch (error) {
    return outcomeOfFault(error as MailError);
  } finally {
    transport.close();
  }
};

/** @property originalCode the code of the operating system or of TLS, if nodemailer has put a code of its own into `code` */
interface MailError {
  readonly responseCode?: number;
  readonly code?: string;
  readonly originalCode?: string;
}

/** Maps nodemailer's codes for connection faults to Node's codes. */
const MEANT: Readonly<Record<string, string>> = {
  EDNS: 'ENOTFOUND',
  ETLS: 'EPROTO',
  ESOCKET: 'ECONNRESET',
  ECONNECTION: 'ECONNRESET',
};

/** Shows the code of the relay's reply, but not the text: the text can repeat the address and the mail. */
function outcomeOfFault({ responseCode, code = 'error', originalCode }: MailError): SendOutcome {
  const isTemporary = responseCode !== undefined && responseCode < 500;
  if (code === 'EAUTH' && !isTemporary)
    return { kind: 'failed', why: 'the mail relay does not take the user and password of serve.smtp_url' };
  if (responseCode !== undefined && !isTemporary)
    return { kind: 'failed', why: `the mail relay refused the mail (${responseCode})` };
  const connectionCode = originalCode ?? MEANT[code] ?? code;
  const isConnection = responseCode === undefined && connectionFault(connectionCode) !== null;
  const why = isConnection
    ? `the mail relay is ${unreachableText(connectionCode)}`
    : `the mail relay cannot be used now (${responseCode ?? code})`;
  return { kind: 'again', why, afterMs: null };
}
