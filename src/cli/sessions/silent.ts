/**
 * `apes sessions silent SESSION WHY`: what `apes send` says when a session has the message and its answer does not come. The launcher
 * sends plain messages by itself, without any words of its own (`bin/session-send.h`): this is where it ends then.
 */

import { sendText } from '../../core/message/send-text.ts';
import { failed } from '../../core/result.ts';
import { sessionSilent } from '../../session/client/client.ts';
import type { CliContext } from '../context.ts';
import { type Ending, ended } from '../ending.ts';

export function tellSilence(context: CliContext, session: string, why: string, isJson: boolean): Promise<Ending> {
  const { out, err, status } = sendText(session, failed(sessionSilent(session, why)), isJson);
  if (out !== '') context.out(out);
  context.err(err);
  return Promise.resolve(ended(status));
}
