/** Makes and checks challenges for passkeys. A challenge is valid for one `ChallengeBinding`. The server stores only used challenges. */
import { createHmac } from 'node:crypto';
import type { ServerPorts } from '../server-ports.ts';
import { equalInConstantTime } from './secrets.ts';

const PASSKEY_CHALLENGE_LIFETIME_MS = 5 * 60_000;

/**
 * @property purpose     what the person agrees to with the signature
 * @property subjectId   the person who signs; empty before the sign-in
 * @property sessionHash empty if there is no session
 */
export interface ChallengeBinding {
  readonly purpose: string;
  readonly subjectId: string;
  readonly sessionHash: string;
}

/**
 * Makes a challenge: 10 random bytes, 6 bytes of expiry time (Unix ms), and 16 bytes of an HMAC. The HMAC covers the first 16 bytes and the
 * binding. All servers of one database share the server key. So each of these servers can check the challenge.
 */
export function newPasskeyChallenge(ports: ServerPorts, binding: ChallengeBinding): string {
  const head = Buffer.alloc(16);
  head.set(ports.random(10));
  head.writeUIntBE(ports.clock.nowMs() + PASSKEY_CHALLENGE_LIFETIME_MS, 10, 6);
  return Buffer.concat([head, challengeMac(ports, head, binding)]).toString('base64url');
}

/**
 * Returns the expiry time of the challenge (Unix ms). Returns null if the challenge has expired, has another binding, or was not made by a
 * server of this database. Does not check whether the challenge was used before: the caller must call `spendChallenge`.
 */
export function passkeyChallengeEndMs(ports: ServerPorts, binding: ChallengeBinding, challenge: string): number | null {
  const bytes = Buffer.from(challenge, 'base64url');
  const head = bytes.subarray(0, 16);
  if (bytes.length !== 32 || bytes.toString('base64url') !== challenge) return null;
  const expected = challengeMac(ports, head, binding).toString('hex');
  if (!equalInConstantTime(bytes.subarray(16).toString('hex'), expected)) return null;
  const endsAtMs = head.readUIntBE(10, 6);
  return endsAtMs > ports.clock.nowMs() ? endsAtMs : null;
}

function challengeMac(ports: ServerPorts, head: Buffer, { purpose, subjectId, sessionHash }: ChallengeBinding): Buffer {
  const bound = JSON.stringify([purpose, subjectId, sessionHash]);
  return createHmac('sha256', ports.serverKey.derive('passkey')).update(head).update(bound).digest().subarray(0, 16);
}
