/**
 * Sealed decisions: what an approver's device signs, and the signature. The signed text is made by `core/sealed/sealed-text.ts`;
 * what is not named here is in no document, so every schema is closed.
 */
import { Type } from 'typebox';
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

const DecisionDocumentSchema = Type.Object(
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
 * An approval, whole. Nothing in it is relative: the term has an end, the scope has its conditions and its number of uses.
 * @property server      its public key: a document for one server says nothing at another
 * @property expiresAtMs when an approval of kind `once` that was not used ends; null for other terms
 * @property confinement what the kernel holds an approval of exactly this to; null: nothing was demanded, or the scope says it
 * @property approversSequence of the approver list that the server had: a host with an older one fetches it first
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
/** A policy that lets something run. Policies that forbid need no seal: leaving one away is withholding nothing. */
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
 * @property keyId     of an Ed25519 key `keyIdOf` it; of a passkey its credential id
 * @property publicKey raw Ed25519 (base64url), or a JWK
 * @property origins   the pages on which this passkey signs
 * @property person    whose it is; absent: the owner's, so that two keys without a name are never two people
 */
export type Approver = Shape<typeof ApproverSchema>;

const ApproversDocumentSchema = Type.Object(
  {
    typ: literals('ape-approvers/1', 'ape-approvers/2'),
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
 * Everybody who may seal, from now on. Signed by an approver of the list before; the first by one of its own.
 * @property previous SHA-256 (hex) of the signed text of the list before; null begins a chain
 * @property people   what each may approve, and how many it takes: in every `ape-approvers/2`, and in no other. A program that
 *                    does not know the rules does not know that shape, and takes no approval by it
 */
export type ApproversDocument = Shape<typeof ApproversDocumentSchema>;

const SealSchema = Type.Union([
  Type.Object({ kind: Type.Literal('ed25519'), keyId: KeyId, signature: base64Url(64) }, closed),
  Type.Object(
    {
      kind: Type.Literal('passkey'),
      keyId: KeyId,
      authenticatorData: Bytes,
      clientDataJSON: Bytes,
      signature: Bytes,
    },
    closed,
  ),
]);
/** The signature of one approver's device; of a passkey the assertion (WebAuthn) whose challenge is the document's digest. */
export type Seal = Shape<typeof SealSchema>;

/** `by` is the approver's name on the list of that time, for people; a host says the name on its own list. */
const By = Type.Optional(Name);
const MAX_OTHERS = 8;
const OtherSealSchema = Type.Object({ document: DecisionDocumentSchema, seal: SealSchema, by: By }, closed);
/** `also`: of the other people, where an approval takes more than one. Each signed a document of their own. */
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
 * In a permit, for each grant or policy that is used. `asked`: what the grant was given for, where it covers another call.
 * `also`: of the other people who approved the same.
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

/** Which keys of the caller may sign it now. */
const Keys = Type.Array(Type.Object({ keyId: Type.String(), kind: Type.String(), name: Type.String() }));

/** `POST /v1/grants/:id/approval-document`. `passkey`: what a page asks the authenticator for, where a passkey may sign it. */
export const DecisionToSealSchema = Type.Object({
  document: DecisionDocumentSchema,
  keys: Keys,
  passkey: Type.Optional(PasskeyRequestSchema),
});
export type DecisionToSeal = Shape<typeof DecisionToSealSchema>;
/** `POST /v1/passkeys/:id/list-without` */
export const ListToSealSchema = Type.Object({ document: ApproversDocumentSchema, passkey: PasskeyRequestSchema });
export type ListToSeal = Shape<typeof ListToSealSchema>;
/** `POST /v1/policies/document` */
export const PolicyToSealSchema = Type.Object({ document: PolicyDocumentSchema, keys: Keys });
export type PolicyToSeal = Shape<typeof PolicyToSealSchema>;

/** `GET /v1/approver-lists`: the lists after one, in order. */
export const ApproverListsQuerySchema = Type.Object(
  { after: Type.Optional(digits('only lists with a higher sequence; 0 unless told')) },
  closed,
);
export const ApproverListsSchema = Type.Object({ lists: Type.Array(SealedApproversSchema) });
