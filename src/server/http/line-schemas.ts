/** Shapes of what is told about a line: what its host found, what it would touch, and what the server reads in it. */
import { type Static, Type } from 'typebox';
import type { AssessmentView } from '../../core/assessment/assessment-view.ts';
import { type HostFacts, MAX_FINDING_LENGTH, MAX_FINDINGS, MAX_NAMES } from '../../core/assessment/host-facts.ts';
import type { Impact } from '../../core/impact/impact.ts';
import { ACCESSES, RESOURCE_KINDS } from '../../core/permission/permission.ts';
import { literals, nullable, type Same } from './schema-parts.ts';

/** Of a work tree, and of what all work trees share. */
const MAX_RECORDS = 2;

const closed = { additionalProperties: false };
const Text = Type.String({ maxLength: MAX_FINDING_LENGTH });
const AbsolutePath = Type.String({ pattern: '^/', maxLength: MAX_FINDING_LENGTH });
const list = <T extends import('typebox').TSchema>(schema: T, maxItems: number) => Type.Array(schema, { maxItems });

const ResolutionSchema = Type.Union([
  Type.Object({ kind: Type.Literal('keyword') }, closed),
  Type.Object({ kind: Type.Literal('builtin') }, closed),
  Type.Object({ kind: Type.Literal('function'), text: Text }, closed),
  Type.Object({ kind: Type.Literal('alias'), text: Text }, closed),
  Type.Object(
    {
      kind: Type.Literal('file'),
      path: AbsolutePath,
      realPath: AbsolutePath,
      ownerUid: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
      writable: list(Type.Object({ path: AbsolutePath, by: literals('user', 'others') }, closed), MAX_FINDINGS),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('not found'), reason: Text }, closed),
  Type.Object({ kind: Type.Literal('unsure'), reason: Text }, closed),
]);

const MatchedNameSchema = Type.Object(
  { name: Text, target: nullable(AbsolutePath), itself: nullable(AbsolutePath) },
  closed,
);

/** 0 to 3, see `core/confinement/confinement.ts`. */
export const ConfinementLevelSchema = Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2), Type.Literal(3)]);

const AgreementSchema = literals('agrees', 'disagrees', 'unknown');

/** What the requester's host found: its word about its own files, as its directory is. */
export const HostFactsSchema = Type.Object(
  {
    bash: AgreementSchema,
    confinementLevel: Type.Optional(ConfinementLevelSchema),
    home: nullable(AbsolutePath),
    hasSearchedCd: Type.Boolean(),
    names: list(
      Type.Object(
        {
          name: Text,
          source: Text,
          lookup: literals('bash', 'sh', 'builtin or file', 'builtin', 'file'),
          resolution: ResolutionSchema,
        },
        closed,
      ),
      MAX_FINDINGS,
    ),
    paths: list(
      Type.Object({ path: AbsolutePath, end: literals('target', 'itself'), resolved: AbsolutePath }, closed),
      MAX_FINDINGS,
    ),
    repositories: list(
      Type.Object(
        {
          directory: AbsolutePath,
          top: nullable(AbsolutePath),
          records: Type.Optional(list(AbsolutePath, MAX_RECORDS)),
        },
        closed,
      ),
      MAX_FINDINGS,
    ),
    bare: list(Type.Object({ directory: AbsolutePath, isBare: Type.Boolean() }, closed), MAX_FINDINGS),
    linksOut: list(
      Type.Object({ directory: AbsolutePath, depth: Type.Integer({ minimum: 0 }), leadsOut: Type.Boolean() }, closed),
      MAX_FINDINGS,
    ),
    matches: list(
      Type.Object(
        { directory: AbsolutePath, pattern: Text, names: nullable(list(MatchedNameSchema, MAX_NAMES)) },
        closed,
      ),
      MAX_FINDINGS,
    ),
    hidden: list(
      Type.Object({ directory: AbsolutePath, names: nullable(list(Text, MAX_NAMES)) }, closed),
      MAX_FINDINGS,
    ),
  },
  closed,
);

const ImpactTextSchema = Type.String({ maxLength: 2048 });
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** A statement of the requester's host, shown and never judged by. */
const ImpactItemSchema = Type.Object(
  {
    what: ImpactTextSchema,
    count: nullable(Amount),
    bytes: nullable(Amount),
    items: list(ImpactTextSchema, 32),
    isCut: Type.Boolean(),
    note: nullable(ImpactTextSchema),
  },
  closed,
);
export const ImpactSchema = list(ImpactItemSchema, 64);

const RiskSchema = literals('low', 'medium', 'high', 'critical');
export const ResourceKindSchema = literals(...RESOURCE_KINDS);
export const AccessSchema = literals(...ACCESSES);

const PermissionSchema = Type.Object({
  tool: Type.String(),
  operation: Type.String(),
  options: Type.Array(Type.String()),
  resources: Type.Array(
    Type.Object({ kind: ResourceKindSchema, access: AccessSchema, value: Type.String(), isExact: Type.Boolean() }),
  ),
  risk: RiskSchema,
  sentence: Type.String(),
});

const RequiredPermissionSchema = Type.Object({
  permission: PermissionSchema,
  programs: Type.Array(
    Type.Object({
      name: Type.String(),
      realPath: nullable(Type.String()),
      changeable: literals('root', 'user'),
    }),
  ),
  source: Type.String(),
});

export const AssessmentViewSchema = Type.Object({
  text: Type.String(),
  harness: nullable(literals('claude', 'codex', 'gemini', 'openclaw')),
  command: Type.String(),
  bash: AgreementSchema,
  risk: nullable(RiskSchema),
  opaque: Type.Array(
    Type.Object({
      code: Type.Optional(Type.String()),
      reason: Type.String(),
      source: Type.String(),
      advice: Type.String(),
    }),
  ),
  commands: Type.Array(
    Type.Object({
      source: Type.String(),
      through: Type.Array(Type.String()),
      runs: nullable(Type.String()),
      permission: nullable(PermissionSchema),
      unknown: nullable(Type.String()),
    }),
  ),
  demands: nullable(Type.Array(RequiredPermissionSchema)),
});

/** Compiles only while the schemas and the types say the same, both ways. */
void [
  true satisfies Same<Static<typeof HostFactsSchema>, HostFacts>,
  true satisfies Same<Static<typeof ImpactItemSchema>, Impact>,
  true satisfies Same<Static<typeof AssessmentViewSchema>, AssessmentView>,
];
