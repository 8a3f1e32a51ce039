/**
 * Verifies the server's permit, a compact JWS (RFC 7515). Over HTTP, the server signs the permit with EdDSA and Ed25519 (RFC 8037). This
 * host verifies that signature with the server's public key from the enrolment. Over a persistent connection, the server signs the permit
 * by HS256 (RFC 7518) with the key of the connection. When the two sides agreed on that key, the server signed the agreement with its
 * Ed25519 key.
 */
import { createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { ConfinementLevel } from '../core/confinement/confinement.ts';
import { isConfinement, isUnconfined } from '../core/confinement/confinement-shape.ts';
import { type Failure, failure, nothingRan, seesHealth } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { PermitPayload } from '../core/wire/permit.ts';
import { hs256 } from '../platform/connection-key.ts';

/** What the permit must contain. A permit with other contents is refused. */
export interface Expectation {
  /** Raw Ed25519 key, base64url. */
  readonly serverPublicKey: string;
  readonly subjectId: string;
  readonly fingerprint: string;
  readonly nonce: string;
  /** SHA-256 (hex) of the host facts that were sent with the request; null if no host facts were sent. */
  readonly findingsDigest: string | null;
  /**
   * The key of the persistent connection over which the permit came; null: the permit came over HTTP. Only this property decides which
   * algorithm is accepted. The permit's own header cannot choose the algorithm.
   */
  readonly connectionKey: Buffer | null;
  /** The confinement level that the sent host facts contain; null if no host facts were sent. */
  readonly confinementLevel: ConfinementLevel | null;
  /** True: this host redeemed one grant by the grant's id, and this grant has a scope for commands. Absent: false. */
  readonly isByScope?: boolean;
}

/**
 * Returns the payload if signature, requester, fingerprint, nonce, host facts and confinement are as expected; else fails with `protocol`
 * (76). Checks only the form of `grantId` (a text), `term` (an object) and `coveredBy`. Does not check `scope`, `part`, `seals`,
 * `approversSequence` and `issuedAtMs`.
 */
export function verifyPermit(jws: unknown, expected: Expectation): Result<PermitPayload, Failure> {
  if (typeof jws !== 'string') return failed(permitFailure('missing'));
  const [header, body, signature, ...more] = jws.split('.');
  if (header === undefined || body === undefined || signature === undefined || more.length > 0)
    return failed(permitFailure('malformed'));
  const algorithm = expected.connectionKey === null ? 'EdDSA' : 'HS256';
  if (parseObject(header)?.['alg'] !== algorithm) return failed(permitFailure('algorithm', algorithm));
  if (!isSigned(`${header}.${body}`, signature, expected)) return failed(permitFailure('signature'));
  const payload = parseObject(body) as Partial<PermitPayload> | null;
  if (
    payload === null ||
    payload.typ !== 'ape-permit/1' ||
    typeof payload.grantId !== 'string' ||
    typeof payload.term !== 'object' ||
    payload.term === null
  )
    return failed(permitFailure('shape'));
  if (payload.requesterId !== expected.subjectId) return failed(permitFailure('requester'));
  if (payload.fingerprint !== expected.fingerprint) return failed(permitFailure('command'));
  if (payload.nonce !== expected.nonce) return failed(permitFailure('nonce'));
  if ((payload.findingsDigest ?? null) !== expected.findingsDigest) return failed(permitFailure('host-facts'));
  if (!isCoverage(payload.coveredBy)) return failed(permitFailure('shape'));
  const fault = confinementFault(payload, expected);
  return fault === null ? success(payload as PermitPayload) : failed(fault);
}

/**
 * Returns what is wrong with the confinement, or null. If a scope for commands covers the request (`coveredBy` or `isByScope`), the
 * permit must have the level that this host reaches. So the server can neither leave out nor lower the confinement. For a host that reaches
 * level 0, there are two cases: with `coveredBy`, the permit must contain a confinement of level 0; with only `isByScope`, the permit must
 * contain no confinement. If no scope for commands covers the request, only the form of the confinement is checked.
 */
function confinementFault(
  { confinement, coveredBy }: Partial<PermitPayload>,
  { confinementLevel: level, isByScope = false }: Pick<Expectation, 'confinementLevel' | 'isByScope'>,
): Failure | null {
  if (confinement === undefined)
    return coveredBy === undefined && !(isByScope && level !== 0) ? null : permitFailure('unconfined');
  if (!isUnconfined(confinement) && !isConfinement(confinement)) return permitFailure('confinement-shape');
  if (coveredBy === undefined && confinement.level === 0) return permitFailure('shape');
  if (coveredBy === undefined && !isByScope) return null;
  return confinement.level === level
    ? null
    : permitFailure('confinement-level', String(confinement.level), String(level));
}

const isCoverage = (coveredBy: unknown): boolean =>
  coveredBy === undefined ||
  (Array.isArray(coveredBy) &&
    coveredBy.length > 0 &&
    coveredBy.every((entry: unknown) => {
      const { grantId, title } = (entry ?? {}) as { grantId?: unknown; title?: unknown };
      return typeof grantId === 'string' && typeof title === 'string';
    }));

let lastKey: { readonly text: string; readonly key: KeyObject } | null = null;

/** Caches the last imported key. A session uses one key for every line, and an import takes as long as a verification. */
function importKey(text: string): KeyObject {
  if (lastKey?.text !== text)
    lastKey = { text, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' }) };
  return lastKey.key;
}

function isSigned(text: string, signature: string, { connectionKey, serverPublicKey }: Expectation): boolean {
  const bytes = Buffer.from(signature, 'base64url');
  if (connectionKey !== null) {
    const right = hs256(connectionKey, text);
    return bytes.length === right.length && timingSafeEqual(bytes, right);
  }
  return isSignedBy(serverPublicKey, text, bytes);
}

/** @param publicKey raw Ed25519 public key, base64url; with any other text, the result is false */
export function isSignedBy(publicKey: string, text: string, signature: Buffer): boolean {
  try {
    return verify(null, Buffer.from(text), importKey(publicKey), signature);
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

/** The reasons for which a permit is refused. Each text follows `the grant server's answer is refused:`. */
const FAULTS = {
  missing: () => 'it has no permit',
  malformed: () => 'its permit is not a JWS',
  algorithm: (wanted: string) => `its permit is not signed with ${wanted}`,
  signature: () => 'its signature does not fit the key of this server',
  shape: () => 'its permit has an unknown shape',
  requester: () => 'its permit is for another requester',
  command: () => 'its permit is for another command',
  nonce: () => 'its permit is for another call',
  'host-facts': () => 'its permit was given for other host facts',
  unconfined: () => 'its permit does not say how the command is confined',
  'confinement-shape': () => 'its permit has a confinement of unknown shape',
  'confinement-level': (asked: string, reached: string) =>
    `its permit asks for confinement level ${asked}, but this host reaches ${reached}`,
} as const satisfies Readonly<Record<string, (...details: never[]) => string>>;

/** Makes the failure of a refused permit. The failure's `detail` is `permit.` and the name of the fault, such as `permit.signature`. */
function permitFailure<Fault extends keyof typeof FAULTS>(
  fault: Fault,
  ...details: Parameters<(typeof FAULTS)[Fault]>
): Failure {
  const why = (FAULTS[fault] as (...details: readonly string[]) => string)(...details);
  return nothingRan(
    seesHealth(failure('protocol', `the grant server's answer is refused: ${why}`, undefined, `permit.${fault}`)),
  );
}
