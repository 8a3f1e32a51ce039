/** The tools that the server gives to the code for each kind of channel: functions, keys, and facts about the job. */
import type { Notice } from '../../../core/notification/notice.ts';
import type { Random } from '../../identity/secrets.ts';
import type { Outgoing, OutgoingAnswer } from '../outgoing.ts';
import type { SendOutcome } from '../send-outcome.ts';
import type { VapidKey } from '../vapid.ts';

/**
 * @property url  the address of the relay; it can have a user and a password
 * @property from the sender address of the mails
 */
export interface MailRelay {
  readonly url: string;
  readonly from: string;
}

/**
 * @property publicUrl    without a slash at the end
 * @property relay        null: this server cannot send mail
 * @property jobId        the same for every attempt to send one notification
 * @property waitingCount how many requests and hosts wait for a decision of the person who is notified
 */
export interface ChannelTools {
  readonly post: (outgoing: Outgoing) => Promise<OutgoingAnswer>;
  readonly nowMs: number;
  readonly random: Random;
  readonly vapid: VapidKey;
  readonly publicUrl: string;
  readonly relay: MailRelay | null;
  readonly jobId: string;
  readonly waitingCount: number;
}

export type Send<Settings> = (settings: Settings, notice: Notice, tools: ChannelTools) => Promise<SendOutcome>;

/** Returns the value as JSON, with its media type. */
export const jsonBody = (value: object): Pick<Outgoing, 'body'> & { readonly type: string } => ({
  body: Buffer.from(JSON.stringify(value)),
  type: 'application/json',
});
