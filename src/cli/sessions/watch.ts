/** `apes sessions watch ID`: shows a session live. Keys that are typed here do not reach the program. */

import { dataAnswer } from '../../core/text/json-answer.ts';
import type { SessionClient } from '../../session/client/client.ts';
import { openSession } from '../../session/client/find-session.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { done, type Ending, failing } from '../ending.ts';
import { FirstOutcome } from '../first-outcome.ts';
import { endingWith } from '../opened.ts';
import { lostFailure } from './attach.ts';
import { ownDevice, showOnTerminal } from './session-screen.ts';
import { endingText } from './session-text.ts';

const LEAVING_KEYS: readonly number[] = [0x03, 0x04, 0x1c, 0x71]; // Ctrl-C, Ctrl-D, Ctrl-\, q

export const watchSession = (context: CliContext, id: string, isJson: boolean): Promise<Ending> =>
  endingWith(context, async ({ paths }) => {
    const opened = await openSession(sessionDirectory(paths), id);
    if (!opened.ok) return failing(opened.failure);
    if (isJson) return printChanges(context, opened.value);
    const { entry } = opened.value;
    const shown = await showOnTerminal(
      context,
      opened.value,
      (keys) => keys.length === 1 && LEAVING_KEYS.includes(keys[0] ?? 0),
      () => opened.value.ask('watch', { device: ownDevice() }),
    );
    if (shown.kind === 'lost') return failing(lostFailure(entry));
    if (shown.kind === 'refused') return failing(shown.failure);
    const how = shown.kind === 'ended' ? endingText(shown.ending) : 'goes on';
    context.err(`apes: ${entry.name ?? entry.id} ${how}\n`);
    return done;
  });

/**
 * Prints one JSON object on each line: an event `screen` for each change of the screen, and at last an event `ended`. Then closes `client`.
 */
export async function printChanges(context: CliContext, client: SessionClient): Promise<Ending> {
  const outcome = new FirstOutcome<Ending>();
  client.onEvent((event) => {
    context.out(dataAnswer(event));
    if (event.event === 'ended') outcome.settle(done);
  });
  client.onClosed(() => outcome.settle(failing(lostFailure(client.entry))));
  context.onFatalSignal(() => outcome.settle(done));
  const asked = await client.ask('watch', { isRendered: true, device: ownDevice() });
  if (!asked.ok) outcome.settle(failing(asked.failure));
  const ending = await outcome.settled;
  client.close();
  return ending;
}
