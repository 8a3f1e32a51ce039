/**
 * Reads and changes the rules for people directly in the database. Only the command line uses this. A parameter `id` is a whole id.
 * `personId` and `requesterIds` find the ids for names.
 */
import { randomBytes } from 'node:crypto';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Limits } from '../../core/wire/limits.ts';
import type { BreakGlassView, PeopleRules, Quorum, Rota } from '../../core/wire/people.ts';
import type { Store, StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import type { RequesterView } from '../../web/cards/requester-card.ts';
import type { Refusal } from '../refusal.ts';
import { breakGlassView, endBreakGlass, keepBreakGlass, makeBreakGlass } from './break-glass.ts';
import { rotaOf, setRota } from './on-call.ts';
import type { Invitation } from './people.ts';
import {
  changeDelegation,
  changePerson,
  changeQuorum,
  type DelegationChange,
  inviteWithLimits,
  type PersonChange,
} from './people-changes.ts';
import { peopleRules } from './people-rules.ts';
import { requesterViews } from './requesters.ts';
import { askForNewKey } from './rotation.ts';

const random = (bytes: number) => randomBytes(bytes);

interface At {
  readonly nowMs: number;
}

/** Does `work` in one transaction, and turns a refusal into a failure of the command line. */
async function writeInTransaction<T>(
  store: Store,
  work: (rows: StoreWriter) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Failure>> {
  const done = await store.write(work);
  if (!done.ok) return done;
  const { value } = done.value;
  return value.ok ? value : failed(failureOf(value.failure));
}

const failureOf = ({ code, message }: Refusal): Failure => failure('usage', message, undefined, code);

export const readPeopleRules = async (store: Store): Promise<Result<PeopleRules, Failure>> => {
  const found = await store.read(peopleRules);
  if (!found.ok) return found;
  return found.value.ok ? found.value : failed(failureOf(found.value.failure));
};

/** @param limits null: the person has no limits */
export const invitePerson = (
  store: Store,
  name: string,
  role: 'approver' | 'auditor',
  limits: Limits | null,
  { nowMs }: At,
): Promise<Result<Invitation, Failure>> =>
  writeInTransaction(store, (rows) => inviteWithLimits(rows, { name, role, limits }, null, { random, nowMs }));

export const setPerson = (
  store: Store,
  id: string,
  change: PersonChange,
  { nowMs }: At,
): Promise<Result<PeopleRules, Failure>> =>
  writeInTransaction(store, (rows) => changePerson(rows, id, change, { by: null, nowMs }));

export const setQuorum = (
  store: Store,
  quorum: Partial<Quorum>,
  { nowMs }: At,
): Promise<Result<PeopleRules, Failure>> =>
  writeInTransaction(store, (rows) => changeQuorum(rows, quorum, { by: null, nowMs }));

/** Returns null if no on-call weeks are set, or if the entry in the database cannot be read. */
export const readRota = (store: Store): Promise<Result<Rota | null, Failure>> => store.read(rotaOf);

/** @param rota null: there are no on-call weeks; all approvers are then notified at the same time */
export const writeRota = (store: Store, rota: Rota | null, { nowMs }: At): Promise<Result<Rota | null, Failure>> =>
  writeInTransaction(store, (rows) => setRota(rows, rota, { by: null, nowMs }));

export const setDelegation = (
  store: Store,
  delegation: DelegationChange,
  { nowMs }: At,
): Promise<Result<PeopleRules, Failure>> =>
  writeInTransaction(store, (rows) => changeDelegation(rows, delegation, { by: null, nowMs }));

export const readBreakGlass = (store: Store, { nowMs }: At): Promise<Result<BreakGlassView, Failure>> =>
  store.read((rows) => breakGlassView(rows, nowMs));

/** Makes a break-glass code that signs a person in, but cannot seal approvals. Returns the id and the code. The store has only a hash. */
export const makeBreakGlassCode = (store: Store, name: string, { nowMs }: At) =>
  writeInTransaction(store, (rows) => makeBreakGlass(rows, name, { by: null, nowMs }, random));

/**
 * Stores a break-glass code that can seal approvals. The caller has made the code. The database gets the public key and a hash of the
 * secret. Returns the id of the code.
 */
export const keepSealingCode = (
  store: Store,
  name: string,
  code: { readonly secret: string; readonly publicKey: string },
  { nowMs }: At,
) => writeInTransaction(store, (rows) => keepBreakGlass(rows, name, code, { by: null, nowMs }, random));

/** Returns the public key of the ended code; null: the code does not seal. Fails if there is no such code. */
export const endBreakGlassOf = (store: Store, id: string, { nowMs }: At) =>
  writeInTransaction(store, (rows) => endBreakGlass(rows, id, { by: null, nowMs }));

export const readRequesters = (
  store: Store,
  serverPublicKey: string,
): Promise<Result<readonly RequesterView[], Failure>> => store.read((rows) => requesterViews(rows, serverPublicKey));

/** Ends the tokens of the requester. The host makes a new key at its next sign-in. Fails if the requester is unknown or revoked. */
export const askRequesterForKey = (store: Store, id: string, { nowMs }: At): Promise<Result<null, Failure>> =>
  writeInTransaction(store, (rows) => askForNewKey(rows, id, null, nowMs));

/**
 * Returns the id of a requester for each text, in the order of the texts. A text is an id or a name. Revoked requesters do not count.
 * Fails if a text is no such id or name, or if a text is the name of several requesters.
 */
export const requesterIds = (store: Store, texts: readonly string[]): Promise<Result<readonly string[], Failure>> =>
  idsOf(store, texts, async (rows) => rows.requesters(), 'requester', 'apes owner requesters list');

/**
 * Returns the id of a person, or of an approver's key. The text is an id or a name. Revoked persons and keys do not count. Fails if the
 * text is no such id or name. Also fails if the text is the name of several persons or keys.
 */
export async function personId(store: Store, text: string): Promise<Result<string, Failure>> {
  const found = await idsOf(store, [text], (rows) => rows.passkeys.approvers(), 'person', 'apes owner people list');
  return found.ok ? success(found.value[0] ?? '') : found;
}

async function idsOf(
  store: Store,
  texts: readonly string[],
  all: (rows: StoreReader) => Promise<readonly Pick<Subject, 'id' | 'name' | 'revokedAtMs'>[]>,
  noun: string,
  advice: string,
): Promise<Result<readonly string[], Failure>> {
  const found = await store.read(all);
  if (!found.ok) return found;
  const live = found.value.filter(({ revokedAtMs }) => revokedAtMs === null);
  const ids: string[] = [];
  for (const text of texts) {
    const fitting = live.filter(({ id, name }) => id === text || name === text);
    const [match] = fitting.filter(({ id }) => id === text).concat(fitting);
    if (match === undefined) return failed(failure('usage', `there is no ${noun} ${text}`, advice));
    if (match.id !== text && fitting.length > 1)
      return failed(
        failure('usage', `the name ${text} is not unique: ${fitting.length} have it`, 'write the id in its place'),
      );
    ids.push(match.id);
  }
  return success(ids);
}
