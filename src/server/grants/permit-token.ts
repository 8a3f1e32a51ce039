/** Writes the signed form of a permit: a compact JWS (RFC 7515). */
import type { PermitPayload } from '../../core/wire/permit.ts';
import { hs256 } from '../../platform/connection-key.ts';
import type { ServerKey } from '../identity/server-key.ts';
import type { Use } from './use.ts';

/** @property header the header of the JWS, base64url */
export interface PermitSigner {
  readonly header: string;
  readonly sign: (text: string) => Buffer;
}

const headerOf = (alg: string): string => Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url');

const EDDSA = headerOf('EdDSA');
const HS256 = headerOf('HS256');

/** Signs with the server's key: each host that knows the public key can verify the permit (RFC 8037). */
export const signedBy = (key: ServerKey): PermitSigner => ({
  header: EDDSA,
  sign: (text) => key.sign(Buffer.from(text)),
});

/** Signs with the key of one persistent connection: only the other end of the connection can verify the permit (RFC 7518). */
export const signedWithConnectionKey = (connectionKey: Buffer): PermitSigner => ({
  header: HS256,
  sign: (text) => hs256(connectionKey, text),
});

/**
 * The call that a permit answers.
 * @property nonce             the nonce of the requester's call; the permit is valid only for that call
 * @property hostFactsDigest   the digest of the host facts that the host sent with the call; null: the host sent no facts
 * @property approversSequence the sequence number of the newest list of approvers; null if the use has no seals
 */
interface PermittedCall {
  readonly nonce: string;
  readonly hostFactsDigest: string | null;
  readonly approversSequence: number | null;
  readonly nowMs: number;
}

export function signPermit(
  signer: PermitSigner,
  use: Use,
  { nonce, hostFactsDigest, approversSequence, nowMs }: PermittedCall,
): string {
  const payload: PermitPayload = {
    typ: 'ape-permit/1',
    grantId: use.grantId,
    requesterId: use.requesterId,
    fingerprint: use.fingerprint,
    nonce,
    term: use.term,
    ...(use.scope === null ? {} : { scope: use.scope }),
    ...(use.part === undefined ? {} : { part: use.part }),
    ...(hostFactsDigest === null ? {} : { findingsDigest: hostFactsDigest }),
    ...(use.coveredBy === null ? {} : { coveredBy: use.coveredBy }),
    ...(use.confinement === null ? {} : { confinement: use.confinement }),
    ...(use.seals === null ? {} : { seals: use.seals }),
    ...(approversSequence === null ? {} : { approversSequence }),
    issuedAtMs: nowMs,
  };
  const signed = `${signer.header}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${signed}.${signer.sign(signed).toString('base64url')}`;
}
