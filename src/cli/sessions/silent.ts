/**
 * `apes sessions silent SESSION WHY`: prints what `apes send` prints if a session did not answer a message. The message may have arrived.
 * The native launcher sends plain messages without Node (`bin/session-send.h`). If no answer comes, the launcher runs this verb, because
 * the launcher contains no texts for people.
 */

import { sendText } from '../../core/message/send-text.ts';
import { failed } from '../../core/result.ts';
import { sessionSilent } from '../../session/client/client.ts';
import type { CliContext } from '../context.ts';
import { type Ending, ended } from '../ending.ts';

/** @param why the cause, which the message shows in parentheses */
export function printNoAnswer(context: CliContext, session: string, why: string, isJson: boolean): Promise<Ending> {
  const { out, err, status } = sendText(session, failed(sessionSilent(session, why)), isJson);
  if (out !== '') context.out(out);
  context.err(err);
  return Promise.resolve(ended(status));
}
