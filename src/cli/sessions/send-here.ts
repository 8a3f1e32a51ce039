/**
 * Asks the session's host to send a message, and prints the result. Usually, the launcher sends the message itself
 * (`bin/session-send.h`), and this file is not loaded.
 */
import { type Failure, failure } from '../../core/failure.ts';
import type { SendMode } from '../../core/message/send-guard.ts';
import type { SendWay } from '../../core/message/send-outcome.ts';
import { sendText } from '../../core/message/send-text.ts';
import { MAX_MESSAGE_LENGTH } from '../../core/message/sent-text.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { readStandardInput, readTextFile } from '../../run/source-text.ts';
import { sendToSession } from '../../session/client/send-client.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { done, type Ending, ended, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';

/**
 * @property waitIdleMs how long to wait for the end of the program's turn; 0: no wait
 * @property via        absent: the message API of the agent's plugin, or keys if the plugin offers no message API
 * @property file       the file with the message. Without `text` and `file`, the message comes from standard input
 */
interface SendCall {
  readonly mode: SendMode;
  readonly session: string;
  readonly waitIdleMs: number;
  readonly via?: SendWay;
  readonly isJson: boolean;
  /** `-`: the message comes from standard input. */
  readonly text?: string;
  readonly file?: string;
}

export const sendHere = (context: CliContext, call: SendCall): Promise<Ending> =>
  endingWith(context, async ({ paths }) => {
    const text = messageOf(call);
    if (!text.ok) return failing(text.failure);
    const directory = sessionDirectory(paths);
    const { mode, session, waitIdleMs, via } = call;
    const sent = await sendToSession(directory, session, {
      mode,
      text: text.value,
      waitIdleMs,
      ...(via === undefined ? {} : { via }),
    });
    const { out, err, status } = sendText(session, sent, call.isJson);
    if (out !== '') context.out(out);
    if (err !== '') context.err(err);
    return status === 0 ? done : ended(status);
  });

/**
 * Returns the message. Checks the length of a message that comes from a file or from standard input. The session's host checks the length
 * of every message.
 */
function messageOf({ text, file }: SendCall): Result<string, Failure> {
  if (text !== undefined && text !== '-') return success(text);
  const read = file === undefined ? readStandardInput() : readTextFile(file);
  if (!read.ok) return read;
  return Buffer.byteLength(read.value) > MAX_MESSAGE_LENGTH
    ? failed(failure('usage', `the message is longer than ${MAX_MESSAGE_LENGTH} bytes`, 'send a file name instead'))
    : read;
}
