/** Finds out whether passkeys of this server work at the address by which the person opened the page. */
import type { FastifyRequest } from 'fastify';
import type { PasskeyOffer } from '../../web/pages/passkey-offer.ts';
import { passkeyPlace } from '../identity/passkey-place.ts';
import type { ServerPorts } from '../server-ports.ts';

export function passkeyOfferHere(parts: Pick<ServerPorts, 'publicUrl'>, { headers }: FastifyRequest): PasskeyOffer {
  const place = passkeyPlace(parts.publicUrl());
  if (place === null) return { kind: 'nowhere' };
  return new URL(place.origin).host === headers.host?.toLowerCase()
    ? { kind: 'here' }
    : { kind: 'elsewhere', origin: place.origin };
}
