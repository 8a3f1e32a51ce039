/** Enrols this host and user with the server of this installation, directly in the server's database. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type Identity, type KeyRole, loadIdentity, saveEnrolment, saveIdentity } from '../../grants/enrolment.ts';
import { hasNextKey, readNextKey, takeNextKey, underRotationLock } from '../../grants/next-key.ts';
import type { Installation } from '../../platform/installation.ts';
import { newPrivateKey, publicKeyOf } from '../../platform/key-pair.ts';
import { serverKeyPath } from '../../platform/paths.ts';
import { currentHost, currentUser } from '../../platform/surroundings.ts';
import type { Store } from '../../store/store.ts';
import type { Administration } from '../server/local-database.ts';
import type { ServerRecord } from '../server/local-server.ts';

/**
 * Returns null if this host is not enrolled. Otherwise returns a failure (78) in these cases, and null in all other cases:
 * - This host is enrolled with another grant server, even if that server does not answer. Without this failure, a requester could start
 *   another server and approve their own requests there. Only this failure has the detail `OTHER_SERVER`.
 * - The enrolment, or the key of this installation's server, cannot be read.
 * - The enrolment is damaged, and `ownPublicKey` returns null.
 */
export async function checkOwnServer(installation: Installation): Promise<Failure | null> {
  const kept = loadIdentity(installation.paths.keys, 'requester');
  const ownKey = await ownPublicKey(installation);
  if (!kept.ok && kept.failure.detail === 'not-enrolled') return null;
  if (!kept.ok && kept.failure.detail !== 'damaged') return kept.failure;
  if (!ownKey.ok) return ownKey.failure;
  if (!kept.ok) {
    const advice = 'enrol again: apes up --replace, or apes login URL';
    return ownKey.value !== null ? null : { ...kept.failure, advice };
  }
  const { serverUrl, serverPublicKey } = kept.value;
  if (serverPublicKey === ownKey.value) return null;
  return failure(
    'configuration',
    `this host is enrolled with the grant server at ${serverUrl}`,
    'ask the owner of that server to start it, or replace it by a server of this installation: apes up --replace',
    OTHER_SERVER,
  );
}

const OTHER_SERVER = 'other-server';

/** As `checkOwnServer`, for verbs of the owner: if another server has enrolled this host, the advice is to go to that server's machine. */
export async function checkOwnersServer(installation: Installation): Promise<Failure | null> {
  const why = await checkOwnServer(installation);
  return why?.detail === OTHER_SERVER ? { ...why, advice: 'do this on the machine of that server' } : why;
}

/** Returns the public key of this installation's server; null if this installation has no server. Fails if the key cannot be read. */
export async function ownPublicKey(installation: Installation): Promise<Result<string | null, Failure>> {
  if (!existsSync(serverKeyPath(installation.paths.data))) return success(null);
  const { loadOrCreateServerKey } = await import('../../server/identity/administration.ts');
  const key = loadOrCreateServerKey(installation.paths.data);
  return key.ok ? success(key.value.publicKey) : key;
}

/**
 * Enrols with the stored key. A second call changes nothing. Makes a new key if:
 * - there is no stored key, or the stored key cannot be used
 * - the host name or the user has changed
 * - the server refuses the stored key
 */
export async function enrolHere(
  installation: { readonly paths: Pick<Installation['paths'], 'keys'> },
  record: Pick<ServerRecord, 'url' | 'publicKey'>,
  store: Store,
  administration: Administration,
): Promise<Result<Identity, Failure>> {
  const { keys } = installation.paths;
  const [host, user] = [currentHost(), currentUser()];
  const unended = await endRotation(keys, store);
  if (unended !== null) return failed(unended);
  const kept = loadIdentity(keys, 'requester');
  const mayKeep = kept.ok && kept.value.host === host && kept.value.user === user;
  const enrol = async (privateKey: string): Promise<Result<Identity, Failure>> => {
    const who = { name: `${user}@${host}`, host, user };
    const id = await administration.enrolRequester(store, { ...who, publicKey: publicKeyOf(privateKey) ?? '' });
    if (!id.ok) return id;
    return success({ ...who, ...serverOf(record), subjectId: id.value, privateKey });
  };
  const isUsable = mayKeep && publicKeyOf(kept.value.privateKey) !== null;
  let enrolled = await enrol(isUsable ? kept.value.privateKey : newPrivateKey());
  // The server refuses the stored key: the key was replaced or revoked, or belongs to another subject.
  if (!enrolled.ok && enrolled.failure.detail === 'enrolment.clash') enrolled = await enrol(newPrivateKey());
  if (!enrolled.ok) return enrolled;
  const hasKeptKey = kept.ok && kept.value.privateKey === enrolled.value.privateKey;
  const unsaved = save(keys, 'requester', enrolled.value, hasKeptKey) ?? followServer(keys, record);
  return unsaved === null ? enrolled : failed(unsaved);
}

const serverOf = (record: Pick<ServerRecord, 'url' | 'publicKey'>) => ({
  serverUrl: record.url,
  serverPublicKey: record.publicKey,
});

/**
 * Completes an interrupted rotation: the server has accepted the new key, but this host has not yet stored that key. Without this step, the
 * host would be enrolled as another requester. If another process is replacing the key, waits at most `MAX_WAIT_MS` for that process.
 * Returns a failure in three cases: that process still runs, the new key or the database cannot be read, or the new key cannot be stored.
 */
async function endRotation(keys: string, store: Store): Promise<Failure | null> {
  for (let waitedMs = 0; hasNextKey(keys); waitedMs += LOOK_EVERY_MS) {
    const ended = await underRotationLock(keys, () => takeAcceptedKey(keys, store));
    if (ended !== 'held') return ended.ok ? null : ended.failure;
    if (waitedMs >= MAX_WAIT_MS) return isReplaced;
    await sleep(LOOK_EVERY_MS);
  }
  return null;
}

async function takeAcceptedKey(keys: string, store: Store): Promise<Result<null, Failure>> {
  const [kept, next] = [loadIdentity(keys, 'requester'), readNextKey(keys)];
  if (!next.ok) return next;
  const publicKey = next.value === null ? null : publicKeyOf(next.value);
  if (!kept.ok || publicKey === null) return success(null);
  const holder = await store.read((rows) => rows.subjectByPublicKey(publicKey));
  if (!holder.ok) return holder;
  const untaken = holder.value?.id === kept.value.subjectId ? takeNextKey(keys) : null;
  return untaken === null ? success(null) : failed(untaken);
}

const MAX_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;

const isReplaced = failure(
  'unavailable',
  'another process is replacing the key of this host now',
  'try again when that process has ended, at the latest in two minutes',
);

/**
 * Writes the identity's files only if something changed: another process can read these files at the same time.
 * @param hasKeptKey whether the key of `identity` was read from the key file. If true, `save` does not write the key: another process may
 *                   have replaced the key in the key file meanwhile
 */
function save(keys: string, role: KeyRole, identity: Identity, hasKeptKey: boolean): Failure | null {
  const kept = loadIdentity(keys, role);
  const names = (Object.keys(identity) as (keyof Identity)[]).filter((name) => name !== 'privateKey' || !hasKeptKey);
  if (kept.ok && names.every((name) => kept.value[name] === identity[name])) return null;
  return hasKeptKey ? saveEnrolment(keys, role, identity) : saveIdentity(keys, role, identity);
}

/** Updates the server's address in the owner's identity, if that identity is for this server. The server may have a new port. */
function followServer(keys: string, record: Pick<ServerRecord, 'url' | 'publicKey'>): Failure | null {
  const owner = loadIdentity(keys, 'owner');
  if (!owner.ok || owner.value.serverPublicKey !== record.publicKey) return null;
  return save(keys, 'owner', { ...owner.value, ...serverOf(record) }, true);
}
