/** Invites people with a one-time link, revokes people and lists people. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { NO_RULES, ruleOf } from '../../core/people/may-decide.ts';
import type { PersonView } from '../../core/wire/people.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import { isPerson } from './audience.ts';
import { removePasskeyIn } from './devices.ts';
import { OWNER_ID } from './owner.ts';
import { peopleRules, personOf } from './people-rules.ts';
import { newId, newSecret, type Random } from './secrets.ts';

/** An invitation lasts longer than the owner's own link. The owner has to send the invitation to another person first. */
const INVITATION_LIFETIME_MS = 24 * 3_600_000;

/** @property token the secret of the sign-in link: `PUBLIC_URL/sign-in/TOKEN` */
export interface Invitation {
  readonly personId: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Makes a person and a sign-in link for this person.
 * @param by the subject that invites; null: the command line on the machine of the server
 */
export async function invite(
  rows: StoreWriter,
  name: string,
  by: string | null,
  role: 'approver' | 'auditor',
  { random, nowMs }: { readonly random: Random; readonly nowMs: number },
): Promise<Invitation> {
  const personId = newId('s', random);
  const token = newSecret(random);
  const expiresAtMs = nowMs + INVITATION_LIFETIME_MS;
  const noHost = { host: '', user: '', publicKey: null, revokedAtMs: null };
  await rows.insertSubject({ ...noHost, id: personId, role, name, createdAtMs: nowMs });
  await rows.insertOwnerLink({ hash: sha256Hex(token), subjectId: personId, createdAtMs: nowMs, expiresAtMs });
  rows.record(plainEvent('person.invited', by, nowMs, { personId, name, role }));
  return { personId, token, expiresAtMs };
}

/**
 * Ends the sessions, passkeys, recovery codes and links of this person at once. Returns false if there is no such person, or if the person
 * was revoked already. This function does not protect the owner: the caller must check that the person is not the owner.
 * @param by the subject that makes the change; null: the command line on the server's machine
 */
export async function revokePerson(
  rows: StoreWriter,
  personId: string,
  by: string | null,
  nowMs: number,
): Promise<boolean> {
  const person = await rows.subject(personId);
  if (person === undefined || !(isPerson(person) && (await rows.revokeSubject(personId, nowMs)))) return false;
  for (const passkey of await rows.passkeys.passkeysOf(personId)) await removePasskeyIn(rows, passkey, by, nowMs);
  await rows.passkeys.replaceRecoveryCodes(personId, [], nowMs);
  rows.record(plainEvent('subject.revoked', by, nowMs, { personId, name: person.name }));
  return true;
}

/**
 * Lists all subjects that decide or audit: people, and the keys with which `apes` signs in on a command line. The list begins with the
 * oldest subject, and contains revoked subjects too. If the rules cannot be read, the list shows no rules.
 */
export async function listPeople(rows: StoreReader): Promise<readonly PersonView[]> {
  const people: PersonView[] = [];
  const rules = await peopleRules(rows);
  for (const subject of await rows.passkeys.approvers()) {
    const { id, name, createdAtMs, revokedAtMs } = subject;
    const { limits, own } = ruleOf(rules.ok ? rules.value : NO_RULES, personOf(subject));
    people.push({
      id,
      name,
      isOwner: id === OWNER_ID,
      isKey: subject.publicKey !== null,
      role: subject.role === 'auditor' ? 'auditor' : 'approver',
      limits,
      own,
      createdAtMs,
      revokedAtMs,
      passkeys: (await rows.passkeys.passkeysOf(id)).length,
    });
  }
  return people;
}
