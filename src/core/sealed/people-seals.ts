/** Whether enough people signed one approval, by the rules for people in the list of approvers that is pinned on the host. */
import type { Risk } from '../effects/permission.ts';
import { isSameContent } from '../people/add-approval.ts';
import { countedPersons, dependOnRisk, neededFor } from '../people/may-decide.ts';
import type { Approver, ApproversDocument, DecisionDocument, PolicyDocument } from '../wire/sealed.ts';
import { maySignLists, personOfKey } from './approver-list.ts';
import { breakGlassFault, isBreakGlassKey } from './break-glass-key.ts';
import type { SealFault } from './seal-fault.ts';

/** One verified seal: the document, and whose key signed it. */
export interface Signed {
  readonly document: DecisionDocument | PolicyDocument;
  readonly by: Approver;
}

/** Whether the quorum or a person's limits depend on the risk: then the host has to read what would run. */
export const asksForRisk = ({ people }: ApproversDocument): boolean => people !== undefined && dependOnRisk(people);

/**
 * Returns which rule the signatures break; null: none.
 * @param signed the signed documents of one grant or policy, at least one; the caller has verified each seal for this use
 * @param risk   the risk of what would run and of the scopes, as this host reads them itself; null: not known
 */
export function peopleSealFault(
  list: ApproversDocument,
  signed: readonly Signed[],
  risk: Risk | null,
  nowMs: number,
): SealFault | null {
  const { people } = list;
  const [first, ...others] = signed;
  // A break-glass key decides alone: without limits, whatever the quorum is, and with no other seal beside it.
  if (first !== undefined && signed.some(({ by }) => isBreakGlassKey(by)))
    return others.length === 0 ? breakGlassFault(first.by, first.document, nowMs) : 'apart';
  if (first === undefined || others.some((another) => !isSameApproval(first, another))) return 'apart';
  if (people === undefined) return null;
  const { requesterId, host } = first.document;
  const deciders = new Set(list.approvers.filter((approver) => !isBreakGlassKey(approver)).map(personOfKey));
  const persons = signed.map(({ by }) => personOfKey(by));
  const counted = countedPersons(people, deciders, persons, { requesterId, host, risk, nowMs });
  if (counted.length === 0 || !mayLetRead(list, first)) return 'limits';
  return counted.length >= neededFor(people.quorum, risk) ? null : 'quorum';
}

/** Only an approver without limits may sign a policy, because a policy allows reading without a question. */
const mayLetRead = (list: ApproversDocument, { document, by }: Signed): boolean =>
  document.typ === 'ape-decision/1' || maySignLists(list, by);

/** Whether both approve the same request, kind of term, scope and confinement; each document has a moment and an end of its own. */
function isSameApproval({ document: one }: Signed, { document: other }: Signed): boolean {
  if (one.typ !== 'ape-decision/1' || other.typ !== 'ape-decision/1') return false;
  return one.fingerprint === other.fingerprint && isSameContent(one, other);
}
