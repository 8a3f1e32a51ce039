/** Replaces the key of this host when the host's user or an approver asks for a new key. The private key never leaves this host. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../core/failure.ts';
import { type Rotation, rotatedText, rotationText } from '../core/key-rotation.ts';
import { failed, type Result, success } from '../core/result.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { RotateAnswer, RotateBody } from '../core/wire/key-rotation.ts';
import { newPrivateKey, publicKeyOf } from '../platform/key-pair.ts';
import { readErrorCode } from './answers.ts';
import { type Identity, loadIdentity } from './enrolment.ts';
import { callServer, malformed, type Server, type ServerAnswer } from './http.ts';
import { isRotating, nextKey, takeNextKey, underRotationLock } from './next-key.ts';
import { isSignedBy } from './permit.ts';
import { type FreshToken, fetchChallenge, replacedKey, signText } from './prove-key.ts';

/**
 * @property identity     the identity whose key is to be replaced
 * @property keyDirectory where the key of this host is kept
 */
export interface RotationParts {
  readonly server: Server;
  readonly identity: Identity;
  readonly keyDirectory: string;
}

/**
 * `by-another`: this call did not replace the key: another call had replaced the key, or held the lock. The other call possibly failed, or
 * did not end within `MAX_WAIT_MS`. The caller of `rotateHostKey` has to read the key from the disk again.
 */
export type Rotated = { readonly kind: 'rotated'; readonly token: FreshToken } | { readonly kind: 'by-another' };

/** How long to wait for another call that is replacing the key. */
const MAX_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;

/**
 * Replaces the key at the server and on this host. After a failure or a crash, the server possibly has the new key already. So the next
 * call sends the same new key, and the server accepts this key again.
 */
export async function rotateHostKey(parts: RotationParts): Promise<Result<Rotated, Failure>> {
  const rotated = await underRotationLock(parts.keyDirectory, () => rotateAlone(parts));
  if (rotated !== 'held') return rotated;
  for (let waitedMs = 0; isRotating(parts.keyDirectory) && waitedMs < MAX_WAIT_MS; waitedMs += LOOK_EVERY_MS)
    await sleep(LOOK_EVERY_MS);
  return success({ kind: 'by-another' });
}

async function rotateAlone(parts: RotationParts): Promise<Result<Rotated, Failure>> {
  const { server, keyDirectory } = parts;
  const identity = loadIdentity(keyDirectory, 'requester');
  if (!identity.ok) return identity;
  const { subjectId, serverPublicKey, privateKey } = identity.value;
  const isSame =
    subjectId === parts.identity.subjectId &&
    serverPublicKey === parts.identity.serverPublicKey &&
    privateKey === parts.identity.privateKey;
  if (!isSame) return success({ kind: 'by-another' });
  const next = nextKey(keyDirectory, newPrivateKey);
  if (!next.ok) return next;
  const [replaces, publicKey] = [publicKeyOf(privateKey), publicKeyOf(next.value)];
  if (replaces === null || publicKey === null) return failed(unreadableKey);
  const rotation: Rotation = { subjectId, replaces, publicKey };
  const challenge = await fetchChallenge(server, subjectId);
  if (!challenge.ok) return challenge;
  const text = rotationText(serverPublicKey, rotation, challenge.value);
  const body: RotateBody = {
    ...rotation,
    challenge: challenge.value,
    oldSignature: signText(text, privateKey) ?? '',
    newSignature: signText(text, next.value) ?? '',
  };
  const answer = await callServer(server, { method: 'POST', path: '/v1/auth/rotate', body });
  if (!answer.ok) return answer;
  const token = readAnswer(parts, identity.value, rotation, answer.value);
  if (!token.ok) return token;
  const unsaved = takeNextKey(keyDirectory);
  return unsaved === null ? success({ kind: 'rotated', token: token.value }) : failed(unsaved);
}

const unreadableKey = failure(
  'configuration',
  'a private key of this host cannot be read',
  'enrol again: apes up, or apes logout and then apes login URL',
);

/** Accepts a token only if the enrolled server signed the answer. Without this check, another server could make this host drop its key. */
function readAnswer(
  { server }: RotationParts,
  { serverPublicKey }: Identity,
  rotation: Rotation,
  { status, body, serverTimeMs }: ServerAnswer,
): Result<FreshToken, Failure> {
  const error = readErrorCode(body);
  if (error?.code === 'auth.replaced') return failed(replacedKey(error.message));
  if (status === 404)
    return failed(
      failure(
        'unavailable',
        'the grant server is older than this program, and cannot replace a key',
        'update the server',
      ),
    );
  if (error !== null)
    return failed(
      failure(
        error.code.startsWith('server.') ? 'unavailable' : 'refused',
        `the grant server did not take the new key: ${visibleLine(error.message)}`,
        'the old key stays; try again',
        error.code,
      ),
    );
  const { token, expiresAtMs, proof } = (body ?? {}) as Partial<RotateAnswer>;
  if (status !== 200 || typeof token !== 'string' || typeof expiresAtMs !== 'number' || typeof proof !== 'string')
    return failed(malformed(server, `it did not say whether it accepted the new key (HTTP ${status})`));
  return isSignedBy(serverPublicKey, rotatedText(serverPublicKey, rotation), Buffer.from(proof, 'base64url'))
    ? success({ token, expiresAtMs, serverTimeMs })
    : failed(malformed(server, 'its answer about the new key is not signed by the enrolled server'));
}
