/**
 * The payload of a permit. A permit is a compact JWS (RFC 7515) with `alg` EdDSA (RFC 8037), signed with the server's key. A permit over
 * a persistent connection has `alg` HS256 instead, and is signed with the key of the connection.
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
 * @property grantId        the id of the used grant; with `coveredBy`: the id in the first entry of `coveredBy` (a grant or a policy)
 * @property nonce          the nonce of the call that the server answers with this permit
 * @property scope          the scope (path prefix, tools or origins) by which a grant for another request covers this request; absent: the
 *                          request is covered in another way
 * @property part           the number of a part of the plan `grantId`: this part is for exactly this request; absent: the request is
 *                          covered in another way
 * @property findingsDigest SHA-256 (hex) of `canonicalHostFacts` of the host facts that were sent; absent: no host facts were sent
 * @property coveredBy      the standing grants and policies that together cover the request by scopes for commands; absent: `grantId` alone
 *                          covers the request
 * @property confinement    the confinement of the request; always present with `coveredBy`, with level 0 for "not confined"
 * @property seals          the seals of all used grants and policies; present only if every used grant and policy is sealed
 * @property approversSequence the number of the newest list of approvers; present with `seals`
 * @property issuedAtMs     Unix ms, by the server's clock
 */
export type PermitPayload = Shape<typeof PermitPayloadSchema>;
