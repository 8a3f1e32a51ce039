/** The name and the origin that passkeys of this server are made for. A passkey needs a name: an address made of numbers has none. */
import { isIP } from 'node:net';
import { isLoopback } from '../bind.ts';

/**
 * @property rpId   browsers use a passkey under this name only
 * @property origin pages that may use it
 */
export interface PasskeyPlace {
  readonly rpId: string;
  readonly origin: string;
}

/** Null where the server has no name. Under `http://127.0.0.1:PORT` that is `localhost`: the same server answers there. */
export function passkeyPlace(publicUrl: string): PasskeyPlace | null {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  const isNumber = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isNumber) return { rpId: hostname, origin };
  if (protocol !== 'http:' || !isLoopback(hostname)) return null;
  return { rpId: 'localhost', origin: `http://localhost${port === '' ? '' : `:${port}`}` };
}
