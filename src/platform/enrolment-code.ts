/**
 * The code that the host and the approver's page show during an enrolment. The code is a hash of the server's key, the enrolment's id and
 * the host's key. If a third computer on the way replaces one of the keys, the two shown codes differ.
 */
import { createHash } from 'node:crypto';
import { base32 } from './base32.ts';

/** Returns the first 40 bits of a SHA-256 as eight characters of base32 (RFC 4648). Both keys are raw Ed25519 keys, base64url. */
export function enrolmentCode(serverPublicKey: string, enrolmentId: string, publicKey: string): string {
  const digest = createHash('sha256').update(`ape-enrol/1\n${serverPublicKey}\n${enrolmentId}\n${publicKey}`).digest();
  return base32(digest).slice(0, 8).toUpperCase();
}
