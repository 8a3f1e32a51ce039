/** Computes the grant after one more approval: the rules for people may demand approvals of several people. */
import type { Grant } from '../../core/grant/grant.ts';
import { addApproval, endingBy } from '../../core/people/add-approval.ts';
import { authorityOf, neededFor } from '../../core/people/may-decide.ts';
import { approverWith } from '../../core/sealed/approver-list.ts';
import type { GivenApproval } from '../../core/wire/approvals.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type ApprovalAuthority, whatOf } from './approval-authority.ts';

/** @param approved the grant as this person alone would approve it */
export async function withApproval(
  rows: StoreReader,
  grant: Grant,
  approved: Grant,
  by: Pick<Subject, 'name'>,
  { personId, rules, deciders, risk, endMs }: ApprovalAuthority,
  nowMs: number,
): Promise<Grant> {
  const needed = neededFor(rules.quorum, risk);
  const { approvals: _, ...alone } = approved;
  if (needed === 1) return endingBy(alone, endMs);
  const given: GivenApproval = {
    by: personId,
    name: by.name,
    atMs: nowMs,
    ...(endMs === null ? {} : { untilMs: endMs }),
    ...(approved.sealed === undefined ? {} : { sealed: approved.sealed }),
  };
  const list = await rows.lastApprovers();
  const what = whatOf(grant, risk, nowMs);
  return addApproval(grant, approved, given, {
    needed,
    nowMs,
    stillCounts: ({ by: person, sealed }) =>
      authorityOf(rules, deciders, person, what).kind !== 'none' &&
      (sealed === undefined || (list !== undefined && approverWith(list.document, sealed.seal.keyId) !== null)),
  });
}
