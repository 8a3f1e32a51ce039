/** A challenge for a passkey: for one purpose of one session, 5 minutes, made without any memory of the server. */
import { createHmac } from 'node:crypto';
import type { ServerPorts } from '../server-ports.ts';
import { equalInConstantTime } from './secrets.ts';

const PASSKEY_CHALLENGE_LIFETIME_MS = 5 * 60_000;

/**
 * @property purpose     what the person agrees to by signing it
 * @property subjectId   empty before the sign-in
 * @property sessionHash empty where there is none
 */
export interface ChallengeBinding {
  readonly purpose: string;
  readonly subjectId: string;
  readonly sessionHash: string;
}

/** 10 random bytes, 6 bytes of expiry time, 16 bytes of a code over both and the binding; all servers of a database can check it. */
export function newPasskeyChallenge(ports: ServerPorts, binding: ChallengeBinding): string {
  const head = Buffer.alloc(16);
  head.set(ports.random(10));
  head.writeUIntBE(ports.clock.nowMs() + PASSKEY_CHALLENGE_LIFETIME_MS, 10, 6);
  return Buffer.concat([head, authentic(ports, head, binding)]).toString('base64url');
}

/** When it ends (Unix ms); null where it is not one of ours, is for something else, or is over. */
export function passkeyChallengeEndMs(ports: ServerPorts, binding: ChallengeBinding, challenge: string): number | null {
  const bytes = Buffer.from(challenge, 'base64url');
  const head = bytes.subarray(0, 16);
  if (bytes.length !== 32 || bytes.toString('base64url') !== challenge) return null;
  const expected = authentic(ports, head, binding).toString('hex');
  if (!equalInConstantTime(bytes.subarray(16).toString('hex'), expected)) return null;
  const endsAtMs = head.readUIntBE(10, 6);
  return endsAtMs > ports.clock.nowMs() ? endsAtMs : null;
}

function authentic(ports: ServerPorts, head: Buffer, { purpose, subjectId, sessionHash }: ChallengeBinding): Buffer {
  const bound = JSON.stringify([purpose, subjectId, sessionHash]);
  return createHmac('sha256', ports.serverKey.derive('passkey')).update(head).update(bound).digest().subarray(0, 16);
}
