/**
 * Sealed decisions: the documents that an approver's device signs, and the signatures. `core/sealed/sealed-text.ts` makes the
 * signed text. The schemas of documents and of seals are closed: a document has only the members that are named here.
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
 * A complete approval. Nothing in it is relative: a `timed` term has its end, the scope has its conditions and its number of uses.
 * @property server      the server's public key: a document for one server does not count at another server
 * @property expiresAtMs the end of an unused approval for `once`; null for other terms
 * @property confinement the confinement of an approval of exact bytes; null: the approver chose no confinement, or the scope decides it
 * @property approversSequence the number of the server's newest list of approvers: a host with an older list first fetches this list
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
/** A policy that allows reading. Policies that forbid are not sealed. */
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
 * @property person    the id of the person to whom the key belongs; absent: the owner. So keys without this member count as one person
 * @property breakGlass present if this is a break-glass key, which belongs to no person: it seals only single approvals that end within
 *                     15 minutes, without another seal
 * @property expiresAtMs the end of a break-glass key, which always has an end: from then on hosts accept nothing that the key has sealed
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
 * The list of approvers. An approver on the previous list signs it. An approver on the list itself signs the first list of a chain.
 *
 * Every list with a break-glass key has the type `ape-approvers/3`, and no other list has this type. A program that does not know
 * the type of a list refuses the list, and every approval by an approver on it.
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

/** The document that the signature of a batch signs. It is no decision: it only lists the decisions that were sealed together. */
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
 * The signature of an approver's device. The seal of a passkey is an assertion (WebAuthn), whose challenge is the digest of the document.
 * `batch`: the digests (SHA-256, hex, of the signed texts) of the decisions that were sealed together; then the challenge is the digest
 * of the batch's document.
 */
export type Seal = Shape<typeof SealSchema>;

/** The name that the approver had on the list at the time of the decision, for people. A host shows the name on its own list instead. */
const By = Type.Optional(Name);
const MAX_OTHERS = 8;
const OtherSealSchema = Type.Object({ document: DecisionDocumentSchema, seal: SealSchema, by: By }, closed);
/** `also`: the documents and seals of the other approvers, if more than one person had to approve. */
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
 * A seal in a permit; the permit has one for each grant or policy that is used. `asked`: the request for which the grant was given, if
 * it is not the request of the permit. `also`: the documents and seals of the other people who approved the grant.
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

/** The keys of the caller that may sign the document now. */
const Keys = Type.Array(Type.Object({ keyId: Type.String(), kind: Type.String(), name: Type.String() }));

/**
 * `POST /v1/grants/:id/approval-document`. `passkey`: the arguments for the authenticator, if a passkey may sign. `needed`: present if
 * the host of the request takes sealed approvals only.
 */
export const DecisionToSealSchema = Type.Object({
  document: DecisionDocumentSchema,
  keys: Keys,
  passkey: Type.Optional(PasskeyRequestSchema),
  needed: Type.Optional(Type.Literal(true)),
});
export type DecisionToSeal = Shape<typeof DecisionToSealSchema>;
/**
 * `POST /v1/approvals/document`: the documents of those approvals that are possible now, and what a passkey signs for all of them.
 */
export const BatchToSealSchema = Type.Object({
  documents: Type.Array(DecisionDocumentSchema),
  batch: BatchSchema,
  passkey: PasskeyRequestSchema,
});
export type BatchToSeal = Shape<typeof BatchToSealSchema>;
/**
 * `POST /v1/approver-lists/next`: what the next list changes. Each call makes one change, so that the signer knows what is signed.
 * - `without`:     removes a passkey of the caller
 * - `withoutCode`: removes a break-glass key
 * - `add`:         adds a passkey of any approver
 * - `people`:      takes over this server's rules for people, and the person of each key
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
  /** The passkeys of approvers that are missing on the list. `id` is the id of the passkey. */
  readonly absent: readonly { readonly id: string; readonly name: string; readonly person: string }[];
  /** Whether the list has the same rules for people as this server. */
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

/** `GET /v1/approver-lists`: the lists after the list `after`, in order. */
export const ApproverListsQuerySchema = Type.Object(
  { after: Type.Optional(digits('only lists with a higher sequence; default 0')) },
  closed,
);
export const ApproverListsSchema = Type.Object({ lists: Type.Array(SealedApproversSchema) });
