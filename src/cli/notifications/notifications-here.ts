/** Lists and tests channels of approvers through the database of this installation's server. The server sends the notifications. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ListedChannel } from '../../server/notifications/notification-administration.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringBut, type Ending } from '../ending.ts';
import { orFailing } from '../opened.ts';
import { withLocalDatabase } from '../server/local-database.ts';
import { withOwnServer } from '../server/own-server.ts';

/** Loads the module only for the verbs that need the module. */
const administration = () => import('../../server/notifications/notification-administration.ts');

const NO_CHANNELS = 'there is no channel; sign in (apes owner link), and add one on the page Notifications\n';

export async function listNotificationChannels(context: CliContext): Promise<Ending> {
  return inServerDatabase(context, async (store) => {
    const channels = await (await administration()).listChannels(store);
    if (!channels.ok) return channels;
    const text = channels.value.map(channelLine).join('');
    return success(answering({ channels: channels.value }, text === '' ? NO_CHANNELS : text));
  });
}

function channelLine({ id, kind, name, target, approver, endedAtMs, last }: ListedChannel): string {
  const state = endedAtMs !== null ? 'ended' : last === null ? 'new' : last.isOk ? 'works' : 'trouble';
  const where = visibleLine(`${name}: ${kind}, ${target}, of ${approver}`);
  return `${id}  ${state.padEnd(7)}  ${where}${last === null ? '' : `; last: ${visibleLine(last.text)}`}\n`;
}

const TIMEOUT_MS = 60_000;
const STEP_MS = 200;

/**
 * Ends when each test has a result, or after 60 s.
 * @param wanted id or name of a channel; null: every channel
 */
export async function testNotificationChannels(context: CliContext, wanted: string | null): Promise<Ending> {
  return inServerDatabase(context, async (store) => {
    const { askForTests, testResults } = await administration();
    const asked = await askForTests(store, wanted, systemClock.nowMs());
    if (!asked.ok) return asked;
    for (let waitedMs = 0; ; waitedMs += STEP_MS) {
      const results = await testResults(store, asked.value);
      if (!results.ok) return results;
      const isOver = results.value.every(({ result }) => result !== null);
      if (isOver || waitedMs >= TIMEOUT_MS) return success(resultsEnding(results.value));
      await sleep(STEP_MS);
    }
  });
}

function resultsEnding(results: readonly { readonly name: string; readonly result: string | null }[]): Ending {
  const tests = results.map(({ name, result }) => ({
    name,
    result: result ?? `no result within ${TIMEOUT_MS / 1000} s`,
  }));
  const text = tests.map(({ name, result }) => `${visibleLine(name)}: ${visibleLine(result)}\n`).join('');
  const bad = tests.find(({ result }) => result !== 'sent');
  if (bad === undefined) return answering({ tests }, text);
  const problem = failure('unavailable', `${bad.name}: ${bad.result}`, 'correct the channel on the page Notifications');
  return answeringBut(problem, { tests }, text);
}

/** Calls `work` with the database of the server. Fails if the server does not run: a server that does not run sends no notifications. */
const inServerDatabase = (
  context: CliContext,
  work: (store: Store) => Promise<Result<Ending, Failure>>,
): Promise<Ending> => orFailing(withOwnServer(context, (record) => withLocalDatabase(record, work)));
