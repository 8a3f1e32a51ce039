/** The shapes of the HTTP API as schemas: they check what comes in, and the OpenAPI document is made of them. */
import { type Static, Type } from 'typebox';
import { MAX_OPERATIONS } from '../../core/file-operation.ts';
import type { Term } from '../../core/grant.ts';
import type {
  AskAnswer,
  AskBody,
  ErrorBody,
  ExplainAnswer,
  ExplainBody,
  GrantView,
  PreviewAnswer,
  ProposalsAnswer,
  RedeemAnswer,
  RedeemBody,
  ServerInfo,
  WhyAnswer,
} from '../../core/wire.ts';
import { AssessmentViewSchema, HostFactsSchema, ImpactSchema } from './line-schemas.ts';
import { nullable, type Same } from './schema-parts.ts';
import {
  CommandScopeSchema,
  ConfinementSchema,
  FileScopeSchema,
  FileVerbSchema,
  GrantScopeSchema,
  HeldSchema,
  type PreviewAnswerSchema,
  ProposalViewSchema,
  UseViewSchema,
} from './scope-schemas.ts';

const closed = { additionalProperties: false };

const Milliseconds = Type.Integer({
  minimum: 0,
  maximum: 8_640_000_000_000_000,
  description: 'Unix time in milliseconds',
});
const Base64Url = (bytes: number) => Type.String({ pattern: `^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$` });
/** Ids are letters, digits, `_` and `-`; one that could be none of ours is refused before the database sees it. */
const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
const NAME = '^[^\\u0000-\\u001f\\u007f]{1,255}$';

const TermSchema = Type.Union([
  Type.Object({ kind: Type.Literal('once') }, closed),
  Type.Object({ kind: Type.Literal('timed'), untilMs: Milliseconds }, closed),
  Type.Object({ kind: Type.Literal('always') }, closed),
]);

const GivenTerm = Type.Union([
  Type.Object({ kind: Type.Literal('once') }, closed),
  Type.Object({ kind: Type.Literal('timed'), untilMs: Milliseconds }, closed),
  Type.Object({ kind: Type.Literal('timed'), forMs: Type.Integer({ minimum: 1, maximum: 315_360_000_000 }) }, closed),
  Type.Object({ kind: Type.Literal('always') }, closed),
]);

const Kind = Type.Union([
  Type.Literal('command'),
  Type.Literal('stdin'),
  Type.Literal('script'),
  Type.Literal('argv'),
  Type.Literal('line'),
  Type.Literal('file'),
]);

const Path = Type.String({ minLength: 1, maxLength: 8192 });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hexadecimal digits' });

const FileOperationSchema = Type.Object(
  {
    verb: FileVerbSchema,
    path: Type.String({ ...Path, pattern: '^/', description: 'Absolute; every symbolic link followed' }),
    askedPath: Type.String({ ...Path, description: 'As the tool got it' }),
    digest: nullable(Sha256),
    resultDigest: nullable(Sha256),
    bytes: nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    danger: nullable(
      Type.String({ pattern: '^[a-z-]{1,40}$', description: 'A dangerous place only the host can know' }),
    ),
  },
  closed,
);

const RequestSchema = Type.Object(
  {
    kind: Kind,
    text: Type.String(),
    argv: Type.Array(Type.String()),
    cwd: Type.String({ pattern: '^/', description: 'Absolute path' }),
    place: Type.Optional(
      Type.String({ maxLength: 100, description: 'Which directory that was, in the words of the host' }),
    ),
    host: Type.String(),
    user: Type.String(),
    environment: Type.Array(
      Type.Object(
        { name: Type.String({ minLength: 1 }), value: Type.String(), digest: Type.Optional(Type.Literal(true)) },
        closed,
      ),
      { description: 'Sorted by name in code unit order; no name twice' },
    ),
    files: Type.Optional(
      Type.Array(FileOperationSchema, {
        minItems: 1,
        maxItems: MAX_OPERATIONS,
        description: 'Of kind `file`, and of no other',
      }),
    ),
  },
  closed,
);

const Nonce = Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' });
const Fingerprint = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Reason = Type.String({ maxLength: 2000 });

export const AskBodySchema = Type.Object(
  {
    request: RequestSchema,
    nonce: Nonce,
    reason: Type.Optional(Reason),
    proposedTerm: Type.Optional(TermSchema),
    findings: Type.Optional(nullable(HostFactsSchema)),
    touches: Type.Optional(nullable(ImpactSchema)),
  },
  closed,
);

export const ExplainBodySchema = Type.Object({ request: RequestSchema, findings: nullable(HostFactsSchema) }, closed);

export const ExplainAnswerSchema = Type.Union([
  Type.Object({ outcome: Type.Literal('forbidden'), ruleId: Type.String(), reason: Type.String() }),
  Type.Object({
    outcome: Type.Literal('covered'),
    isExact: Type.Boolean(),
    coveredBy: Type.Array(Type.Object({ grantId: Type.String(), title: Type.String() })),
    held: nullable(HeldSchema),
  }),
  Type.Object({
    outcome: Type.Literal('uncovered'),
    misses: Type.Array(Type.String()),
    proposals: Type.Array(Type.String()),
  }),
]);

const State = Type.Union([
  Type.Literal('pending'),
  Type.Literal('approved'),
  Type.Literal('denied'),
  Type.Literal('withdrawn'),
  Type.Literal('used'),
  Type.Literal('revoked'),
  Type.Literal('expired'),
]);

export const GrantViewSchema = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  state: State,
  requesterId: Type.String(),
  requesterName: Type.String(),
  request: RequestSchema,
  fingerprint: Fingerprint,
  reason: nullable(Type.String()),
  proposedTerm: TermSchema,
  term: nullable(TermSchema),
  scope: nullable(GrantScopeSchema),
  confinement: nullable(ConfinementSchema),
  touches: nullable(ImpactSchema),
  createdAtMs: Milliseconds,
  expiresAtMs: Milliseconds,
  decidedAtMs: nullable(Milliseconds),
  decidedBy: nullable(Type.String()),
  denyReason: nullable(Type.String()),
  usedAtMs: nullable(Milliseconds),
  uses: Type.Integer(),
  revokedAtMs: nullable(Milliseconds),
  url: Type.String(),
});

export const AskAnswerSchemas = {
  200: Type.Union([
    Type.Object({ outcome: Type.Literal('permitted'), permit: Type.String() }),
    Type.Object({ outcome: Type.Literal('wants-findings') }),
  ]),
  202: Type.Object({ outcome: Type.Literal('pending'), filed: Type.Boolean(), grant: GrantViewSchema }),
};

const ErrorCodeSchema = Type.Union([
  Type.Literal('request.malformed'),
  Type.Literal('auth.missing'),
  Type.Literal('auth.expired'),
  Type.Literal('auth.unknown'),
  Type.Literal('auth.forbidden'),
  Type.Literal('csrf.failed'),
  Type.Literal('grant.not_found'),
  Type.Literal('grant.not_yours'),
  Type.Literal('grant.pending'),
  Type.Literal('grant.denied'),
  Type.Literal('grant.withdrawn'),
  Type.Literal('grant.used'),
  Type.Literal('grant.revoked'),
  Type.Literal('grant.expired'),
  Type.Literal('grant.already_approved'),
  Type.Literal('grant.stale'),
  Type.Literal('grant.fingerprint_mismatch'),
  Type.Literal('term.over'),
  Type.Literal('scope.unfit'),
  Type.Literal('scope.forbidden'),
  Type.Literal('scope.not_covering'),
  Type.Literal('policy.denied'),
  Type.Literal('policy.not_found'),
  Type.Literal('policy.ended'),
  Type.Literal('policy.unfit'),
  Type.Literal('requester.not_found'),
  Type.Literal('enrolment.not_found'),
  Type.Literal('enrolment.decided'),
  Type.Literal('server.busy'),
  Type.Literal('server.failed'),
  Type.Literal('MESSAGE_REQUIRED'),
  Type.Literal('MESSAGE_TOO_LONG'),
  Type.Literal('MESSAGE_IS_COMMAND'),
  Type.Literal('MESSAGE_NOT_TAKEN'),
  Type.Literal('SESSION_AWAITING_DECISION'),
  Type.Literal('SESSION_BUSY'),
  Type.Literal('SESSION_DRAFT_PRESENT'),
  Type.Literal('SESSION_NOT_FOUND'),
  Type.Literal('SESSION_STATE_UNKNOWN'),
  Type.Literal('SESSION_TERMINATED'),
  Type.Literal('SESSION_UNREACHABLE'),
]);

export const ErrorSchema = Type.Object({
  error: Type.Object({ code: ErrorCodeSchema, message: Type.String(), grant: Type.Optional(GrantViewSchema) }),
});

export const RedeemBodySchema = Type.Object({ fingerprint: Fingerprint, nonce: Nonce }, closed);
export const RedeemAnswerSchema = Type.Object({ permit: Type.String() });
export const ApproveBodySchema = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    term: GivenTerm,
    scope: Type.Optional(Type.Union([FileScopeSchema, CommandScopeSchema])),
    confined: Type.Optional(Type.Boolean({ description: 'Hold exactly this to what its reading says it does' })),
  },
  closed,
);
export const DenyBodySchema = Type.Object(
  { version: Type.Integer({ minimum: 1 }), reason: Type.Optional(Reason) },
  closed,
);
export const RevokeBodySchema = Type.Object({ version: Type.Integer({ minimum: 1 }) }, closed);

export const ChallengeBodySchema = Type.Object({ subjectId: Id }, closed);
export const ChallengeAnswerSchema = Type.Object({ challenge: Type.String(), expiresAtMs: Milliseconds });
export const TokenBodySchema = Type.Object(
  { subjectId: Id, challenge: Base64Url(32), signature: Base64Url(64) },
  closed,
);
export const TokenAnswerSchema = Type.Object({ token: Type.String(), expiresAtMs: Milliseconds });

export const EnrolBodySchema = Type.Object(
  {
    name: Type.String({ pattern: NAME }),
    host: Type.String({ pattern: NAME }),
    user: Type.String({ pattern: NAME }),
    publicKey: Base64Url(32),
    role: Type.Literal('requester'),
  },
  closed,
);
export const EnrolAnswerSchema = Type.Object({
  enrolmentId: Type.String(),
  url: Type.String(),
  code: Type.String(),
  expiresAtMs: Milliseconds,
});
export const EnrolmentStateSchema = Type.Object({
  state: Type.Union([
    Type.Literal('pending'),
    Type.Literal('approved'),
    Type.Literal('denied'),
    Type.Literal('expired'),
  ]),
  requesterId: Type.Optional(Type.String()),
  serverPublicKey: Type.String(),
});
export const EnrolmentViewSchema = Type.Object({
  id: Type.String(),
  state: EnrolmentStateSchema.properties.state,
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
  publicKey: Type.String(),
  code: Type.String(),
  createdAtMs: Milliseconds,
  expiresAtMs: Milliseconds,
});

export const WhoamiSchema = Type.Object({
  subjectId: Type.String(),
  role: Type.Union([Type.Literal('requester'), Type.Literal('approver')]),
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
});

export const RequesterSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
  revokedAtMs: nullable(Milliseconds),
});

export const ReportBodySchema = Type.Object(
  {
    event: Type.Union([
      Type.Literal('line.finished'),
      Type.Literal('line.refused'),
      Type.Literal('session.opened'),
      Type.Literal('session.closed'),
    ]),
    sessionId: Type.String({ maxLength: 128 }),
    grantId: Type.Optional(Id),
    status: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    text: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  closed,
);

const Digits = (description: string) => Type.String({ pattern: '^[0-9]{1,16}$', description });
export const ListQuerySchema = Type.Object(
  {
    state: Type.Optional(State),
    limit: Type.Optional(Digits('1 to 200; 50 unless told')),
    before: Type.Optional(Digits('only grants created before this Unix time in milliseconds')),
    id: Type.Optional(Type.String({ pattern: '^g_[a-z2-7]{1,26}$', description: 'only grants whose id begins so' })),
  },
  closed,
);
export const EventsQuerySchema = Type.Object({ after: Type.Optional(Digits('the number of an audit event')) }, closed);
export const AuditQuerySchema = Type.Object(
  {
    after: Type.Optional(Digits('only events with a higher number; 0 unless told')),
    limit: Type.Optional(Digits('1 to 1000; 200 unless told')),
  },
  closed,
);
export const AuditEventSchema = Type.Object({
  seq: Type.Integer(),
  atMs: Milliseconds,
  kind: Type.String(),
  actorId: nullable(Type.String()),
  grantId: nullable(Type.String()),
  enrolmentId: nullable(Type.String()),
  facts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  prevHash: nullable(Type.String()),
  hash: nullable(Type.String()),
});

export const ProposalsAnswerSchema = Type.Object({
  assessment: nullable(AssessmentViewSchema),
  proposals: Type.Array(ProposalViewSchema),
});
export const WhyAnswerSchema = Type.Object({
  grant: GrantViewSchema,
  decidedBy: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  assessment: nullable(AssessmentViewSchema),
  proposals: Type.Array(Type.String()),
  coverable: Type.Object({ isCoverable: Type.Boolean(), advice: Type.Array(Type.String()) }),
  uses: Type.Array(UseViewSchema),
});

export const IdParams = Type.Object({ id: Id });
export const ServerInfoSchema = Type.Object({
  product: Type.Literal('ape-shell'),
  version: Type.String(),
  publicKey: Type.String(),
  timeMs: Milliseconds,
});

export type ApproveBody = Static<typeof ApproveBodySchema>;
export type DenyBody = Static<typeof DenyBodySchema>;
export type EnrolBody = Static<typeof EnrolBodySchema>;
export type ReportBody = Static<typeof ReportBodySchema>;
export type TokenBody = Static<typeof TokenBodySchema>;

/** Compiles only while the schemas and the types in `core/wire.ts` say the same, both ways. */
void [
  true satisfies Same<Static<typeof TermSchema>, Term>,
  true satisfies Same<Static<typeof AskBodySchema>, AskBody>,
  true satisfies Same<Static<(typeof AskAnswerSchemas)[200]> | Static<(typeof AskAnswerSchemas)[202]>, AskAnswer>,
  true satisfies Same<Static<typeof GrantViewSchema>, GrantView>,
  true satisfies Same<Static<typeof RedeemBodySchema>, RedeemBody>,
  true satisfies Same<Static<typeof RedeemAnswerSchema>, RedeemAnswer>,
  true satisfies Same<Static<typeof ProposalsAnswerSchema>, ProposalsAnswer>,
  true satisfies Same<Static<typeof PreviewAnswerSchema>, PreviewAnswer>,
  true satisfies Same<Static<typeof WhyAnswerSchema>, WhyAnswer>,
  true satisfies Same<Static<typeof ExplainBodySchema>, ExplainBody>,
  true satisfies Same<Static<typeof ExplainAnswerSchema>, ExplainAnswer>,
  true satisfies Same<Static<typeof ErrorSchema>, ErrorBody>,
  true satisfies Same<Static<typeof ServerInfoSchema>, ServerInfo>,
];
