/** Reads and writes the rules for people in the database. The owner sets these rules. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { NO_RULES, ruleOf } from '../../core/people/may-decide.ts';
import { arePeopleRules } from '../../core/people/people-fault.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Limits } from '../../core/wire/limits.ts';
import type { PeopleRules } from '../../core/wire/people.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { OWNER_ID } from './owner.ts';

const NAME = 'people';

/** Reads the rules for people; `NO_RULES` if the owner set no rules. Fails if the rules cannot be read: no approver can approve then. */
export async function peopleRules(rows: StoreReader): Promise<Result<PeopleRules, Refusal>> {
  const text = await rows.passkeys.ownerSetting(NAME);
  if (text === undefined) return success(NO_RULES);
  const rules = parse(text);
  return rules === null
    ? failed(refusal('server.failed', 'the rules for people in the database cannot be read; nothing is approved'))
    : success(rules);
}

function parse(text: string): PeopleRules | null {
  try {
    const value: unknown = JSON.parse(text);
    return arePeopleRules(value) ? (value as PeopleRules) : null;
  } catch {
    return null;
  }
}

/**
 * Changes the rules under a lock, so that neither of two simultaneous changes is lost. Records the change in an event, and returns the
 * new rules. Fails if the present rules cannot be read, if `next` refuses, or if the new rules are not valid.
 * @param by   the subject that makes the change; null: the command line on the server's machine
 * @param next makes the new rules from the present rules
 */
export async function changePeopleRules(
  rows: StoreWriter,
  by: string | null,
  nowMs: number,
  next: (rules: PeopleRules) => Result<PeopleRules, Refusal>,
): Promise<Result<PeopleRules, Refusal>> {
  await rows.lockRequest(NAME, '');
  const current = await peopleRules(rows);
  const changed = current.ok ? next(current.value) : current;
  if (!changed.ok) return changed;
  if (!arePeopleRules(changed.value))
    return failed(refusal('request.malformed', 'these are no valid rules for people'));
  const value = JSON.stringify(changed.value);
  await rows.passkeys.setOwnerSetting(NAME, value);
  rows.record(plainEvent('setting.changed', by, nowMs, { name: NAME, value: value.slice(0, 2_000) }));
  return changed;
}

/**
 * Returns the id of the person who acts as this subject:
 * - a person: the person's own id
 * - an approver's key: the id of the owner, because the owner's `apes` signs in with the key
 *
 * A caller must not pass a requester: a requester has a key too, so the result would be the owner.
 */
export const personOf = ({ id, publicKey }: Pick<Subject, 'id' | 'publicKey'>): string =>
  publicKey === null ? id : OWNER_ID;

/**
 * Returns the ids of the people whose approval counts: the owner, and every approver who is not revoked. Leaves out the approvers' keys,
 * because the keys belong to the owner (`personOf`).
 */
export async function decidersOf(rows: StoreReader): Promise<ReadonlySet<string>> {
  const people = (await rows.passkeys.approvers()).filter(
    ({ role, revokedAtMs, publicKey }) => role === 'approver' && revokedAtMs === null && publicKey === null,
  );
  return new Set([OWNER_ID, ...people.map(({ id }) => id)]);
}

/** Returns the limits of a person; null: no limits. Fails if the rules for people cannot be read. */
export async function limitsOf(rows: StoreReader, subject: Subject): Promise<Result<Limits | null, Refusal>> {
  const rules = await peopleRules(rows);
  return rules.ok ? success(ruleOf(rules.value, personOf(subject)).limits) : rules;
}
