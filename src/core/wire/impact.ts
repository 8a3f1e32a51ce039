/**
 * The impact preview: what a line would touch now, according to the requester's host. The approver sees the preview, but no decision of
 * the server depends on it. `core/impact/impact.ts` explains the members.
 */
import { Type } from 'typebox';
import { closed, list, nullable } from './schema-parts.ts';

const Text = Type.String({ maxLength: 2048 });
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const ImpactSchema = Type.Object(
  {
    what: Text,
    count: nullable(Amount),
    bytes: nullable(Amount),
    items: list(Text, 32),
    isCut: Type.Boolean(),
    note: nullable(Text),
  },
  closed,
);
export const ImpactsSchema = list(ImpactSchema, 64);
