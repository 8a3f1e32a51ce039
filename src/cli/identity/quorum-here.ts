/** `apes owner quorum`: shows or sets how many people have to approve. Uses the database of this installation's server. */
import type { Risk } from '../../core/effects/permission.ts';
import { failure } from '../../core/failure.ts';
import { quorumText } from '../../core/people/limits-text.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';

/**
 * @param risk the risk for which the number is set; null: the command only shows the numbers, and ignores `count`
 * @param count how many people; if null and `risk` is given, the command fails
 */
export async function quorum(context: CliContext, risk: Risk | null, count: number | null): Promise<Ending> {
  if (risk !== null && count === null)
    return failing(failure('usage', 'the number of people is missing', `apes owner quorum ${risk} 2`));
  const rules = await withOwnDatabase(context, async (store) => {
    const { readPeopleRules, setQuorum } = await import('../../server/identity/people-administration.ts');
    if (risk === null || count === null) return readPeopleRules(store);
    return setQuorum(store, { [risk]: count }, { nowMs: systemClock.nowMs() });
  });
  if (!rules.ok) return failing(rules.failure);
  return answering({ quorum: rules.value.quorum }, `${quorumText(rules.value.quorum)}\n`);
}
