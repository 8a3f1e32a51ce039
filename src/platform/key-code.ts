/**
 * The code of a requester's key. The requester's host and the page *Requesters* show this code. The code has 40 bits: another key almost
 * never has the same code.
 */
import { createHash } from 'node:crypto';
import { base32 } from './base32.ts';

/** Returns a code such as `AB23-CD45`. `serverPublicKey` and `publicKey` are raw Ed25519 keys in base64url. */
export function keyCode(serverPublicKey: string, requesterId: string, publicKey: string): string {
  const digest = createHash('sha256').update(`ape-enrol/1\n${serverPublicKey}\n${requesterId}\n${publicKey}`).digest();
  const code = base32(digest).slice(0, 8).toUpperCase();
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
