/** Changes people and the rules for them, for the pages and for the command line. */
import { NO_RULES, ruleOf } from '../../core/people/may-decide.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { Limits } from '../../core/wire/limits.ts';
import type { Delegation, PeopleRules, PersonRule, Quorum, Rota } from '../../core/wire/people.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { setRota } from './on-call.ts';
import { OWNER_ID } from './owner.ts';
import { type Invitation, invite } from './people.ts';
import { changePeopleRules, decidersOf, peopleRules } from './people-rules.ts';
import type { Random } from './secrets.ts';

/** @property by the subject that makes the change; null: the command line on the machine of the server */
export interface ChangedBy {
  readonly by: string | null;
  readonly nowMs: number;
}

/**
 * If a member is left out, the present value stays.
 * @property limits null: the person has no limits
 * @property own    the ids of the requesters that belong to this person; the person does not decide the requests of these requesters
 */
export interface PersonChange {
  readonly role?: 'approver' | 'auditor';
  readonly limits?: Limits | null;
  readonly own?: readonly string[];
}

/** The parts of a person's rule that name requesters. */
type RequestersOfPerson = Required<Pick<PersonRule, 'limits' | 'own'>>;

const noPerson = refusal('person.not_found', 'there is no such person, or they were revoked already');

/**
 * Changes the role and the rules of a person. Refuses a person who is unknown or revoked, a requester that is unknown, and a revoked
 * requester that the person's rule did not name before. Refuses limits and the role of auditor for the owner. Fails if the rules for people
 * cannot be read.
 */
export async function changePerson(
  rows: StoreWriter,
  id: string,
  { role, limits, own }: PersonChange,
  { by, nowMs }: ChangedBy,
): Promise<Result<PeopleRules, Refusal>> {
  const rules = await peopleRules(rows);
  const before = ruleOf(rules.ok ? rules.value : NO_RULES, id);
  const wrong = (await personFault(rows, id, role, limits)) ?? (await requestersFault(rows, limits, own, before));
  if (wrong !== null) return failed(wrong);
  const changed = await changePeopleRules(rows, by, nowMs, (rules) => {
    const before = ruleOf(rules, id);
    const next = { id, limits: limits === undefined ? before.limits : limits, own: own ?? before.own };
    return success({ ...rules, persons: [...rules.persons.filter((person) => person.id !== id), next] });
  });
  // The role is changed last: a refusal does not roll back earlier changes.
  if (changed.ok && role !== undefined && !(await rows.changeRole(id, role)))
    throw new Error('the role of a person who was just looked up cannot be changed');
  return changed;
}

/** The owner gets no limits. So the owner can always undo a mistake in the rules for people. */
async function personFault(
  rows: StoreReader,
  id: string,
  role: PersonChange['role'],
  limits: PersonChange['limits'],
): Promise<Refusal | null> {
  if (id === OWNER_ID)
    return role === 'auditor' || (limits ?? null) !== null
      ? refusal('auth.forbidden', 'the owner has no limits; to decide within limits, invite yourself as another person')
      : null;
  const person = await rows.subject(id);
  const isPerson = person?.role === 'approver' || person?.role === 'auditor';
  return isPerson && person.publicKey === null && person.revokedAtMs === null ? null : noPerson;
}

/**
 * Refuses an unknown requester, and a revoked requester that the rule did not name before. A revoked requester may stay in the rule.
 * Otherwise, a limit could lose its last requester: the page then sends null for `limits.requesters`, and null allows every requester.
 */
async function requestersFault(
  rows: StoreReader,
  limits: PersonChange['limits'],
  own: PersonChange['own'],
  before: RequestersOfPerson,
): Promise<Refusal | null> {
  const kept = new Set([...(before.limits?.requesters ?? []), ...before.own]);
  for (const id of [...(limits?.requesters ?? []), ...(own ?? [])]) {
    const requester = await rows.subject(id);
    const isChoice = requester?.role === 'requester' && (requester.revokedAtMs === null || kept.has(id));
    if (!isChoice)
      return refusal('requester.not_found', `there is no requester ${id.slice(0, 64)}, or the requester was revoked`);
  }
  return null;
}

/**
 * Refuses the name of another person or key: a card shows only names. The comparison ignores case, outer spaces and differences between
 * compatible characters (NFKC). The name of a revoked person is free.
 */
async function nameFault(rows: StoreReader, name: string): Promise<Refusal | null> {
  const wanted = nameForComparison(name);
  const all = await rows.passkeys.approvers();
  const taken = all.some((person) => person.revokedAtMs === null && nameForComparison(person.name) === wanted);
  return taken
    ? refusal(
        'person.name_taken',
        `there is a person or key with the name ${visibleLine(name)} already; write another name, or revoke that one first`,
      )
    : null;
}

const nameForComparison = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

/**
 * Invites a person. The limits apply from the moment of the invitation. Fails if a person or key has this name, if the limits name an
 * unknown or revoked requester, or if the rules for people cannot be read. Throws if the limits cannot be set: this rolls back the
 * transaction.
 */
export async function inviteWithLimits(
  rows: StoreWriter,
  {
    name,
    role,
    limits,
  }: { readonly name: string; readonly role: 'approver' | 'auditor'; readonly limits: Limits | null },
  by: string | null,
  at: { readonly random: Random; readonly nowMs: number },
): Promise<Result<Invitation, Refusal>> {
  const wrong =
    (await nameFault(rows, name)) ?? (await requestersFault(rows, limits, undefined, { limits: null, own: [] }));
  if (wrong !== null) return failed(wrong);
  const rules = await peopleRules(rows);
  if (!rules.ok) return rules;
  const invitation = await invite(rows, name, by, role, at);
  if (limits === null) return success(invitation);
  const set = await changePerson(rows, invitation.personId, { limits }, { by, nowMs: at.nowMs });
  if (!set.ok) throw new Error(set.failure.message);
  return success(invitation);
}

export const changeQuorum = (
  rows: StoreWriter,
  quorum: Partial<Quorum>,
  { by, nowMs }: ChangedBy,
): Promise<Result<PeopleRules, Refusal>> =>
  changePeopleRules(rows, by, nowMs, (rules) => success({ ...rules, quorum: { ...rules.quorum, ...quorum } }));

const MAX_DELEGATIONS = 100;

/**
 * Begins or ends a delegation. A new delegation replaces an earlier delegation with the same `from` and `to`. Removes delegations that are
 * over. Fails if `from` and `to` are the same person, or if there are `MAX_DELEGATIONS` other delegations. To begin a delegation, both
 * people have to be deciders.
 * @param untilMs null: the delegation ends now
 */
export async function changeDelegation(
  rows: StoreWriter,
  { from, to, untilMs }: DelegationChange,
  { by, nowMs }: ChangedBy,
): Promise<Result<PeopleRules, Refusal>> {
  const deciders = await decidersOf(rows);
  if (from === to) return failed(refusal('request.malformed', 'a delegation needs two different people'));
  if (untilMs !== null && !(deciders.has(from) && deciders.has(to))) return failed(noPerson);
  return changePeopleRules(rows, by, nowMs, (rules) => {
    const others = rules.delegations.filter(
      (delegation) => delegation.untilMs > nowMs && !(delegation.from === from && delegation.to === to),
    );
    if (others.length >= MAX_DELEGATIONS)
      return failed(
        refusal('server.too_many', `there are ${MAX_DELEGATIONS} delegations already; first end a delegation`),
      );
    return success({ ...rules, delegations: [...others, ...(untilMs === null ? [] : [{ from, to, untilMs }])] });
  });
}

/** @property untilMs null: the delegation ends now */
export type DelegationChange = Omit<Delegation, 'untilMs'> & { readonly untilMs: number | null };

/**
 * Exactly one member is given.
 * @property rota null: there are no on-call weeks any more
 */
export interface PeopleChange {
  readonly quorum?: Partial<Quorum>;
  readonly delegation?: DelegationChange;
  readonly rota?: Rota | null;
}

/** Makes exactly one change. So a call succeeds or fails as a whole. Refuses a call with no change or several changes. */
export async function changePeople(
  rows: StoreWriter,
  { quorum, delegation, rota }: PeopleChange,
  by: ChangedBy,
): Promise<Result<unknown, Refusal>> {
  if ([quorum, delegation, rota].filter((member) => member !== undefined).length !== 1)
    return failed(refusal('request.malformed', 'change one of quorum, delegation and rota at a time'));
  if (quorum !== undefined) return changeQuorum(rows, quorum, by);
  return delegation !== undefined ? changeDelegation(rows, delegation, by) : setRota(rows, rota ?? null, by);
}
