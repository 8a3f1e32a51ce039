/** Confinements: what the kernel lets a command do. `core/confinement/confinement.ts` explains the members and the levels. */
import { Type } from 'typebox';
import { nullable } from './schema-parts.ts';

export const ConfinementLevelSchema = Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2), Type.Literal(3)]);

const Paths = Type.Array(Type.String());

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

export const UnconfinedSchema = Type.Object({ level: Type.Literal(0) });

/** A confinement, or level 0 for "not confined". */
export const HeldSchema = Type.Union([ConfinementSchema, UnconfinedSchema]);
