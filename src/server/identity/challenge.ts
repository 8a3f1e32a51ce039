/** Proof of a key: a challenge that the server need not remember and that can be spent once, and a token for 15 minutes. */
import { createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { ChallengeAnswer, TokenAnswer, TokenBody } from '../../core/wire/sign-in.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts, type ServerPorts } from '../server-ports.ts';
import { equalInConstantTime, newSecret } from './secrets.ts';

/** Only failed attempts get this answer: a valid key or link is always accepted. */
export const tooManySignIns = refusal('server.too_many', 'too many sign-ins failed from your address; wait a minute');

const CHALLENGE_LIFETIME_MS = 60_000;
export const TOKEN_LIFETIME_MS = 15 * 60_000;

/** 10 random bytes, 6 bytes of expiry time, and a code of 16 bytes over both and the subject, which only this server can make. */
export function newChallenge(ports: ServerPorts, subjectId: string): ChallengeAnswer {
  const expiresAtMs = ports.clock.nowMs() + CHALLENGE_LIFETIME_MS;
  const head = Buffer.alloc(16);
  head.set(ports.random(10));
  head.writeUIntBE(expiresAtMs, 10, 6);
  return { challenge: Buffer.concat([head, authentic(ports, head, subjectId)]).toString('base64url'), expiresAtMs };
}

/** The text that a subject signs. It has the server's key, so that an impostor between them cannot use the signature at this server. */
const signedText = (serverPublicKey: string, subjectId: string, challenge: string): string =>
  `ape-auth/1\n${serverPublicKey}\n${subjectId}\n${challenge}`;

/** Gives the same refusal whatever is wrong, so that the caller learns nothing from it. */
export async function redeemChallenge(
  parts: ServerParts,
  body: TokenBody,
  address: string,
): Promise<Result<TokenAnswer, Refusal>> {
  const nowMs = parts.clock.nowMs();
  const found = await read(parts, async (rows) => success(await rows.subject(body.subjectId)));
  if (!found.ok) return found;
  const challengeEndsMs = readChallenge(parts, body.subjectId, body.challenge);
  if (challengeEndsMs === null || challengeEndsMs <= nowMs || !hasSigned(parts, found.value, body))
    return unknownKey(parts, body, address);
  const token = newSecret(parts.random);
  return change(parts, async (rows) => {
    // The first write comes only now, so that a caller without a key cannot make the database write.
    if (!(await rows.spendChallenge(sha256Hex(body.challenge), challengeEndsMs)))
      return unknownKey(parts, body, address);
    await rows.prune(nowMs);
    const expiresAtMs = nowMs + TOKEN_LIFETIME_MS;
    await rows.insertToken({ hash: sha256Hex(token), subjectId: body.subjectId, createdAtMs: nowMs, expiresAtMs });
    rows.record(plainEvent('token.issued', body.subjectId, nowMs));
    return success({ token, expiresAtMs });
  });
}

function unknownKey(parts: ServerParts, { subjectId }: TokenBody, address: string): Result<never, Refusal> {
  if (!parts.budgets.failedSignIns.take(address)) return failed(tooManySignIns);
  parts.log.warn({ subjectId }, 'sign-in refused');
  return failed(refusal('auth.unknown', 'this key is not known here, or the challenge has ended'));
}

function hasSigned(ports: ServerPorts, subject: Subject | undefined, body: TokenBody): boolean {
  if (subject === undefined || subject.revokedAtMs !== null || subject.publicKey === null) return false;
  const text = signedText(ports.serverKey.publicKey, body.subjectId, body.challenge);
  return verify(null, Buffer.from(text), ed25519Key(subject.publicKey), Buffer.from(body.signature, 'base64url'));
}

function readChallenge(ports: ServerPorts, subjectId: string, challenge: string): number | null {
  const bytes = Buffer.from(challenge, 'base64url');
  const head = bytes.subarray(0, 16);
  const expected = authentic(ports, head, subjectId).toString('hex');
  return equalInConstantTime(bytes.subarray(16).toString('hex'), expected) ? head.readUIntBE(10, 6) : null;
}

function authentic(ports: ServerPorts, head: Buffer, subjectId: string): Buffer {
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
