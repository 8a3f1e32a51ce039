/** Reads channels and adds test jobs directly in the database, for the command line. Decrypts no settings of a channel. */
import { randomBytes } from 'node:crypto';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { ChannelView } from '../../core/wire/notification.ts';
import type { Store, StoreReader } from '../../store/store.ts';
import { newId } from '../identity/secrets.ts';
import { channelView, testJob } from './channel-changes.ts';

/** @property approver the name of the channel's approver */
export interface ListedChannel extends ChannelView {
  readonly approver: string;
}

/** Lists all channels of all people, the oldest first. The list includes ended channels. */
export function listChannels(store: Store): Promise<Result<readonly ListedChannel[], Failure>> {
  return store.read(channelsIn);
}

async function channelsIn(rows: StoreReader): Promise<readonly ListedChannel[]> {
  const names = new Map((await rows.notifications.approvers()).map(({ id, name }) => [id, name]));
  const channels = await rows.notifications.channels(null);
  return channels.map((one) => ({
    ...channelView(one),
    approver: names.get(one.approverId) ?? 'an approver who was removed',
  }));
}

/**
 * @property name the name of the channel
 * @property job  the id of the job that sends the test
 */
export interface AskedTest {
  readonly name: string;
  readonly job: string;
}

/**
 * Adds a test job for each wanted channel that has not ended. A running server sends the tests. Fails if no wanted channel is left.
 * @param wanted the whole id or the name of a channel; several channels can have one name. Null: all channels
 */
export async function askForTests(
  store: Store,
  wanted: string | null,
  nowMs: number,
): Promise<Result<readonly AskedTest[], Failure>> {
  const written = await store.write(async (rows) => {
    const live = await rows.notifications.liveChannels();
    const chosen = live.filter(({ id, name }) => wanted === null || id === wanted || name === wanted);
    const asked: AskedTest[] = [];
    for (const channel of chosen) {
      const job = testJob(channel, newId('n', randomBytes), nowMs);
      await rows.notifications.insertJob(job);
      asked.push({ name: channel.name, job: job.id });
    }
    return asked;
  });
  if (!written.ok) return written;
  if (written.value.value.length > 0) return success(written.value.value);
  return failed(
    failure(
      'configuration',
      wanted === null ? 'there is no channel' : `there is no channel ${JSON.stringify(wanted)}`,
      wanted === null ? 'sign in (apes owner link), and add one on the page Notifications' : 'apes notifications list',
      'channel.not_found',
    ),
  );
}

/**
 * Reads the results, in the order of `asked`. A result is `sent`, or says why the test was not sent. Null: the test has not ended, or its
 * job is gone.
 */
export function testResults(
  store: Store,
  asked: readonly AskedTest[],
): Promise<Result<readonly { readonly name: string; readonly result: string | null }[], Failure>> {
  return store.read(async (rows) => {
    const results: { name: string; result: string | null }[] = [];
    for (const { name, job } of asked)
      results.push({ name, result: (await rows.notifications.job(job))?.result ?? null });
    return results;
  });
}
