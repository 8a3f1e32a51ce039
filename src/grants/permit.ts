/** Checks the server's signed permit: compact JWS (RFC 7515), EdDSA over Ed25519 (RFC 8037), key pinned at enrolment. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { PermitPayload } from '../core/wire.ts';

/** What the permit must be about; anything else in it refuses. */
export interface Expectation {
  readonly serverPublicKey: string;
  readonly subjectId: string;
  readonly fingerprint: string;
  readonly nonce: string;
  /** SHA-256 (hex) of the findings that were sent with it; null when none were. */
  readonly findingsDigest: string | null;
}

/** The payload when signature, requester, fingerprint, nonce and findings are the expected ones; protocol (76) otherwise. */
export function verifyPermit(jws: unknown, expected: Expectation): Result<PermitPayload, Failure> {
  if (typeof jws !== 'string') return failed(wrong('there is no permit in it'));
  const [header, body, signature, ...more] = jws.split('.');
  if (header === undefined || body === undefined || signature === undefined || more.length > 0)
    return failed(wrong('its permit is not a JWS'));
  const parsedHeader = parseObject(header);
  if (parsedHeader?.['alg'] !== 'EdDSA') return failed(wrong('its permit is not signed with EdDSA'));
  if (!isSigned(`${header}.${body}`, signature, expected.serverPublicKey))
    return failed(wrong('its signature does not fit the enrolled key'));
  const payload = parseObject(body) as Partial<PermitPayload> | null;
  if (
    payload === null ||
    payload.typ !== 'ape-permit/1' ||
    typeof payload.grantId !== 'string' ||
    typeof payload.term !== 'object'
  )
    return failed(wrong('its permit has an unknown shape'));
  if (payload.requesterId !== expected.subjectId) return failed(wrong('its permit is for another requester'));
  if (payload.fingerprint !== expected.fingerprint) return failed(wrong('its permit is for another command'));
  if (payload.nonce !== expected.nonce) return failed(wrong('its permit is an old one'));
  if ((payload.findingsDigest ?? null) !== expected.findingsDigest)
    return failed(wrong('its permit was given for other findings'));
  if (!isCoverage(payload.coveredBy)) return failed(wrong('its permit has an unknown shape'));
  return success(payload as PermitPayload);
}

const isCoverage = (coveredBy: unknown): boolean =>
  coveredBy === undefined ||
  (Array.isArray(coveredBy) &&
    coveredBy.length > 0 &&
    coveredBy.every((each: unknown) => {
      const { grantId, title } = (each ?? {}) as { grantId?: unknown; title?: unknown };
      return typeof grantId === 'string' && typeof title === 'string';
    }));

let known: { readonly text: string; readonly key: KeyObject } | null = null;

/** A session verifies with the same key for every line: importing it costs as much as verifying. */
function importKey(text: string): KeyObject {
  if (known?.text !== text)
    known = { text, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' }) };
  return known.key;
}

function isSigned(text: string, signature: string, publicKey: string): boolean {
  try {
    return verify(null, Buffer.from(text), importKey(publicKey), Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function parseObject(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const wrong = (why: string): Failure =>
  failure('protocol', `the grant server's answer is refused: ${why}`, 'see `apes health`; nothing ran');
