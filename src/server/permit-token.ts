/** A permit as it travels: a compact JWS (RFC 7515) signed with Ed25519 (RFC 8037). */
import type { PermitPayload } from '../core/wire.ts';
import type { ServerKey } from './server-key.ts';
import type { Use } from './use.ts';

const HEADER = Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'JWT' })).toString('base64url');

/**
 * @param nonce          what the requester sent; the permit is good for that one call
 * @param findingsDigest of the findings that were sent with it, if any: they are what was judged
 */
export function signPermit(
  key: ServerKey,
  use: Use,
  nonce: string,
  findingsDigest: string | null,
  nowMs: number,
): string {
  const payload: PermitPayload = {
    typ: 'ape-permit/1',
    grantId: use.grantId,
    requesterId: use.requesterId,
    fingerprint: use.fingerprint,
    nonce,
    term: use.term,
    ...(use.scope === null ? {} : { scope: use.scope }),
    ...(findingsDigest === null ? {} : { findingsDigest }),
    ...(use.coveredBy === null ? {} : { coveredBy: use.coveredBy }),
    issuedAtMs: nowMs,
  };
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${signed}.${key.sign(Buffer.from(signed)).toString('base64url')}`;
}
