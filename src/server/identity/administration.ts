/** Changes that the command line makes for the owner directly in the database, without the server. */
import { randomBytes } from 'node:crypto';
import { type Failure, failure } from '../../core/failure.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { publicKeyFault } from '../../platform/public-key.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store, StoreReader, Subject } from '../../store/store.ts';
import { keyClash } from './enrolment.ts';
import { ensureOwner, OWNER_ID } from './owner.ts';
import { newId, newSecret } from './secrets.ts';

export { OWNER_ID } from './owner.ts';
export { loadOrCreateServerKey } from './server-key.ts';

const OWNER_LINK_LIFETIME_MS = 15 * 60_000;

const random = (bytes: number) => randomBytes(bytes);

/**
 * Fails if the database cannot be opened.
 * @param url a path, `sqlite:PATH` or `postgres://…`
 */
export const openDatabase = (url: string): Promise<Result<Store, Failure>> => openStore(url);

/**
 * Makes a token with which the owner signs in at `PUBLIC_URL/sign-in/TOKEN`. The token is valid for 15 minutes and one use. Only the hash
 * of the token is stored. Makes the owner if the owner does not exist yet. Fails if the database fails.
 */
export async function createOwnerLink(store: Store, at: { readonly nowMs: number }): Promise<Result<string, Failure>> {
  const token = newSecret(random);
  const written = await store.write(async (rows) => {
    await ensureOwner(rows, at.nowMs);
    await rows.prune(at.nowMs);
    const expiresAtMs = at.nowMs + OWNER_LINK_LIFETIME_MS;
    await rows.insertOwnerLink({ hash: sha256Hex(token), subjectId: OWNER_ID, createdAtMs: at.nowMs, expiresAtMs });
    rows.record(plainEvent('owner.linked', null, at.nowMs));
  });
  return written.ok ? success(token) : written;
}

/**
 * @property name      the name of the requester, for people
 * @property host      the name of the requester's host
 * @property user      the requester's user name on this host
 * @property publicKey raw Ed25519 key, base64url
 */
export interface NewRequester {
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly publicKey: string;
}

/**
 * Enrols a requester and returns its id. If the same key, host and user are enrolled already, returns the existing id. Fails if the key is
 * malformed, was replaced, or belongs to another subject: an approver, a revoked requester, or a requester of another host or user.
 */
export function enrolRequester(store: Store, requester: NewRequester): Promise<Result<string, Failure>> {
  return enrol(store, { ...requester, role: 'requester' });
}

/**
 * Enrols the key with which an approver uses `apes grants approve`, and returns the id of its subject. If the key is enrolled already,
 * returns the existing id. Fails if the key is malformed, was replaced or revoked, or belongs to a subject that is no approver.
 */
export function enrolApproverKey(
  store: Store,
  approver: { readonly name: string; readonly publicKey: string },
): Promise<Result<string, Failure>> {
  return enrol(store, { ...approver, host: '', user: '', role: 'approver' });
}

/**
 * Revokes a subject: a requester, or the key of an approver. The subject's tokens and sessions end at once, and its key is not accepted
 * any more. Returns `unknown` if there is no such subject, or if the subject was revoked already.
 */
export async function revokeSubject(
  store: Store,
  subjectId: string,
  at: { readonly nowMs: number },
): Promise<Result<'revoked' | 'unknown', Failure>> {
  const written = await store.write(async (rows) => {
    if (!(await rows.revokeSubject(subjectId, at.nowMs))) return 'unknown';
    rows.record(plainEvent('subject.revoked', null, at.nowMs, { subjectId }));
    return 'revoked';
  });
  return written.ok ? success(written.value.value) : written;
}

async function enrol(
  store: Store,
  wanted: Pick<Subject, 'role' | 'name' | 'host' | 'user'> & { readonly publicKey: string },
): Promise<Result<string, Failure>> {
  const fault = publicKeyFault(wanted.publicKey);
  if (fault !== null) return failed(failure('configuration', fault.message, 'give a raw Ed25519 key'));
  const nowMs = systemClock.nowMs();
  const id = newId('s', random);
  const written = await store.write(async (rows) => {
    const known = await rows.subjectByPublicKey(wanted.publicKey);
    if (!(await mayEnrol(rows, wanted, known))) return null;
    if (known !== undefined) return known.id;
    await rows.insertSubject({ ...wanted, id, createdAtMs: nowMs, revokedAtMs: null });
    const { role, name, host, user, publicKey } = wanted;
    rows.record(plainEvent('subject.enrolled', id, nowMs, { role, name, host, user, publicKey }));
    return id;
  });
  if (!written.ok) return written;
  if (written.value.value !== null) return success(written.value.value);
  return failed(
    failure(
      'configuration',
      'this key belongs to another subject, or was replaced or revoked',
      'make a new key',
      'enrolment.clash',
    ),
  );
}

type Wanted = Pick<Subject, 'role' | 'host' | 'user'> & { readonly publicKey: string };

/**
 * Whether the key may be enrolled.
 * @param known the subject that has this key now; undefined: no subject has this key
 */
async function mayEnrol(rows: StoreReader, wanted: Wanted, known: Subject | undefined): Promise<boolean> {
  if (wanted.role === 'requester') return (await keyClash(rows, wanted)) === null;
  if ((await rows.keys.replacedKey(wanted.publicKey)) !== undefined) return false;
  return known === undefined || (known.role === 'approver' && known.revokedAtMs === null);
}
