/** The host name and the origin for which passkeys of this server are made. A passkey needs a host name, not an IP address. */
import { isIP } from 'node:net';
import { isLoopback } from '../bind.ts';

/**
 * @property rpId   the host name: browsers use a passkey only under the name for which it was made
 * @property origin the origin of the pages that may use the passkey
 */
export interface PasskeyPlace {
  readonly rpId: string;
  readonly origin: string;
}

/**
 * Returns null if the public address has an IP address instead of a host name. For `http://127.0.0.1:PORT` and other loopback addresses,
 * the name is `localhost`, where the same server answers.
 */
export function passkeyPlace(publicUrl: string): PasskeyPlace | null {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  const isNumber = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isNumber) return { rpId: hostname, origin };
  if (protocol !== 'http:' || !isLoopback(hostname)) return null;
  return { rpId: 'localhost', origin: `http://localhost${port === '' ? '' : `:${port}`}` };
}
