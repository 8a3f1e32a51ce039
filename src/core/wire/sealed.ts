/**
 * Sealed decisions: the documents that an approver's device signs, and the signatures. `core/sealed/sealed-text.ts` makes the
 * signed text. Documents and seals have only the members in these schemas.
 */
import { Type } from 'typebox';
import { MAX_IN_BATCH, MIN_IN_BATCH } from '../sealed/batch-limits.ts';
import { ConfinementSchema } from './confinement.ts';
import { ExecutionRequestSchema } from './execution-request.ts';
import { PasskeyRequestSchema } from './passkeys.ts';
import { PeopleRulesSchema } from './people.ts';
import {
  base64Url,
  closed,
  digits,
  Fingerprint,
  Id,
  literals,
  Milliseconds,
  nullable,
  type Shape,
} from './schema-parts.ts';
import { CommandScopeSchema, GrantScopeSchema } from './scope.ts';
import { TermSchema } from './term.ts';

const PublicKey = base64Url(32);
const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: 8192 });
const KeyId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,1366}$' });
const Sequence = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const DecisionDocumentSchema = Type.Object(
  {
    typ: Type.Literal('ape-decision/1'),
    server: PublicKey,
    grantId: Id,
    requesterId: Id,
    fingerprint: Fingerprint,
    host: Type.String(),
    decision: Type.Literal('approve'),
    term: TermSchema,
    expiresAtMs: nullable(Milliseconds),
    scope: nullable(GrantScopeSchema),
    confinement: nullable(ConfinementSchema),
    decidedAtMs: Milliseconds,
    approversSequence: Sequence,
  },
  closed,
);
/**
 * A complete approval. The document itself names every limit: the end of a `timed` term, the scope's conditions, and the number of uses.
 * @property server      the server's public key: a document for one server does not count at another server
 * @property expiresAtMs the time at which an unused approval for `once` ends; null for other terms
 * @property scope       what the approval covers beyond the request itself; null: only the request
 * @property confinement the confinement that the approver chose for exactly this request; null: the approver chose no confinement, or the
 *                       scope decides the confinement
 * @property approversSequence the number of the server's newest list of approvers at `decidedAtMs`. A host with an older list first fetches
 *                       the later lists
 */
export type DecisionDocument = Shape<typeof DecisionDocumentSchema>;

const PolicyDocumentSchema = Type.Object(
  {
    typ: Type.Literal('ape-policy/1'),
    server: PublicKey,
    policyId: Id,
    requesterId: Id,
    host: Type.String(),
    effect: Type.Literal('allow-reading'),
    rule: CommandScopeSchema,
    decidedAtMs: Milliseconds,
    approversSequence: Sequence,
  },
  closed,
);
/** A policy that allows reading. Policies that forbid are not sealed. `server` and `approversSequence` are as in `DecisionDocument`. */
export type PolicyDocument = Shape<typeof PolicyDocumentSchema>;

const Name = Type.String({ minLength: 1, maxLength: 200 });

const ApproverSchema = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('ed25519'),
      keyId: KeyId,
      name: Name,
      publicKey: PublicKey,
      person: Type.Optional(Id),
      breakGlass: Type.Optional(Type.Literal(true)),
      expiresAtMs: Type.Optional(Milliseconds),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('passkey'),
      keyId: KeyId,
      name: Name,
      publicKey: Type.Record(Type.String({ maxLength: 20 }), Type.String({ maxLength: 2048 })),
      rpId: Type.String({ minLength: 1, maxLength: 253 }),
      origins: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 10 }),
      person: Type.Optional(Id),
    },
    closed,
  ),
]);
/**
 * @property keyId     of an Ed25519 key: the result of `keyIdOf`; of a passkey: its credential id
 * @property publicKey of an Ed25519 key: the raw key (base64url); of a passkey: a JWK
 * @property origins   the origins of the pages on which this passkey may sign
 * @property person    the id of the person to whom the key belongs; absent: the owner
 * @property breakGlass present if this is a break-glass key. The key belongs to no person. The key may seal only an approval that ends
 *                     at most 15 minutes after the decision and that has no other seal
 * @property expiresAtMs hosts accept no seal of this break-glass key from this time on; absent for other keys
 */
export type Approver = Shape<typeof ApproverSchema>;

const ApproversDocumentSchema = Type.Object(
  {
    typ: literals('ape-approvers/1', 'ape-approvers/2', 'ape-approvers/3'),
    server: PublicKey,
    sequence: Sequence,
    previous: nullable(Fingerprint),
    approvers: Type.Array(ApproverSchema, { minItems: 1, maxItems: 100 }),
    people: Type.Optional(PeopleRulesSchema),
    decidedAtMs: Milliseconds,
  },
  closed,
);
/**
 * A list of approvers. An approver on the previous list signs the list. The first list of a chain has no previous list: an approver on
 * this first list signs it.
 *
 * Exactly the lists with a break-glass key have the type `ape-approvers/3`. An older program does not know this type. It refuses the
 * list, and each permit that needs the list.
 * @property previous SHA-256 (hex) of the signed text of the previous list; null: this is the first list of a chain
 * @property people   the rules for people; absent only in lists of type `ape-approvers/1`
 */
export type ApproversDocument = Shape<typeof ApproversDocumentSchema>;

const BatchSchema = Type.Array(Fingerprint, {
  minItems: MIN_IN_BATCH,
  maxItems: MAX_IN_BATCH,
  uniqueItems: true,
  description: 'The digests of all decisions that this signature seals',
});

/** The document that a device signs for a batch: the digests of the decisions that are sealed together. */
export interface BatchDocument {
  readonly typ: 'ape-batch/1';
  readonly digests: readonly string[];
}

export const PasskeySealSchema = Type.Object(
  {
    kind: Type.Literal('passkey'),
    keyId: KeyId,
    authenticatorData: Bytes,
    clientDataJSON: Bytes,
    signature: Bytes,
    batch: Type.Optional(BatchSchema),
  },
  closed,
);
const SealSchema = Type.Union([
  Type.Object({ kind: Type.Literal('ed25519'), keyId: KeyId, signature: base64Url(64) }, closed),
  PasskeySealSchema,
]);
/**
 * The signature of an approver's device. The seal of a passkey is an assertion (WebAuthn).
 * @property batch the digests (SHA-256, hex, of the signed texts) of the decisions that were sealed together. The challenge is then the
 *                 digest of the `BatchDocument`. If `batch` is absent, the challenge is the digest of the sealed document
 */
export type Seal = Shape<typeof SealSchema>;

/** The approver's name on the server's list at the time of the decision. A host shows the name on the host's own list instead. */
const By = Type.Optional(Name);
const MAX_OTHERS = 8;
const OtherSealSchema = Type.Object({ document: DecisionDocumentSchema, seal: SealSchema, by: By }, closed);
/** `also`: documents and seals of other approvers, in the order of the approvals; absent or empty if there are no others. */
export const SealedDecisionSchema = Type.Object(
  {
    document: DecisionDocumentSchema,
    seal: SealSchema,
    by: By,
    also: Type.Optional(Type.Array(OtherSealSchema, { maxItems: MAX_OTHERS })),
  },
  closed,
);
export type SealedDecision = Shape<typeof SealedDecisionSchema>;
export const SealedPolicySchema = Type.Object({ document: PolicyDocumentSchema, seal: SealSchema, by: By }, closed);
export type SealedPolicy = Shape<typeof SealedPolicySchema>;
export const SealedApproversSchema = Type.Object({ document: ApproversDocumentSchema, seal: SealSchema }, closed);
export type SealedApprovers = Shape<typeof SealedApproversSchema>;

/**
 * A seal in a permit. The permit has one seal for each grant or policy that the permit uses.
 * @property also  the documents and seals of the other people who approved the grant
 * @property asked the request for which the grant was given; absent: the permit is for the same request
 */
export const PermitSealSchema = Type.Object({
  document: Type.Union([DecisionDocumentSchema, PolicyDocumentSchema]),
  seal: SealSchema,
  also: Type.Optional(
    Type.Array(Type.Object({ document: DecisionDocumentSchema, seal: SealSchema }), { maxItems: MAX_OTHERS }),
  ),
  asked: Type.Optional(ExecutionRequestSchema),
});
export type PermitSeal = Shape<typeof PermitSealSchema>;

/** The keys with which the calling approver may sign the document now. */
const Keys = Type.Array(Type.Object({ keyId: Type.String(), kind: Type.String(), name: Type.String() }));

/**
 * `POST /v1/grants/:id/approval-document`.
 * @property passkey the arguments for the authenticator; absent: no passkey of the approver can sign on a page of this server
 * @property needed  present if the host of the request accepts only sealed approvals
 */
export const DecisionToSealSchema = Type.Object({
  document: DecisionDocumentSchema,
  keys: Keys,
  passkey: Type.Optional(PasskeyRequestSchema),
  needed: Type.Optional(Type.Literal(true)),
});
export type DecisionToSeal = Shape<typeof DecisionToSealSchema>;
/**
 * `POST /v1/approvals/document`. Approvals that are not possible now are left out.
 * @property batch   the digests of `documents`, in the same order
 * @property passkey the arguments with which the authenticator signs all the documents at once
 */
export const BatchToSealSchema = Type.Object({
  documents: Type.Array(DecisionDocumentSchema),
  batch: BatchSchema,
  passkey: PasskeyRequestSchema,
});
export type BatchToSeal = Shape<typeof BatchToSealSchema>;
/**
 * `POST /v1/approver-lists/next`: what the next list changes. Each call makes only one change. So signers know what they sign.
 * - `without`:     removes the caller's passkey with this id
 * - `withoutCode`: removes the break-glass key with this `keyId`
 * - `add`:         adds the passkey with this id, of any approver
 * - `people`:      replaces the rules for people, and the person of each key, by those of this server
 */
export const ListWishSchema = Type.Union([
  Type.Object({ without: Id }, closed),
  Type.Object({ withoutCode: KeyId }, closed),
  Type.Object({ add: Id }, closed),
  Type.Object({ people: Type.Literal(true) }, closed),
]);
export type ListWish = Shape<typeof ListWishSchema>;
/** What a page shows of the newest list of approvers. */
export interface ListView {
  readonly sequence: number;
  readonly keys: readonly (Pick<Approver, 'name' | 'kind'> & { readonly isBreakGlass: boolean })[];
  /** The approvers' passkeys that can sign on this page but are not on the list. `person` is the name of the passkey's owner. */
  readonly absent: readonly { readonly id: string; readonly name: string; readonly person: string }[];
  /**
   * Whether the list and this server have the same rules for people, and the same person for each key. Also true if the server cannot read
   * its own rules.
   */
  readonly hasRules: boolean;
  /** Whether a passkey of the person who sees the page can sign the next list. */
  readonly maySign: boolean;
}
export const ListToSealSchema = Type.Object({ document: ApproversDocumentSchema, passkey: PasskeyRequestSchema });
export type ListToSeal = Shape<typeof ListToSealSchema>;
/** `POST /v1/policies/document`. `passkey`: as in `DecisionToSealSchema`. */
export const PolicyToSealSchema = Type.Object({
  document: PolicyDocumentSchema,
  keys: Keys,
  passkey: Type.Optional(PasskeyRequestSchema),
});
export type PolicyToSeal = Shape<typeof PolicyToSealSchema>;

/** `GET /v1/approver-lists`: the lists after the list with the number `after`, the oldest first. One answer has at most 50 lists. */
export const ApproverListsQuerySchema = Type.Object(
  { after: Type.Optional(digits('only lists with a higher sequence; default 0')) },
  closed,
);
export const ApproverListsSchema = Type.Object({
  lists: Type.Array(SealedApproversSchema),
  revoked: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The ids of the keys on the newest list that this server does not accept any more (revoked or blocked); an older server does not say',
    }),
  ),
});
