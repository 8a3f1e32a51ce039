/** Whether the people who signed one approval are enough, by the rules that stand on the host's own list of approvers. */
import type { Risk } from '../effects/permission.ts';
import { isSameWords } from '../people/add-approval.ts';
import { countedPersons, dependOnRisk, neededFor } from '../people/may-decide.ts';
import type { Approver, ApproversDocument, DecisionDocument, PolicyDocument } from '../wire/sealed.ts';
import { maySignLists, personOfKey } from './approver-list.ts';
import type { SealFault } from './seal-fault.ts';

/** One verified seal: the document, and whose key signed it. */
export interface Signed {
  readonly document: DecisionDocument | PolicyDocument;
  readonly by: Approver;
}

/** Whether the host has to read what would run before it knows how many people it takes. */
export const asksForRisk = ({ people }: ApproversDocument): boolean => people !== undefined && dependOnRisk(people);

/**
 * @param signed of one grant or policy, at least one; each is about this use, and its seal is good
 * @param risk   by this host's own reading of what would run, and of the scopes; null: not known
 */
export function peopleSealFault(
  list: ApproversDocument,
  signed: readonly Signed[],
  risk: Risk | null,
  nowMs: number,
): SealFault | null {
  const { people } = list;
  const [first, ...others] = signed;
  if (first === undefined || others.some((each) => !isSameApproval(first, each))) return 'apart';
  if (people === undefined) return null;
  const { requesterId, host } = first.document;
  const deciders = new Set(list.approvers.map(personOfKey));
  const persons = signed.map(({ by }) => personOfKey(by));
  const counted = countedPersons(people, deciders, persons, { requesterId, host, risk, nowMs });
  if (counted.length === 0 || !mayLetRead(list, first)) return 'limits';
  return counted.length >= neededFor(people.quorum, risk) ? null : 'quorum';
}

/** A policy that lets something be read without asking is made by an approver without limits. */
const mayLetRead = (list: ApproversDocument, { document, by }: Signed): boolean =>
  document.typ === 'ape-decision/1' || maySignLists(list, by);

/** The same request, kind of term, scope and confinement; each document has its own moment, and its own end. */
function isSameApproval({ document: one }: Signed, { document: other }: Signed): boolean {
  if (one.typ !== 'ape-decision/1' || other.typ !== 'ape-decision/1') return false;
  return one.fingerprint === other.fingerprint && isSameWords(one, other);
}
