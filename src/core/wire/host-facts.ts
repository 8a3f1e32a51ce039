/**
 * Host facts: what the requester's host reports about its own files. The server cannot check these facts. The fields are documented in
 * `core/effects/host-facts.ts` and `core/reading/resolution.ts`.
 */
import { Type } from 'typebox';
import { MAX_HOST_FACT_LENGTH, MAX_HOST_FACTS, MAX_NAMES } from '../effects/host-facts.ts';
import { ConfinementLevelSchema } from './confinement.ts';
import { closed, list, literals, nullable } from './schema-parts.ts';

/** A work tree has at most two git directories: its own, and the one that all work trees share. */
const MAX_RECORDS = 2;

const Text = Type.String({ maxLength: MAX_HOST_FACT_LENGTH });
const AbsolutePath = Type.String({ pattern: '^/', maxLength: MAX_HOST_FACT_LENGTH });

export const AgreementSchema = literals('agrees', 'disagrees', 'unknown');
export const LookupSchema = literals('bash', 'sh', 'builtin or file', 'builtin', 'file');

export const ResolutionSchema = Type.Union([
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
      writable: list(Type.Object({ path: AbsolutePath, by: literals('user', 'others') }, closed), MAX_HOST_FACTS),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('not found'), reason: Text }, closed),
  Type.Object({ kind: Type.Literal('unsure'), reason: Text }, closed),
]);

export const MatchedNameSchema = Type.Object(
  { name: Text, target: nullable(AbsolutePath), itself: nullable(AbsolutePath) },
  closed,
);

export const OwnPlaceSchema = Type.Object({ path: AbsolutePath, isSecret: Type.Boolean() }, closed);

export const HostFactsSchema = Type.Object(
  {
    bash: AgreementSchema,
    confinementLevel: Type.Optional(ConfinementLevelSchema),
    home: nullable(AbsolutePath),
    hasSearchedCd: Type.Boolean(),
    own: Type.Optional(list(OwnPlaceSchema, MAX_HOST_FACTS)),
    hasBsdTools: Type.Optional(Type.Literal(true)),
    names: list(
      Type.Object({ name: Text, source: Text, lookup: LookupSchema, resolution: ResolutionSchema }, closed),
      MAX_HOST_FACTS,
    ),
    paths: list(
      Type.Object({ path: AbsolutePath, end: literals('target', 'itself'), resolved: AbsolutePath }, closed),
      MAX_HOST_FACTS,
    ),
    repositories: list(
      Type.Object(
        {
          directory: AbsolutePath,
          top: nullable(AbsolutePath),
          records: Type.Optional(list(AbsolutePath, MAX_RECORDS)),
          isHookless: Type.Optional(Type.Literal(true)),
          hasNoRecordHooks: Type.Optional(Type.Literal(true)),
          hasNoLocalRemote: Type.Optional(Type.Literal(true)),
          hasPlainRefspecs: Type.Optional(Type.Literal(true)),
          hasNoAutoUpstream: Type.Optional(Type.Literal(true)),
          hasNoOtherUrls: Type.Optional(Type.Literal(true)),
          hasPlainSort: Type.Optional(Type.Literal(true)),
          hasUsualEditor: Type.Optional(Type.Literal(true)),
          hasNoNewRepository: Type.Optional(Type.Literal(true)),
        },
        closed,
      ),
      MAX_HOST_FACTS,
    ),
    projects: Type.Optional(
      list(Type.Object({ path: AbsolutePath, names: Text, top: nullable(AbsolutePath) }, closed), MAX_HOST_FACTS),
    ),
    bare: list(Type.Object({ directory: AbsolutePath, isBare: Type.Boolean() }, closed), MAX_HOST_FACTS),
    linksOut: list(
      Type.Object({ directory: AbsolutePath, depth: Type.Integer({ minimum: 0 }), leadsOut: Type.Boolean() }, closed),
      MAX_HOST_FACTS,
    ),
    matches: list(
      Type.Object(
        { directory: AbsolutePath, pattern: Text, names: nullable(list(MatchedNameSchema, MAX_NAMES)) },
        closed,
      ),
      MAX_HOST_FACTS,
    ),
    hidden: list(
      Type.Object({ directory: AbsolutePath, names: nullable(list(Text, MAX_NAMES)) }, closed),
      MAX_HOST_FACTS,
    ),
  },
  closed,
);
