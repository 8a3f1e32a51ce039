/**
 * Sends a message to the program of a session, and never answers a dialog. If the agent's plugin offers a message API, the message goes
 * over this API (`api-send.ts`). If the plugin offers no message API, we paste the message like a person (`key-send.ts`).
 *
 * Both ways ask the guard (`src/core/message/send-guard.ts`) again right before each write, and await nothing between the guard's
 * permission and the write.
 */
import { type SendReport, sendReport } from '../../core/message/send-outcome.ts';
import { plainText } from '../../core/message/sent-text.ts';
import { sendOverApi } from './api-send.ts';
import { sendByKeys } from './key-send.ts';
import type { SendTarget } from './send-target.ts';
import { LOOK_AGAIN_MS, type SendOptions, SendWatch } from './send-watch.ts';
import type { Writer } from './writer.ts';

/** Waits until earlier messages of this session are sent, and then sends `text`. Reports `busy` if too many messages wait already. */
export async function sendGuarded(
  target: SendTarget,
  writer: Writer,
  text: string,
  options: SendOptions,
): Promise<SendReport> {
  const report = await writer.inTurn(() => send(new SendWatch(target, writer, plainText(text), options)));
  return report ?? sendReport('busy', 'too many messages wait for this session already');
}

async function send(watch: SendWatch): Promise<SendReport> {
  if (watch.plain === '') return sendReport('not-taken', 'the message is empty');
  const stop = watch.listen();
  try {
    return (await waitIdle(watch)) ?? (await sendOverApi(watch)) ?? (await sendByKeys(watch));
  } finally {
    stop();
  }
}

async function waitIdle(watch: SendWatch): Promise<SendReport | null> {
  const { target } = watch;
  const { waitIdleMs = 0 } = watch.options;
  const deadline = watch.now() + waitIdleMs;
  for (;;) {
    const cancelled = watch.cancelled();
    if (cancelled !== null) return cancelled;
    const isWorking = target.activity.state === 'active' || (waitIdleMs > 0 && (await isBusyOnScreen(watch)));
    if (!isWorking || target.isEnded || waitIdleMs === 0) return null;
    if (watch.now() >= deadline) return sendReport('busy', 'the program was still busy when the wait timed out');
    await watch.changed(Math.min(LOOK_AGAIN_MS * 2, deadline - watch.now()));
  }
}

async function isBusyOnScreen(watch: SendWatch): Promise<boolean> {
  const { reading } = await watch.look();
  return reading.kind === 'busy' || (reading.kind === 'composer' && reading.isBusy);
}
