/**
 * Reads and changes devices, recovery codes, people and the passkey setting directly in the database, for the command line. These functions
 * fail only if the database fails. All ids are complete, never abbreviated.
 */
import { randomBytes } from 'node:crypto';
import type { Failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import type { PasskeyAbove } from '../../core/wire/passkeys.ts';
import type { PersonView } from '../../core/wire/people.ts';
import type { SignInView } from '../../core/wire/sign-ins.ts';
import type { PublicJwk } from '../../store/passkeys.ts';
import type { Store, StoreWriter } from '../../store/store.ts';
import { removePasskeyIn } from './devices.ts';
import { ownedPasskeys } from './owned-passkeys.ts';
import { ensureOwner, OWNER_ID } from './owner.ts';
import { passkeyAbove, setPasskeyAbove } from './passkey-above.ts';
import { passkeyPlace } from './passkey-place.ts';
import { listPeople, revokePerson } from './people.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { endSignIn, endSignInsOf, signInsOf } from './sign-ins.ts';

const random = (bytes: number) => randomBytes(bytes);

interface At {
  readonly nowMs: number;
}

/**
 * @property lastUsedAtMs null: the passkey has not been used since its registration
 * @property copiedAtMs   when the passkey was blocked as a possible copy; null: the passkey is accepted
 */
interface DeviceOfPerson {
  readonly id: string;
  readonly name: string;
  readonly personId: string;
  readonly personName: string;
  readonly rpId: string;
  readonly credentialId: string;
  readonly publicKey: PublicJwk;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly copiedAtMs: number | null;
}

async function writeInTransaction<T>(
  store: Store,
  work: (rows: StoreWriter) => Promise<T>,
): Promise<Result<T, Failure>> {
  const done = await store.write(work);
  return done.ok ? success(done.value.value) : done;
}

/** Lists the devices of all people who decide or audit. Groups the devices by person. People and devices are in the order of creation. */
export const listDevices = (store: Store): Promise<Result<readonly DeviceOfPerson[], Failure>> =>
  store.read(async (rows) =>
    (await ownedPasskeys(rows)).map(({ passkey, person }) => {
      const { id, name, rpId, credentialId, publicKey, createdAtMs, lastUsedAtMs, copiedAtMs } = passkey;
      const whose = { personId: person.id, personName: person.name };
      return { id, name, ...whose, rpId, credentialId, publicKey, createdAtMs, lastUsedAtMs, copiedAtMs };
    }),
  );

/** Returns the origin of the pages on which a passkey for `rpId` signs; null if `rpId` is not the name of this server. */
export function originOfPasskeys(publicUrl: string, rpId: string): string | null {
  const place = passkeyPlace(publicUrl);
  return place?.rpId === rpId ? place.origin : null;
}

/**
 * Returns the id of the device's key if this key is on the newest list of approvers. Hosts accept the seals of such a key. Returns null if
 * the key is not on the list, or if the device does not exist.
 */
export const sealingKeyOf = (store: Store, id: string): Promise<Result<string | null, Failure>> =>
  store.read(async (rows) => {
    const passkey = await rows.passkeys.passkey(id);
    const list = await rows.lastApprovers();
    const isListed = list?.document.approvers.some(({ keyId }) => keyId === passkey?.credentialId) === true;
    return isListed && passkey !== undefined ? passkey.credentialId : null;
  });

/**
 * Removes a device, even the last one: on this machine the owner can always sign in with `apes owner link`. `unknown`: the device does not
 * exist, or was removed already.
 */
export const removeDeviceById = (
  store: Store,
  id: string,
  { nowMs }: At,
): Promise<Result<'removed' | 'unknown', Failure>> =>
  writeInTransaction(store, async (rows) => {
    const passkey = await rows.passkeys.passkey(id);
    return passkey !== undefined && (await removePasskeyIn(rows, passkey, null, nowMs)) ? 'removed' : 'unknown';
  });

/** Makes new recovery codes for the owner; earlier codes end. Makes the owner if the database has no owner yet. */
export const ownerRecoveryCodes = (store: Store, { nowMs }: At): Promise<Result<readonly string[], Failure>> =>
  writeInTransaction(store, async (rows) => {
    await ensureOwner(rows, nowMs);
    return newRecoveryCodes(rows, OWNER_ID, random, nowMs);
  });

/** Lists all people and keys, also revoked ones. */
export const allPeople = (store: Store): Promise<Result<readonly PersonView[], Failure>> => store.read(listPeople);

/** `unknown`: the person does not exist, or was revoked already. `owner`: the owner cannot be revoked. */
export const revokePersonById = (
  store: Store,
  id: string,
  { nowMs }: At,
): Promise<Result<'revoked' | 'unknown' | 'owner', Failure>> =>
  writeInTransaction(store, async (rows) => {
    if (id === OWNER_ID) return 'owner';
    return (await revokePerson(rows, id, null, nowMs)) ? 'revoked' : 'unknown';
  });

export const readPasskeyAbove = (store: Store): Promise<Result<PasskeyAbove, Failure>> => store.read(passkeyAbove);

export const writePasskeyAbove = (store: Store, value: PasskeyAbove, { nowMs }: At): Promise<Result<void, Failure>> =>
  writeInTransaction(store, (rows) => setPasskeyAbove(rows, value, null, nowMs));

type SignInOfPerson = Omit<SignInView, 'isThis'> & { readonly personId: string; readonly personName: string };

/**
 * Lists the sign-ins of all people who decide or audit. Groups the sign-ins by person. People are in the order of creation. The most
 * recently used sign-in of a person comes first.
 */
export const listSignIns = (store: Store, { nowMs }: At): Promise<Result<readonly SignInOfPerson[], Failure>> =>
  store.read(async (rows) => {
    const all: SignInOfPerson[] = [];
    for (const { id: personId, name: personName, revokedAtMs } of await rows.passkeys.approvers())
      if (revokedAtMs === null)
        for (const { isThis: _, ...signIn } of await signInsOf(rows, personId, null, nowMs))
          all.push({ ...signIn, personId, personName });
    return all;
  });

/**
 * Returns how many sign-ins ended; 0 also for an unknown id.
 * @param id the id of one sign-in, or of a person whose sign-ins all end
 */
export const endSignIns = (store: Store, id: string, { nowMs }: At): Promise<Result<number, Failure>> =>
  writeInTransaction(store, async (rows) => {
    for (const person of await rows.passkeys.approvers()) {
      if (person.id === id) return endSignInsOf(rows, person.id, null, null, nowMs);
      if (await endSignIn(rows, person.id, id, null, nowMs)) return 1;
    }
    return 0;
  });
