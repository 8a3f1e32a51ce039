/**
 * The code that the host and the approver's page show during an enrolment. The code is a hash of the server's key, the enrolment's id, the
 * host's key and a nonce of the host. If a third computer on the way replaces one of them, the two shown codes differ.
 *
 * The host first sends only a hash of the nonce (the commitment). The host sends the nonce after the server's answer. All other inputs are
 * fixed by then. So no computer on the way can try inputs until the two codes are equal
 * (docs/decisions/0019-enrolment-codes-with-a-commitment.md).
 */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './base32.ts';

/** Begins each hashed text, and says in `GET /v1/server` which codes the server makes. */
export const ENROLMENT_PROTOCOL = 'ape-enrol/2';

const NONCE_BYTES = 32;

/** Makes a nonce in base64url. Each enrolment needs a new nonce. */
export const newEnrolmentNonce = (): string => randomBytes(NONCE_BYTES).toString('base64url');

/** Returns the SHA-256 of the bytes of the nonce, in base64url. */
export const enrolmentCommitment = (nonce: string): string =>
  createHash('sha256').update(Buffer.from(nonce, 'base64url')).digest('base64url');

/** @property publicKey the key of the host */
interface CodeInputs {
  readonly serverPublicKey: string;
  readonly enrolmentId: string;
  readonly publicKey: string;
  readonly nonce: string;
}

/** Returns the first 40 bits of a SHA-256 as eight characters of base32 (RFC 4648). Both keys are raw Ed25519 keys, base64url. */
export function enrolmentCode({ serverPublicKey, enrolmentId, publicKey, nonce }: CodeInputs): string {
  const text = [ENROLMENT_PROTOCOL, serverPublicKey, enrolmentId, publicKey, nonce].join('\n');
  return base32(createHash('sha256').update(text).digest()).slice(0, 8).toUpperCase();
}
