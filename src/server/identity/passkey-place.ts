/** Decides for which host name and origin a browser makes passkeys of this server. A passkey needs a host name, not an IP address. */
import { isIP } from 'node:net';
import { isLoopback } from '../bind.ts';

/**
 * @property rpId   the host name; a browser uses a passkey only on pages with this host name
 * @property origin the origin of the pages that may use the passkey
 */
export interface PasskeyPlace {
  readonly rpId: string;
  readonly origin: string;
}

/**
 * For `http:` and a loopback address (`http://127.0.0.1:PORT`), uses the name `localhost`. Returns null for every other URL with an IP
 * address.
 */
export function passkeyPlace(publicUrl: string): PasskeyPlace | null {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  const isNumber = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isNumber) return { rpId: hostname, origin };
  if (protocol !== 'http:' || !isLoopback(hostname)) return null;
  return { rpId: 'localhost', origin: `http://localhost${port === '' ? '' : `:${port}`}` };
}
