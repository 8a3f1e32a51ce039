/**
 * Makes lists of approvers, checks their content, and checks whether a list may follow another list. Signatures are not checked here.
 */
import { NO_RULES, ruleOf } from '../people/may-decide.ts';
import { arePeopleRules } from '../people/people-fault.ts';
import type { PeopleRules } from '../wire/people.ts';
import type { Approver, ApproversDocument } from '../wire/sealed.ts';
import { isBreakGlassKey } from './break-glass-key.ts';

/**
 * Returns why `next` must not follow `current`; null: `next` may follow. `shape`: `next` is malformed. `chain`: `next` is for another
 * server, or is not the list directly after `current`.
 * @param currentDigest SHA-256 (hex) of the signed text of `current`
 */
export function successorFault(
  current: ApproversDocument,
  currentDigest: string,
  next: ApproversDocument,
): 'shape' | 'chain' | null {
  const fault = approversFault(next);
  if (fault !== null) return fault;
  const follows =
    next.server === current.server && next.sequence === current.sequence + 1 && next.previous === currentDigest;
  return follows ? null : 'chain';
}

/**
 * Returns `shape` if the list is malformed; else null. Does not compare the list with an earlier list. A list is also malformed if two
 * approvers have the same key id, or if no approver may sign lists.
 */
export function approversFault(document: ApproversDocument): 'shape' | null {
  const { server, sequence, approvers } = (document ?? {}) as Partial<ApproversDocument>;
  const isList =
    typeof server === 'string' &&
    Number.isSafeInteger(sequence) &&
    Array.isArray(approvers) &&
    approvers.length > 0 &&
    approvers.every(isApprover) &&
    hasMatchingType(document);
  if (!isList) return 'shape';
  const ids = new Set(document.approvers.map(({ keyId }) => keyId));
  if (ids.size !== document.approvers.length) return 'shape';
  // If no approver on the list may sign lists, no list could ever follow this list.
  return document.approvers.some((approver) => maySignLists(document, approver)) ? null : 'shape';
}

/**
 * Whether the type of the list fits its content. A list without rules for people has type 1. A list with rules has type 3 if it has a
 * break-glass key, else type 2. A list with a break-glass key must have rules. A program that does not know break-glass keys would take
 * such a key for a key without limits. Type 3 makes that program refuse the list.
 */
function hasMatchingType({ typ, people, approvers }: ApproversDocument): boolean {
  if (approvers.some(isBreakGlassKey) !== (typ === 'ape-approvers/3')) return false;
  if (typ === 'ape-approvers/1') return people === undefined;
  return (typ === 'ape-approvers/2' || typ === 'ape-approvers/3') && arePeopleRules(people);
}

/** The person to whom a key belongs if the list names no person for the key. */
const OWNER_PERSON = 's_owner';

/** Returns the id of the person to whom the key belongs. Callers leave out break-glass keys, which belong to no person. */
export const personOfKey = ({ person = OWNER_PERSON }: Approver): string => person;

/**
 * Whether the approver may sign lists. An approver with limits must not sign lists: such an approver could lift the limits. A break-glass
 * key must not sign lists, either.
 */
export function maySignLists({ people }: Pick<ApproversDocument, 'people'>, approver: Approver): boolean {
  if (isBreakGlassKey(approver)) return false;
  return people === undefined || ruleOf(people, personOfKey(approver)).limits === null;
}

/** Whether some approver may still sign lists when this key is removed. */
export const maySignWithout = (document: ApproversDocument, keyId: string): boolean =>
  document.approvers.some((approver) => approver.keyId !== keyId && maySignLists(document, approver));

function isApprover(value: unknown): boolean {
  const entry = (value ?? {}) as Record<string, unknown>;
  const { kind, keyId, name, publicKey, rpId, origins, person, breakGlass, expiresAtMs } = entry;
  if (typeof keyId !== 'string' || typeof name !== 'string') return false;
  if (person !== undefined && typeof person !== 'string') return false;
  // A break-glass key belongs to no person: whichever person has the code may use the key.
  if (breakGlass !== undefined && (breakGlass !== true || kind !== 'ed25519' || person !== undefined)) return false;
  // A host checks the expiry of break-glass keys only. So no other key may have an expiry.
  if (breakGlass === true ? !Number.isSafeInteger(expiresAtMs) : expiresAtMs !== undefined) return false;
  if (kind === 'ed25519') return typeof publicKey === 'string';
  const isKey = typeof publicKey === 'object' && publicKey !== null;
  return kind === 'passkey' && isKey && typeof rpId === 'string' && Array.isArray(origins);
}

/** Returns null if no approver on the list has this key. */
export const approverWith = ({ approvers }: ApproversDocument, keyId: string): Approver | null =>
  approvers.find((approver) => approver.keyId === keyId) ?? null;

/**
 * What the next list changes.
 * @property added   an approver to add, or to put in place of the approver with the same key id
 * @property removed the id of the key to remove
 * @property people  the new rules for people; absent: the rules stay as they are
 * @property persons the new person of each key, by the id of the key; a key that is not in the map keeps its person
 */
export interface ListChange {
  readonly added?: Approver;
  readonly removed?: string;
  readonly people?: PeopleRules;
  readonly persons?: ReadonlyMap<string, string>;
}

/**
 * Makes the list that follows `current`. Does not check the new list; `successorFault` does.
 * @param currentDigest SHA-256 (hex) of the signed text of `current`
 */
export function nextApprovers(
  current: ApproversDocument,
  currentDigest: string,
  { added, removed, people = current.people, persons }: ListChange,
  decidedAtMs: number,
): ApproversDocument {
  const kept = current.approvers.filter(({ keyId }) => keyId !== removed && keyId !== added?.keyId);
  const approvers = [...kept, ...(added === undefined ? [] : [added])].map((approver): Approver => {
    const person = persons?.get(approver.keyId);
    return person === undefined ? approver : { ...approver, person };
  });
  const next = { ...current, sequence: current.sequence + 1, previous: currentDigest, approvers, decidedAtMs };
  if (approvers.some(isBreakGlassKey)) return { ...next, typ: 'ape-approvers/3', people: people ?? NO_RULES };
  return people === undefined ? next : { ...next, typ: 'ape-approvers/2', people };
}

/**
 * Makes the first list of a chain.
 * @param sequence greater by one than the highest sequence of all earlier lists at this server
 */
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
