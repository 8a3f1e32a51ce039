/**
 * Replaces the key of a host. The host makes the new key pair itself, and proves that it has both private keys. The requester stays the
 * same, and keeps its waiting requests and its approvals. An approver can ask the host for a new key.
 */
import { type Fault, fault } from '../../core/fault.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { type Rotation, rotatedText, rotationText } from '../../core/key-rotation.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { RotateAnswer, RotateBody } from '../../core/wire/key-rotation.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { publicKeyFault } from '../../platform/public-key.ts';
import type { StoreWriter } from '../../store/store.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { challengeEndMs, hasSignedWith, issueToken, lockKeyOf, refuseReplaced, unknownKey } from './challenge.ts';
import { newSecret } from './secrets.ts';

/**
 * Replaces the key and returns a token. A host that got no answer calls again with the same keys and a new challenge. The second call also
 * returns a token. Fails in these cases:
 * - the caller has not proved both keys, or a key is malformed
 * - the challenge has ended or was used
 * - the requester is unknown or was revoked
 * - `replaces` is not the requester's current key
 * - a subject has or had the new key
 */
export async function rotateKey(
  parts: ServerParts,
  body: RotateBody,
  address: string,
): Promise<Result<RotateAnswer, Refusal>> {
  const { subjectId, challenge, replaces, publicKey } = body;
  const fault = publicKeyFault(publicKey) ?? publicKeyFault(replaces) ?? sameKeyFault(body);
  if (fault !== null) return failed(malformedRequest(fault));
  const nowMs = parts.clock.nowMs();
  const endsMs = challengeEndMs(parts, subjectId, challenge);
  if (endsMs === null || endsMs <= nowMs || !isProved(parts, body)) return unknownKey(parts, subjectId, address);
  const token = newSecret(parts.random);
  return change(parts, async (rows) => {
    if (!(await rows.spendChallenge(sha256Hex(challenge), endsMs))) return unknownKey(parts, subjectId, address);
    await lockKeyOf(rows, subjectId);
    await rows.lockRequest('enrolment', publicKey); // an enrolment of the same key waits for this lock, and finds the key taken
    const subject = await rows.subject(subjectId);
    if (subject?.role !== 'requester' || subject.revokedAtMs !== null) return unknownKey(parts, subjectId, address);
    if (!(await wasDone(rows, body))) {
      const refused = await refuseReplaced(rows, subjectId, ({ publicKey: old }) => old === replaces);
      if (refused !== null) return failed(refused);
      if (await isTaken(rows, publicKey))
        return failed(refusal('request.malformed', 'the new key is in use already; make another key'));
      const replaced = { publicKey: replaces, requesterId: subjectId, replacedBy: publicKey, replacedAtMs: nowMs };
      if (!(await rows.keys.replaceKey(replaced))) return unknownKey(parts, subjectId, address);
      rows.record(plainEvent('key.replaced', subjectId, nowMs, { requesterId: subjectId, replaces, publicKey }));
    }
    const { expiresAtMs } = await issueToken(rows, subjectId, token, nowMs);
    const proof = parts.serverKey.sign(Buffer.from(rotatedText(parts.serverKey.publicKey, body))).toString('base64url');
    return success({ token, expiresAtMs, proof });
  });
}

const sameKeyFault = ({ replaces, publicKey }: Rotation): Fault | null =>
  replaces === publicKey ? fault('the new key is the same as the old key; make another key') : null;

/** Whether the caller has proved both private keys. `rotateKey` checks this before it uses the database. */
function isProved({ serverKey }: ServerParts, body: RotateBody): boolean {
  const text = rotationText(serverKey.publicKey, body, body.challenge);
  return (
    hasSignedWith(body.replaces, text, body.oldSignature) && hasSignedWith(body.publicKey, text, body.newSignature)
  );
}

/** Whether this rotation was done already, and the requester still has the new key. */
async function wasDone(rows: StoreWriter, { subjectId, replaces, publicKey }: Rotation): Promise<boolean> {
  const known = await rows.keys.replacedKey(replaces);
  if (known?.requesterId !== subjectId || known.replacedBy !== publicKey) return false;
  return (await rows.subject(subjectId))?.publicKey === publicKey;
}

/** Whether a subject has or had this key. A replaced key may have been stolen, so it stays taken for ever. */
async function isTaken(rows: StoreWriter, publicKey: string): Promise<boolean> {
  const [subject, replaced] = [await rows.subjectByPublicKey(publicKey), await rows.keys.replacedKey(publicKey)];
  return subject !== undefined || replaced !== undefined;
}

/**
 * Asks a host for a new key. Ends the host's tokens, so that the host has to prove its key again. The server's answer to that proof asks
 * for the new key. A second call ends the tokens again and records an event, but does not change the stored request. Fails if the
 * requester is unknown or was revoked.
 * @param by null: the command line on the machine of the server
 */
export async function askForNewKey(
  rows: StoreWriter,
  requesterId: string,
  by: string | null,
  nowMs: number,
): Promise<Result<null, Refusal>> {
  const subject = await rows.subject(requesterId);
  if (subject?.role !== 'requester' || subject.revokedAtMs !== null)
    return failed(refusal('requester.not_found', 'there is no such requester, or the requester was revoked'));
  await lockKeyOf(rows, requesterId);
  await rows.keys.insertKeyRequest({ requesterId, askedAtMs: nowMs, byId: by });
  await rows.keys.endTokensOf(requesterId);
  rows.record(plainEvent('key.asked', by, nowMs, { requesterId }));
  return success(null);
}
