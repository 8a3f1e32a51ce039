/** Counts what waits for one person: requests, and hosts that want to enrol. Every page and the icon of the app show the number. */
import type { StoreReader, Subject } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import { limitedRights, managesRequesters } from './viewer-rights.ts';

/** At most this number of requests is checked one by one. Every further request is counted as if this person could approve it. */
const MAX_LOOKED_AT = 200;

/**
 * Counts the requests and hosts that this person can approve. For an auditor, counts all waiting requests and hosts. If the rules for
 * people cannot be read, counts all waiting requests.
 */
export async function countWaiting(
  parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  person: Subject,
  nowMs: number,
): Promise<number> {
  const decidesHosts = person.role === 'auditor' || (await managesRequesters(rows, person));
  const hosts = decidesHosts ? (await rows.pendingEnrolments(nowMs)).length : 0;
  const requests = await rows.countPending(nowMs);
  const rightsOf = requests === 0 ? null : await limitedRights(parts, rows, person, nowMs);
  if (rightsOf === null) return requests + hosts;
  let others = 0;
  for (const grant of await rows.waitingInTurns(MAX_LOOKED_AT, nowMs))
    if ((await rightsOf(grant)).whyNotApprove !== null) others += 1;
  return requests - others + hosts;
}
