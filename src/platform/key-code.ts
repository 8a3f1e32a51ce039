/** The code of a requester's key. The requester's host and the page *Requesters* show this code. Another key has another code. */
import { enrolmentCode } from './enrolment-code.ts';

/** Returns a code such as `AB23-CD45`. `serverPublicKey` and `publicKey` are raw Ed25519 keys in base64url. */
export function keyCode(serverPublicKey: string, requesterId: string, publicKey: string): string {
  const code = enrolmentCode(serverPublicKey, requesterId, publicKey);
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
