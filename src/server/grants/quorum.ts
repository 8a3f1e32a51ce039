/** Adds one approval to a grant. The rules for people can demand that several people approve. */
import type { Grant } from '../../core/grant/grant.ts';
import { addApproval, endingBy } from '../../core/people/add-approval.ts';
import { approvalsNeeded, authorityOf } from '../../core/people/may-decide.ts';
import { approverWith } from '../../core/sealed/approver-list.ts';
import type { GivenApproval } from '../../core/wire/approvals.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type ApprovalAuthority, decisionCaseOf } from './approval-authority.ts';

/**
 * Returns the grant after this approval: approved, or still pending if more people have to approve. Stores nothing.
 * @param approved the grant as it would be if this one approval were enough
 */
export async function withApproval(
  rows: StoreReader,
  grant: Grant,
  approved: Grant,
  by: Pick<Subject, 'name'>,
  authority: ApprovalAuthority,
  nowMs: number,
): Promise<Grant> {
  const { personId, rules, risk, endMs } = authority;
  const needed = approvalsNeeded(rules.quorum, risk);
  const { approvals: _, ...alone } = approved;
  if (needed === 1) return endingBy(alone, endMs);
  const given: GivenApproval = {
    by: personId,
    name: by.name,
    atMs: nowMs,
    ...(endMs === null ? {} : { untilMs: endMs }),
    ...(approved.sealed === undefined ? {} : { sealed: approved.sealed }),
  };
  return addApproval(grant, approved, given, {
    needed,
    nowMs,
    stillCounts: await countingIn(rows, grant, { ...authority, nowMs }),
  });
}

/** The facts that decide, together with the risk, whether an earlier approval still counts. */
export type Counting = Pick<ApprovalAuthority, 'rules' | 'deciders'> & { readonly nowMs: number };

/**
 * Returns a function that tells whether an approval still counts. An approval still counts if both conditions are true:
 * - the person may still decide this grant
 * - the approval has no seal, or the key of the approval's seal is still on the list of approvers
 */
export async function countingIn(
  rows: StoreReader,
  grant: Grant,
  { rules, deciders, risk, nowMs }: Counting & Pick<ApprovalAuthority, 'risk'>,
): Promise<(given: GivenApproval) => boolean> {
  const list = await rows.lastApprovers();
  const what = decisionCaseOf(grant, risk, nowMs);
  return ({ by: person, sealed }) =>
    authorityOf(rules, deciders, person, what).kind !== 'none' &&
    (sealed === undefined || (list !== undefined && approverWith(list.document, sealed.seal.keyId) !== null));
}
