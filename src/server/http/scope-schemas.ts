/** Shapes of standing grants for commands, of policies, and of what is told about them. What a scope means is checked in core. */
import { type Static, Type } from 'typebox';
import type { Confinement, Unconfined } from '../../core/confinement/confinement.ts';
import type { FileScope, ScopeFault } from '../../core/file-scope.ts';
import type { CommandScope, DenyPattern, Proposal } from '../../core/scope/command-scope.ts';
import type {
  CoveredBy,
  PolicyBody,
  PolicyView,
  ProposalView,
  ReadingEvidence,
  UseView,
  WouldHaveCovered,
} from '../../core/wire.ts';
import { AccessSchema, ConfinementLevelSchema, ResourceKindSchema } from './line-schemas.ts';
import { literals, nullable, type Same } from './schema-parts.ts';

const closed = { additionalProperties: false };
const Word = Type.String({ minLength: 1, maxLength: 8192 });
const Moment = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });

export const FileVerbSchema = Type.Union([
  Type.Literal('read'),
  Type.Literal('search'),
  Type.Literal('write'),
  Type.Literal('edit'),
  Type.Literal('delete'),
]);

/** How far an approval of file operations reaches; only an approver sets it. */
export const FileScopeSchema = Type.Object(
  {
    operations: Type.Array(FileVerbSchema, { minItems: 1, maxItems: 5 }),
    pathPrefix: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'A resolved absolute directory; covers it and everything below it, by whole components',
    }),
  },
  closed,
);

const ResourcePatternSchema = Type.Object(
  {
    kind: ResourceKindSchema,
    access: Type.Array(AccessSchema, { minItems: 1, maxItems: 5 }),
    values: Type.Union([
      Type.Object({ match: Type.Literal('exact'), value: Type.String({ maxLength: 8192 }) }, closed),
      Type.Object({ match: Type.Literal('below'), value: Word }, closed),
      Type.Object({ match: Type.Literal('glob'), value: Word }, closed),
      Type.Object({ match: Type.Literal('any') }, closed),
    ]),
  },
  closed,
);

const CommandPatternSchema = Type.Object(
  {
    operations: Type.Union([
      Type.Array(Word, { minItems: 1, maxItems: 200 }),
      Type.Object({ reading: Type.Literal(true), tool: nullable(Word) }, closed),
    ]),
    options: Type.Union([Type.Literal('any'), Type.Array(Word, { maxItems: 200 })]),
    resources: Type.Array(ResourcePatternSchema, { maxItems: 200 }),
    highestRisk: literals('low', 'medium', 'high'),
    programs: Type.Object({ listed: Type.Array(Word, { maxItems: 200 }), rootOwned: Type.Boolean() }, closed),
  },
  closed,
);

const EnvironmentSchema = Type.Array(
  Type.Object({ name: Word, value: Type.String(), digest: Type.Optional(Type.Literal(true)) }, closed),
  { maxItems: 1000 },
);

const Paths = Type.Array(Type.String());

/** What the kernel lets a command do. */
export const ConfinementSchema = Type.Object({
  level: Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(3)]),
  read: Paths,
  write: Paths,
  execute: Paths,
  connect: Type.Union([Type.Literal('any'), Type.Array(Type.Integer())]),
  readOnly: Paths,
  absent: Type.Optional(Type.Array(Type.Object({ path: Type.String(), below: nullable(Type.String()) }))),
  tools: Paths,
});
export const HeldSchema = Type.Union([ConfinementSchema, Type.Object({ level: Type.Literal(0) })]);

/** How far an approval of a command reaches; only an approver sets it. */
export const CommandScopeSchema = Type.Object(
  {
    kind: Type.Literal('commands'),
    patterns: Type.Array(CommandPatternSchema, { minItems: 1, maxItems: 50 }),
    conditions: Type.Object(
      {
        host: Type.String(),
        user: Type.String(),
        cwdBelow: nullable(Word),
        hours: nullable(
          Type.Object(
            {
              from: Type.Integer(),
              to: Type.Integer(),
              days: Type.Array(Type.Integer(), { maxItems: 7 }),
              timeZone: Type.String({ maxLength: 64 }),
            },
            closed,
          ),
        ),
        environment: EnvironmentSchema,
        confinement: Type.Optional(ConfinementLevelSchema),
      },
      closed,
    ),
    mostUses: nullable(Type.Integer()),
  },
  closed,
);

export const GrantScopeSchema = Type.Union([FileScopeSchema, CommandScopeSchema]);

const ScopeFaultSchema = Type.Object({
  kind: literals('unfit', 'forbidden', 'not-covering'),
  message: Type.String(),
});

const CoveredBySchema = Type.Object({ grantId: Type.String(), title: Type.String() });

const WouldHaveCoveredSchema = Type.Object({
  count: Type.Integer(),
  of: Type.Integer(),
  samples: Type.Array(Type.String()),
});

export const ProposalViewSchema = Type.Object({
  id: Type.String(),
  title: Type.String(),
  scope: nullable(CommandScopeSchema),
  held: nullable(HeldSchema),
  wouldHaveCovered: WouldHaveCoveredSchema,
});

export const PreviewBodySchema = Type.Object({ scope: CommandScopeSchema }, closed);
export const PreviewAnswerSchema = Type.Union([
  Type.Object({ outcome: Type.Literal('fault'), fault: ScopeFaultSchema }),
  Type.Object({
    outcome: Type.Literal('fits'),
    title: Type.String(),
    held: nullable(HeldSchema),
    wouldHaveCovered: WouldHaveCoveredSchema,
  }),
]);

export const UseViewSchema = Type.Object({
  atMs: Moment,
  line: nullable(Type.String()),
  others: Type.Array(Type.String()),
  confinement: nullable(ConfinementLevelSchema),
});

const DenyPatternSchema = Type.Object(
  {
    operations: Type.Array(Word, { minItems: 1, maxItems: 200 }),
    resources: Type.Array(ResourcePatternSchema, { maxItems: 200 }),
  },
  closed,
);

const SubjectId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
const Reason = Type.String({ minLength: 1, maxLength: 1000 });

export const PolicyBodySchema = Type.Union([
  Type.Object(
    {
      effect: Type.Literal('deny'),
      requesterId: nullable(SubjectId),
      text: nullable(Word),
      pattern: nullable(DenyPatternSchema),
      reason: Reason,
    },
    closed,
  ),
  Type.Object(
    {
      effect: Type.Literal('allow-reading'),
      requesterId: SubjectId,
      directories: Type.Array(Type.String({ pattern: '^/', maxLength: 8192 }), { minItems: 1, maxItems: 50 }),
      environmentOf: SubjectId,
      reason: Type.Optional(Reason),
    },
    closed,
  ),
]);

const policyRecord = {
  id: Type.String(),
  title: Type.String(),
  reason: Type.String(),
  createdBy: Type.String(),
  createdAtMs: Moment,
  endedAtMs: nullable(Moment),
  uses: Type.Integer(),
};

export const PolicyViewSchema = Type.Union([
  Type.Object({
    ...policyRecord,
    effect: Type.Literal('deny'),
    requesterId: nullable(Type.String()),
    rule: Type.Object({ text: nullable(Type.String()), pattern: nullable(DenyPatternSchema) }),
  }),
  Type.Object({
    ...policyRecord,
    effect: Type.Literal('allow-reading'),
    requesterId: Type.String(),
    rule: CommandScopeSchema,
  }),
]);

export const ReadingEvidenceSchema = Type.Object({
  requesterId: Type.String(),
  requesterName: Type.String(),
  of: Type.Integer(),
  reading: Type.Integer(),
  directories: Type.Array(
    Type.Object({
      directory: Type.String(),
      count: Type.Integer(),
      samples: Type.Array(Type.String()),
      environmentOf: Type.String(),
    }),
  ),
});

/** Compiles only while the schemas and the types say the same, both ways. */
void [
  true satisfies Same<Static<typeof FileScopeSchema>, FileScope>,
  true satisfies Same<Static<typeof CommandScopeSchema>, CommandScope>,
  true satisfies Same<Static<typeof ScopeFaultSchema>, ScopeFault>,
  true satisfies Same<Static<typeof HeldSchema>, Confinement | Unconfined>,
  true satisfies Same<Static<typeof CoveredBySchema>, CoveredBy>,
  true satisfies Same<Static<typeof WouldHaveCoveredSchema>, WouldHaveCovered>,
  true satisfies Same<Static<typeof ProposalViewSchema>, ProposalView>,
  true satisfies Same<Static<typeof UseViewSchema>, UseView>,
  true satisfies Same<Static<typeof DenyPatternSchema>, DenyPattern>,
  true satisfies Same<Static<typeof PolicyBodySchema>, PolicyBody>,
  true satisfies Same<Static<typeof PolicyViewSchema>, PolicyView>,
  true satisfies Same<Static<typeof ReadingEvidenceSchema>, ReadingEvidence>,
  true satisfies Same<Omit<Static<typeof ProposalViewSchema>, 'wouldHaveCovered'>, Proposal>,
];
