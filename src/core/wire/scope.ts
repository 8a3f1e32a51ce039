/** The schemas of scopes. Only an approver sets a scope. `core/scope/`, `core/files/` and `core/tools/` give the scopes their meaning. */
import { Type } from 'typebox';
import { MAX_PART_USES, MAX_PLAN_PARTS } from '../plan/plan-limits.ts';
import { ConfinementLevelSchema } from './confinement.ts';
import { FileVerbSchema } from './file-operation.ts';
import { AccessSchema, ResourceKindSchema } from './permission.ts';
import { closed, Fingerprint, literals, nullable, ScopeText } from './schema-parts.ts';

export const FileScopeSchema = Type.Object(
  {
    operations: Type.Array(FileVerbSchema, { minItems: 1, maxItems: 5 }),
    pathPrefix: Type.String({
      ...ScopeText,
      description: 'A resolved absolute directory. The scope covers this directory and everything below it',
    }),
  },
  closed,
);

export const ValuePatternSchema = Type.Union([
  Type.Object({ match: Type.Literal('exact'), value: Type.String({ maxLength: 8192 }) }, closed),
  Type.Object({ match: Type.Literal('below'), value: ScopeText }, closed),
  Type.Object({ match: Type.Literal('glob'), value: ScopeText }, closed),
  Type.Object({ match: Type.Literal('any') }, closed),
]);

export const ResourcePatternSchema = Type.Object(
  {
    kind: ResourceKindSchema,
    access: Type.Array(AccessSchema, { minItems: 1, maxItems: 5 }),
    values: ValuePatternSchema,
  },
  closed,
);

export const CommandPatternSchema = Type.Object(
  {
    operations: Type.Union([
      Type.Array(ScopeText, { minItems: 1, maxItems: 200 }),
      Type.Object({ reading: Type.Literal(true), tool: nullable(ScopeText) }, closed),
    ]),
    options: Type.Union([Type.Literal('any'), Type.Array(ScopeText, { maxItems: 200 })]),
    resources: Type.Array(ResourcePatternSchema, { maxItems: 200 }),
    highestRisk: literals('low', 'medium', 'high'),
    programs: Type.Object({ listed: Type.Array(ScopeText, { maxItems: 200 }), rootOwned: Type.Boolean() }, closed),
  },
  closed,
);

export const HoursSchema = Type.Object(
  {
    from: Type.Integer(),
    to: Type.Integer(),
    days: Type.Array(Type.Integer(), { maxItems: 7 }),
    timeZone: Type.String({ maxLength: 64 }),
  },
  closed,
);

export const ScopeConditionsSchema = Type.Object(
  {
    host: Type.String(),
    user: Type.String(),
    cwdBelow: nullable(ScopeText),
    hours: nullable(HoursSchema),
    environment: Type.Array(
      Type.Object({ name: ScopeText, value: Type.String(), digest: Type.Optional(Type.Literal(true)) }, closed),
      { maxItems: 1000 },
    ),
    confinement: Type.Optional(ConfinementLevelSchema),
  },
  closed,
);

export const CommandScopeSchema = Type.Object(
  {
    kind: Type.Literal('commands'),
    patterns: Type.Array(CommandPatternSchema, { minItems: 1, maxItems: 50 }),
    conditions: ScopeConditionsSchema,
    mostUses: nullable(Type.Integer()),
  },
  closed,
);

export const ToolScopeSchema = Type.Object(
  {
    kind: Type.Literal('tools'),
    tools: Type.Array(ScopeText, { minItems: 1, maxItems: 100 }),
    below: nullable(ScopeText),
  },
  closed,
);

export const FetchScopeSchema = Type.Object(
  { kind: Type.Literal('fetch'), origins: Type.Array(ScopeText, { minItems: 1, maxItems: 20 }) },
  closed,
);

/** The scope in a permit for a tool call, a file operation or a fetch, if the grant was given for a different request. */
export const ReachSchema = Type.Union([FileScopeSchema, ToolScopeSchema, FetchScopeSchema]);

export const PartNumber = Type.Integer({ minimum: 1, maximum: MAX_PLAN_PARTS });
export const PartUses = Type.Integer({ minimum: 1, maximum: MAX_PART_USES });

export const PlanScopeSchema = Type.Object(
  {
    kind: Type.Literal('plan'),
    order: Type.Boolean(),
    parts: Type.Array(
      Type.Object(
        { part: PartNumber, fingerprint: Fingerprint, scope: nullable(CommandScopeSchema), uses: PartUses },
        closed,
      ),
      { minItems: 1, maxItems: MAX_PLAN_PARTS },
    ),
  },
  closed,
);

export const GrantScopeSchema = Type.Union([
  FileScopeSchema,
  CommandScopeSchema,
  ToolScopeSchema,
  FetchScopeSchema,
  PlanScopeSchema,
]);

/** `core/scope/unfit.ts` explains each `kind`, and calls it `code`. */
export const ScopeFaultSchema = Type.Object({
  kind: literals('unfit', 'forbidden', 'not-covering'),
  message: Type.String(),
});
