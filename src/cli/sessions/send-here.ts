/**
 * Asks the session's host to send a message, and prints the result. In the plain case the launcher does this itself
 * (`bin/session-send.h`), and this file is not loaded.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Failure, failure } from '../../core/failure.ts';
import type { SendMode } from '../../core/message/send-guard.ts';
import type { SendWay } from '../../core/message/send-outcome.ts';
import { sendText } from '../../core/message/send-text.ts';
import { MAX_MESSAGE_LENGTH } from '../../core/message/sent-text.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { errorCode } from '../../platform/private-files.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
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
  const text = await messageOf(order);
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

async function messageOf({ text, file }: Order): Promise<Result<string, Failure>> {
  if (text !== undefined && text !== '-') return success(text);
  let bytes: Buffer;
  try {
    bytes = file === undefined ? readFileSync(0) : await readFile(file);
  } catch (error) {
    return failed(failure('usage', `cannot read ${file ?? 'standard input'} (${errorCode(error)})`));
  }
  if (bytes.length > MAX_MESSAGE_LENGTH)
    return failed(
      failure('usage', `the message is longer than ${MAX_MESSAGE_LENGTH} bytes`, 'send a file name instead'),
    );
  const decoded = decodeUtf8(bytes);
  return decoded === null ? failed(failure('unreadable', 'the message is not valid UTF-8')) : success(decoded);
}
