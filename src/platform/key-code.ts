/**
 * The code of a requester's key. The requester's host and the page *Requesters* show this code. With a stolen key of a host, a thief can
 * make the server replace this key by a key of the thief. The thief knows all inputs of the hash, and could search for a key with the same
 * code as the host's key. To make this search too long, the code has 80 bits. The code of an enrolment needs only 40 bits, because the
 * host commits to a nonce first. Hosts of older versions show the first eight characters.
 */
import { createHash } from 'node:crypto';
import { base32 } from './base32.ts';

/** Each character has five bits. */
const CHARACTERS = 16;

/** Returns a code such as `AB23-CD45-EF67-GH24`. `serverPublicKey` and `publicKey` are raw Ed25519 keys in base64url. */
export function keyCode(serverPublicKey: string, requesterId: string, publicKey: string): string {
  const digest = createHash('sha256').update(`ape-enrol/1\n${serverPublicKey}\n${requesterId}\n${publicKey}`).digest();
  const code = base32(digest).slice(0, CHARACTERS).toUpperCase();
  return (code.match(/.{4}/g) ?? []).join('-');
}
