/** A permit as it travels: a compact JWS (RFC 7515) signed with Ed25519 (RFC 8037). */
import type { Grant } from '../core/grant.ts';
import type { PermitPayload } from '../core/wire.ts';
import type { ServerKey } from './server-key.ts';

const HEADER = Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'JWT' })).toString('base64url');

/**
 * @param fingerprint of what it is for: the grant's own, or another that the grant's path prefix covers
 * @param nonce       what the requester sent; the permit is good for that one call
 */
export function signPermit(key: ServerKey, grant: Grant, fingerprint: string, nonce: string, nowMs: number): string {
  const payload: PermitPayload = {
    typ: 'ape-permit/1',
    grantId: grant.id,
    requesterId: grant.requesterId,
    fingerprint,
    nonce,
    term: grant.term ?? { kind: 'once' },
    ...(grant.scope === null || grant.fingerprint === fingerprint ? {} : { scope: grant.scope }),
    issuedAtMs: nowMs,
  };
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${signed}.${key.sign(Buffer.from(signed)).toString('base64url')}`;
}
