/** Decides whether a person is notified of a waiting request. Only people who may approve the request are asked. */
import type { Grant } from '../../core/grant/grant.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { rightsIn } from '../grants/viewer-rights.ts';
import type { ServerParts } from '../server-ports.ts';

/**
 * Returns why this person is not asked to decide, as a text for people. Returns null if the person is asked. If the rules for people
 * cannot be read, every approver is asked.
 */
export async function whyNotAsked(
  parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  person: Subject,
  grant: Grant,
  nowMs: number,
): Promise<string | null> {
  if (person.role !== 'approver' || person.revokedAtMs !== null) return 'the person is no longer an approver';
  const rightsOf = await rightsIn(parts, rows, person, nowMs);
  const { whyNotApprove, hasApproved } = await rightsOf(grant);
  if (whyNotApprove === null) return null;
  return hasApproved === true
    ? 'the person has approved the request; other people still have to approve it'
    : 'the person may not decide this request';
}
