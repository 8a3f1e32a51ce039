/**
 * Signs a subject in by its key. The server makes a challenge; the subject signs the challenge and gets a token for 15 minutes. The server
 * accepts a challenge only once. Until the server accepts a challenge, it stores nothing about the challenge.
 */
import { createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { ChallengeAnswer, TokenAnswer, TokenBody } from '../../core/wire/sign-in.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { ReplacedKey } from '../../store/key-rows.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts, type ServerPorts } from '../server-ports.ts';
import { equalInConstantTime, newSecret } from './secrets.ts';

/** Only failed attempts get this answer: a valid key or link is always accepted. */
export const tooManySignIns = refusal('server.too_many', 'too many sign-ins failed from your address; wait a minute');

const CHALLENGE_LIFETIME_MS = 60_000;
export const TOKEN_LIFETIME_MS = 15 * 60_000;

/**
 * Makes a challenge: 10 random bytes, the expiry time (Unix ms) in 6 bytes, and 16 bytes of an HMAC. The HMAC is over the random bytes, the
 * expiry time and the subject's id. The key of the HMAC is a secret of the server.
 */
export function newChallenge(ports: ServerPorts, subjectId: string): ChallengeAnswer {
  const expiresAtMs = ports.clock.nowMs() + CHALLENGE_LIFETIME_MS;
  const head = Buffer.alloc(16);
  head.set(ports.random(10));
  head.writeUIntBE(expiresAtMs, 10, 6);
  return { challenge: Buffer.concat([head, challengeMac(ports, head, subjectId)]).toString('base64url'), expiresAtMs };
}

/**
 * The text that a subject signs. The text contains the public key of the server at which the subject signs in. Suppose that another server
 * gets a challenge of this server, and gives it to a subject that signs in there. The subject then signs the key of that other server, so
 * this server does not accept the signature.
 */
const signedText = (serverPublicKey: string, subjectId: string, challenge: string): string =>
  `ape-auth/1\n${serverPublicKey}\n${subjectId}\n${challenge}`;

/** Redeems a signed challenge for a token. A caller that has proved no key must learn nothing: all such callers get the same refusal. */
export async function redeemChallenge(
  parts: ServerParts,
  body: TokenBody,
  address: string,
): Promise<Result<TokenAnswer, Refusal>> {
  const { subjectId } = body;
  const nowMs = parts.clock.nowMs();
  const challengeEndsMs = challengeEndMs(parts, subjectId, body.challenge);
  if (challengeEndsMs === null || challengeEndsMs <= nowMs) return unknownKey(parts, subjectId, address);
  const found = await read(parts, async (rows) => {
    const subject = await rows.subject(subjectId);
    const isKnown = hasSigned(parts, subject, body);
    const isEarlier = ({ publicKey }: ReplacedKey) => isSignedBy(parts, publicKey, body);
    const ended = isKnown
      ? null
      : (refuseRevoked(parts, subject, body) ?? (await refuseReplaced(rows, subjectId, isEarlier)));
    return success({ isKnown, ended });
  });
  if (!found.ok) return found;
  const { isKnown, ended } = found.value;
  if (!isKnown) return ended === null ? unknownKey(parts, subjectId, address) : failed(ended);
  const token = newSecret(parts.random);
  return change(parts, async (rows) => {
    // No write comes before this one: a caller without a key must not be able to cause a write to the database.
    if (!(await rows.spendChallenge(sha256Hex(body.challenge), challengeEndsMs)))
      return unknownKey(parts, subjectId, address);
    await lockKeyOf(rows, subjectId);
    // A rotation may have been committed meanwhile. After a rotation, the old key must get no token.
    if (!hasSigned(parts, await rows.subject(subjectId), body)) return unknownKey(parts, subjectId, address);
    const isRotationAsked = (await rows.keys.keyRequest(subjectId)) !== undefined;
    const issued = await issueToken(rows, subjectId, token, nowMs);
    return success(isRotationAsked ? { ...issued, rotate: true as const } : issued);
  });
}

/** Takes the lock for issuing tokens to a subject and for replacing the subject's key. Take the lock before you read the subject. */
export const lockKeyOf = (rows: StoreWriter, subjectId: string): Promise<void> => rows.lockRequest('key', subjectId);

/**
 * Issues a token for `TOKEN_LIFETIME_MS`, records an event, and removes what has expired (`prune`). The caller must hold `lockKeyOf`.
 * @param token the secret that the caller gets; the store has only its hash
 */
export async function issueToken(
  rows: StoreWriter,
  subjectId: string,
  token: string,
  nowMs: number,
): Promise<{ readonly token: string; readonly expiresAtMs: number }> {
  await rows.prune(nowMs);
  const expiresAtMs = nowMs + TOKEN_LIFETIME_MS;
  await rows.insertToken({ hash: sha256Hex(token), subjectId, createdAtMs: nowMs, expiresAtMs });
  rows.record(plainEvent('token.issued', subjectId, nowMs));
  return { token, expiresAtMs };
}

/** How many earlier keys of a requester the server recognises. The server treats an older key as unknown. */
const MAX_REPLACED = 5;

/**
 * Refuses a caller that has proved one of the requester's earlier keys, and says when the key was replaced. Returns null for any other
 * caller.
 * @param isProved whether the caller has proved this key
 */
export async function refuseReplaced(
  rows: StoreReader,
  subjectId: string,
  isProved: (replaced: ReplacedKey) => boolean,
): Promise<Refusal | null> {
  const found = (await rows.keys.replacedKeysOf(subjectId, MAX_REPLACED)).find(isProved);
  if (found === undefined) return null;
  return refusal(
    'auth.replaced',
    `this key was replaced by a new one at ${minuteOf(found.replacedAtMs)} UTC, and the server does not accept it any more`,
  );
}

/** Refuses a revoked subject that has proved its key, and says when the access was revoked. Returns null for any other caller. */
function refuseRevoked(ports: ServerPorts, subject: Subject | undefined, body: TokenBody): Refusal | null {
  if (subject === undefined || subject.revokedAtMs === null || subject.publicKey === null) return null;
  if (!isSignedBy(ports, subject.publicKey, body)) return null;
  return refusal('auth.revoked', `the access was revoked at ${minuteOf(subject.revokedAtMs)} UTC`);
}

const minuteOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');

/** Refuses a sign-in that failed, and counts the failure for the address. After too many failures, the refusal is `server.too_many`. */
export function unknownKey(parts: ServerParts, subjectId: string, address: string): Result<never, Refusal> {
  if (!parts.budgets.failedSignIns.take(address)) return failed(tooManySignIns);
  parts.log.warn({ subjectId }, 'sign-in refused');
  return failed(refusal('auth.unknown', 'this key is not known here, or the challenge has ended'));
}

function hasSigned(ports: ServerPorts, subject: Subject | undefined, body: TokenBody): boolean {
  if (subject === undefined || subject.revokedAtMs !== null || subject.publicKey === null) return false;
  return isSignedBy(ports, subject.publicKey, body);
}

function isSignedBy(ports: ServerPorts, publicKey: string, body: TokenBody): boolean {
  const text = signedText(ports.serverKey.publicKey, body.subjectId, body.challenge);
  return hasSignedWith(publicKey, text, body.signature);
}

/**
 * Whether this key has signed the text.
 * @param publicKey raw Ed25519, base64url
 * @param signature base64url
 * @throws if `publicKey` is not an Ed25519 key (`publicKeyFault`)
 */
export const hasSignedWith = (publicKey: string, text: string, signature: string): boolean =>
  verify(null, Buffer.from(text), ed25519Key(publicKey), Buffer.from(signature, 'base64url'));

/** Returns the expiry time of a challenge (Unix ms), possibly past. Returns null if we did not make this challenge for this subject. */
export function challengeEndMs(ports: ServerPorts, subjectId: string, challenge: string): number | null {
  const bytes = Buffer.from(challenge, 'base64url');
  const head = bytes.subarray(0, 16);
  const expected = challengeMac(ports, head, subjectId).toString('hex');
  return equalInConstantTime(bytes.subarray(16).toString('hex'), expected) ? head.readUIntBE(10, 6) : null;
}

function challengeMac(ports: ServerPorts, head: Buffer, subjectId: string): Buffer {
  return createHmac('sha256', ports.serverKey.derive('challenge'))
    .update(head)
    .update(subjectId)
    .digest()
    .subarray(0, 16);
}

/** @param raw base64url of 32 bytes */
function ed25519Key(raw: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' });
}
