/**
 * The payload of a permit: a compact JWS (RFC 7515) with `alg` EdDSA (RFC 8037), signed by the server's key; over a
 * persistent connection with `alg` HS256 and the key of that connection.
 */
import { Type } from 'typebox';
import { HeldSchema } from './confinement.ts';
import { CoveredBySchema } from './covered-by.ts';
import { Fingerprint, Milliseconds, Nonce, type Shape } from './schema-parts.ts';
import { PartNumber, ReachSchema } from './scope.ts';
import { PermitSealSchema } from './sealed.ts';
import { TermSchema } from './term.ts';

export const PermitPayloadSchema = Type.Object({
  typ: Type.Literal('ape-permit/1'),
  grantId: Type.String(),
  requesterId: Type.String(),
  fingerprint: Fingerprint,
  nonce: Nonce,
  term: TermSchema,
  scope: Type.Optional(ReachSchema),
  part: Type.Optional(PartNumber),
  findingsDigest: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  coveredBy: Type.Optional(Type.Array(CoveredBySchema)),
  confinement: Type.Optional(HeldSchema),
  seals: Type.Optional(Type.Array(PermitSealSchema)),
  approversSequence: Type.Optional(Type.Integer()),
  issuedAtMs: Milliseconds,
});
/**
 * @property scope          present when the grant was given for another request: the scope (path prefix, tools or
 *                          origins) by which it covers this one
 * @property part           the part of the plan `grantId` that is exactly this request
 * @property findingsDigest SHA-256 (hex) of `canonicalHostFacts` of the host facts that were sent; absent: no host facts were sent
 * @property coveredBy      the standing grants, or the policy, that cover the request together; absent when `grantId` was given
 *                          for exactly this request
 * @property confinement    the confinement; always present with `coveredBy`, and of level 0 for "not confined"
 * @property seals          of every grant or policy that is used; present only if each of them is sealed
 * @property approversSequence the number of the newest list of approvers; present with `seals`
 * @property issuedAtMs     Unix ms, by the server's clock
 */
export type PermitPayload = Shape<typeof PermitPayloadSchema>;
