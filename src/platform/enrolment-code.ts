/**
 * The code that the host and the approver's page show during an enrolment. The code is a hash of the server's key, the enrolment's id, the
 * host's key, its names and a nonce of the host. If a third computer on the way replaces one of them, the two shown codes differ.
 *
 * The host first sends only a hash of the nonce (the commitment). The host sends the nonce after the server's answer. All other inputs are
 * fixed by then. So a computer on the way cannot try many inputs and send those that make the two codes equal
 * (docs/decisions/0019-enrolment-codes-with-a-commitment.md).
 */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './base32.ts';

/** The text that `enrolmentCode` hashes begins with this name. `GET /v1/server` returns the name to say which codes the server makes. */
export const ENROLMENT_PROTOCOL = 'ape-enrol/3';

const NONCE_BYTES = 32;

/** Makes a nonce in base64url. Each enrolment needs a new nonce. */
export const newEnrolmentNonce = (): string => randomBytes(NONCE_BYTES).toString('base64url');

/** Returns the SHA-256 of the bytes of the nonce, in base64url. */
export const enrolmentCommitment = (nonce: string): string =>
  createHash('sha256').update(Buffer.from(nonce, 'base64url')).digest('base64url');

/**
 * @property publicKey the key of the host
 * @property name      how approvers see the host; like `host` and `user`, it has no control character
 * @property host      the host's name; its requests will be shown as running on the host of this name
 * @property user      the account of the host that asks
 */
interface CodeInputs {
  readonly serverPublicKey: string;
  readonly enrolmentId: string;
  readonly publicKey: string;
  readonly nonce: string;
  readonly name: string;
  readonly host: string;
  readonly user: string;
}

/** Returns the first 40 bits of a SHA-256 as eight characters of base32 (RFC 4648). Both keys are raw Ed25519 keys, base64url. */
export function enrolmentCode(inputs: CodeInputs): string {
  const { serverPublicKey, enrolmentId, publicKey, nonce, name, host, user } = inputs;
  const text = [ENROLMENT_PROTOCOL, serverPublicKey, enrolmentId, publicKey, nonce, name, host, user].join('\n');
  return base32(createHash('sha256').update(text).digest()).slice(0, 8).toUpperCase();
}
