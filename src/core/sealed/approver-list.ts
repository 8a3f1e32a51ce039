/** Lists of approvers: who is on one, and whether one follows from another. Signatures are checked elsewhere. */
import { ruleOf } from '../people/may-decide.ts';
import { arePeopleRules } from '../people/people-fault.ts';
import type { PeopleRules } from '../wire/people.ts';
import type { Approver, ApproversDocument } from '../wire/sealed.ts';

/** Null when `next` may come after `held`, whose signed text has the digest `heldDigest`; what is wrong otherwise. */
export function successorFault(
  held: ApproversDocument,
  heldDigest: string,
  next: ApproversDocument,
): 'shape' | 'chain' | null {
  const fault = approversFault(next);
  if (fault !== null) return fault;
  const follows = next.server === held.server && next.sequence === held.sequence + 1 && next.previous === heldDigest;
  return follows ? null : 'chain';
}

/** Of a list by itself, wherever it came from. */
export function approversFault(document: ApproversDocument): 'shape' | null {
  const { server, sequence, approvers } = (document ?? {}) as Partial<ApproversDocument>;
  const isList =
    hasRulesOfItsShape(document) &&
    typeof server === 'string' &&
    Number.isSafeInteger(sequence) &&
    Array.isArray(approvers) &&
    approvers.length > 0 &&
    approvers.every(isApprover);
  if (!isList) return 'shape';
  const ids = new Set(document.approvers.map(({ keyId }) => keyId));
  if (ids.size !== document.approvers.length) return 'shape';
  // A list that no person may follow up would be the last one for ever.
  return document.approvers.some((each) => maySignLists(document, each)) ? null : 'shape';
}

/** Rules for people are in every list of the second shape, and in no other: a program that does not know them takes none. */
function hasRulesOfItsShape(document: ApproversDocument): boolean {
  const { typ, people } = (document ?? {}) as Partial<ApproversDocument>;
  return typ === 'ape-approvers/1' ? people === undefined : typ === 'ape-approvers/2' && arePeopleRules(people);
}

/** Whose keys are the owner's where the list does not say whose they are. */
const OWNER_PERSON = 's_owner';

export const personOfKey = ({ person = OWNER_PERSON }: Approver): string => person;

/** An approver with limits cannot lift them: lists are signed by those who have none. */
export function maySignLists({ people }: ApproversDocument, approver: Approver): boolean {
  return people === undefined || ruleOf(people, personOfKey(approver)).limits === null;
}

function isApprover(value: unknown): boolean {
  const { kind, keyId, name, publicKey, rpId, origins, person } = (value ?? {}) as Record<string, unknown>;
  if (typeof keyId !== 'string' || typeof name !== 'string') return false;
  if (person !== undefined && typeof person !== 'string') return false;
  if (kind === 'ed25519') return typeof publicKey === 'string';
  const isKey = typeof publicKey === 'object' && publicKey !== null;
  return kind === 'passkey' && isKey && typeof rpId === 'string' && Array.isArray(origins);
}

export const approverWith = ({ approvers }: ApproversDocument, keyId: string): Approver | null =>
  approvers.find((each) => each.keyId === keyId) ?? null;

/**
 * @property people  the rules from now on; absent: they stay as they are
 * @property persons whose the keys are, by the id of the key; a key that is not named here stays whose it was
 */
export interface ListChange {
  readonly added?: Approver;
  readonly removed?: string;
  readonly people?: PeopleRules;
  readonly persons?: ReadonlyMap<string, string>;
}

/** The list after `held`: with `added`, and without the keys in `removed`. */
export function nextApprovers(
  held: ApproversDocument,
  heldDigest: string,
  { added, removed, people = held.people, persons }: ListChange,
  decidedAtMs: number,
): ApproversDocument {
  const kept = held.approvers.filter(({ keyId }) => keyId !== removed && keyId !== added?.keyId);
  const approvers = [...kept, ...(added === undefined ? [] : [added])].map((each): Approver => {
    const person = persons?.get(each.keyId);
    return person === undefined ? each : { ...each, person };
  });
  const next = { ...held, sequence: held.sequence + 1, previous: heldDigest, approvers, decidedAtMs };
  return people === undefined ? next : { ...next, typ: 'ape-approvers/2', people };
}

/** The first list of a chain. @param sequence one more than that of any list before it at this server */
export const firstApprovers = (
  server: string,
  sequence: number,
  approver: Approver,
  decidedAtMs: number,
): ApproversDocument => ({
  typ: 'ape-approvers/1',
  server,
  sequence,
  previous: null,
  approvers: [approver],
  decidedAtMs,
});
