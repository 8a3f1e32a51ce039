/** Checks whether an approval has the seals that the rules in the host's list of approvers demand. */
import type { Risk } from '../effects/permission.ts';
import { isSameContent } from '../people/add-approval.ts';
import { approvalsNeeded, countedPersons, rulesNeedRisk } from '../people/may-decide.ts';
import type { Approver, ApproversDocument, DecisionDocument, PolicyDocument } from '../wire/sealed.ts';
import { maySignLists, personOfKey } from './approver-list.ts';
import { breakGlassFault, isBreakGlassKey } from './break-glass-key.ts';
import type { SealFault } from './seal-fault.ts';

/** A document with a verified seal. The key of the approver `by` made the seal. */
export interface Signed {
  readonly document: DecisionDocument | PolicyDocument;
  readonly by: Approver;
}

/** Whether the quorum, or the limits of a person, depend on the risk. If so, the host has to assess the risk of what would run. */
export const listNeedsRisk = ({ people }: ApproversDocument): boolean => people !== undefined && rulesNeedRisk(people);

/**
 * Returns why these signatures are not enough; null: they are enough.
 * @param signed the signed documents of one grant or policy, at least one; the caller has verified each seal for this use
 * @param risk   the risk of what would run and of the scopes, by this host's own assessment; null: not known
 * @param nowMs  by the host's clock
 */
export function peopleSealFault(
  list: ApproversDocument,
  signed: readonly Signed[],
  risk: Risk | null,
  nowMs: number,
): SealFault | null {
  const { people } = list;
  const [first, ...others] = signed;
  // A break-glass key decides alone: limits and quorum do not apply, and there must be no other seal.
  if (first !== undefined && signed.some(({ by }) => isBreakGlassKey(by)))
    return others.length === 0 ? breakGlassFault(first.by, first.document, nowMs) : 'apart';
  if (first === undefined || others.some((another) => !isSameApproval(first, another))) return 'apart';
  if (people === undefined) return null;
  const { requesterId, host } = first.document;
  const deciders = new Set(list.approvers.filter((approver) => !isBreakGlassKey(approver)).map(personOfKey));
  const persons = signed.map(({ by }) => personOfKey(by));
  const counted = countedPersons(people, deciders, persons, { requesterId, host, risk, nowMs });
  if (counted.length === 0 || !mayLetRead(list, first)) return 'limits';
  return counted.length >= approvalsNeeded(people.quorum, risk) ? null : 'quorum';
}

/**
 * Whether the signer may sign this type of document. Every approver may sign a decision. A policy lets a requester read without a request.
 * Limits apply only to requests, so they cannot restrict a policy. Therefore an approver with limits may not sign a policy.
 */
const mayLetRead = (list: ApproversDocument, { document, by }: Signed): boolean =>
  document.typ === 'ape-decision/1' || maySignLists(list, by);

/**
 * Whether both documents approve the same request with the same scope, confinement and kind of term. The times of decision and end may
 * differ. Returns false for policies.
 */
function isSameApproval({ document: one }: Signed, { document: other }: Signed): boolean {
  if (one.typ !== 'ape-decision/1' || other.typ !== 'ape-decision/1') return false;
  return one.fingerprint === other.fingerprint && isSameContent(one, other);
}
