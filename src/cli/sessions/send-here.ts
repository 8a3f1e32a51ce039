/**
 * Asks the session's host to send a message, and prints the result. In the plain case the launcher does this itself
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

interface Order {
  readonly mode: SendMode;
  readonly session: string;
  readonly waitIdleMs: number;
  readonly via?: SendWay;
  readonly isJson: boolean;
  /** `-` is standard input. */
  readonly text?: string;
  readonly file?: string;
}

export async function sendHere(context: CliContext, order: Order): Promise<Ending> {
  const installation = await context.openInstallation();
  if (!installation.ok) return failing(installation.failure);
  const text = messageOf(order);
  if (!text.ok) return failing(text.failure);
  const directory = sessionDirectory(installation.value.paths);
  const { mode, session, waitIdleMs, via } = order;
  const sent = await sendToSession(directory, session, {
    mode,
    text: text.value,
    waitIdleMs,
    ...(via === undefined ? {} : { via }),
  });
  const { out, err, status } = sendText(session, sent, order.isJson);
  if (out !== '') context.out(out);
  if (err !== '') context.err(err);
  return status === 0 ? done : ended(status);
}

/** Stops reading at 2 MiB: an endless input must not fill the memory. */
function messageOf({ text, file }: Order): Result<string, Failure> {
  if (text !== undefined && text !== '-') return success(text);
  const read = file === undefined ? readStandardInput() : readTextFile(file);
  if (!read.ok) return read;
  return Buffer.byteLength(read.value) > MAX_MESSAGE_LENGTH
    ? failed(failure('usage', `the message is longer than ${MAX_MESSAGE_LENGTH} bytes`, 'send a file name instead'))
    : read;
}
