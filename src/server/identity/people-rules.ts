/** What each person may decide, how many of them an approval takes, and who decides for whom: the owner's setting, in the database. */
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

/** What cannot be read lets no approver approve. */
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

/** Of two changes at once the second one sees the first. */
export async function changePeopleRules(
  rows: StoreWriter,
  by: string | null,
  nowMs: number,
  next: (rules: PeopleRules) => Result<PeopleRules, Refusal>,
): Promise<Result<PeopleRules, Refusal>> {
  await rows.lockRequest(NAME, '');
  const held = await peopleRules(rows);
  const changed = held.ok ? next(held.value) : held;
  if (!changed.ok) return changed;
  if (!arePeopleRules(changed.value)) return failed(refusal('request.malformed', 'these rules for people fit nothing'));
  const value = JSON.stringify(changed.value);
  await rows.passkeys.setOwnerSetting(NAME, value);
  rows.record(plainEvent('setting.changed', by, nowMs, { name: NAME, value: value.slice(0, 2_000) }));
  return changed;
}

/** Whose decision it is: a key of the command line is the owner's. */
export const personOf = ({ id, publicKey }: Pick<Subject, 'id' | 'publicKey'>): string =>
  publicKey === null ? id : OWNER_ID;

/** The people whose approval counts: who was revoked, or only audits, is not among them. */
export async function decidersOf(rows: StoreReader): Promise<ReadonlySet<string>> {
  const people = (await rows.passkeys.approvers()).filter(
    ({ role, revokedAtMs, publicKey }) => role === 'approver' && revokedAtMs === null && publicKey === null,
  );
  return new Set([OWNER_ID, ...people.map(({ id }) => id)]);
}

export async function limitsOf(rows: StoreReader, subject: Subject): Promise<Result<Limits | null, Refusal>> {
  const rules = await peopleRules(rows);
  return rules.ok ? success(ruleOf(rules.value, personOf(subject)).limits) : rules;
}
