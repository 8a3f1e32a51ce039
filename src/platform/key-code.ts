/** The code of a requester's key. The requester's host and the page *Requesters* show it. Another key has another code. */
import { enrolmentCode } from './enrolment-code.ts';

/** Eight characters and a dash, as `AB23-CD45`. Both keys: raw Ed25519, base64url. */
export function keyCode(serverPublicKey: string, requesterId: string, publicKey: string): string {
  const code = enrolmentCode(serverPublicKey, requesterId, publicKey);
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
