/** The code both sides show: made from both keys, so that a server in between, with a key of its own, shows another one. */
import { createHash } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Eight characters, A–Z and 2–7: the first 40 bits of a SHA-256 in base32 (RFC 4648). The server computes the same. */
export function enrolmentCode(serverPublicKey: string, enrolmentId: string, publicKey: string): string {
  const digest = createHash('sha256').update(`ape-enrol/1\n${serverPublicKey}\n${enrolmentId}\n${publicKey}`).digest();
  const bits = digest.readUIntBE(0, 5);
  return Array.from({ length: 8 }, (_, at) => BASE32.charAt(Math.floor(bits / 32 ** (7 - at)) % 32)).join('');
}
