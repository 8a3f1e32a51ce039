/**
 * `apes server restored`: ends all approvals, all policies that allow reading, and all sign-in sessions. Needed if another tool
 * (pg_restore, a disk snapshot) restored the database.
 */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { endedText } from './ended-text.ts';
import { withDatabaseOf } from './local-database.ts';
import { underServerLock } from './local-server.ts';

interface AfterRestore {
  readonly name: string;
  readonly approvals: number;
  readonly policies: number;
}

/** Can be called again: what has ended stays ended. */
export const endAfterRestore = (context: CliContext): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const whenHeld = (pid: number) =>
      failure('usage', `the server of this installation runs (pid ${pid})`, 'apes down, then apes server restored');
    return underServerLock(installation.paths, whenHeld, async () => {
      const ended = await endAll(installation);
      if (!ended.ok) return failing(ended.failure);
      return answering(ended.value, `${ended.value.name}\n${endedText(ended.value)}Start the server: apes up\n`);
    });
  });

/** Does not change a database with faults: another backup may have no faults. */
async function endAll(installation: Installation): Promise<Result<AfterRestore, Failure>> {
  const { endRestored } = await import('../../server/identity/restored.ts');
  return withDatabaseOf(installation, async (store) => {
    const faults = await store.check();
    if (!faults.ok) return faults;
    if (faults.value[0] !== undefined)
      return failed(
        failure('configuration', `${store.name} is not whole: ${faults.value[0]}`, 'put another backup in its place'),
      );
    const ended = await endRestored(store, systemClock.nowMs());
    return ended.ok ? { ...ended, value: { name: store.name, ...ended.value } } : ended;
  });
}
