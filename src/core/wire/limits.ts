/** What an approver may decide. */
import { Type } from 'typebox';
import { closed, Id, list, literals, nullable, type Shape } from './schema-parts.ts';

/** Of requesters and hosts in one place. */
export const MAX_NAMED = 200;

const RiskSchema = literals('low', 'medium', 'high', 'critical');
const HostName = Type.String({ minLength: 1, maxLength: 253 });

export const LimitsSchema = Type.Object(
  {
    requesters: nullable(list(Id, MAX_NAMED)),
    hosts: nullable(list(HostName, MAX_NAMED)),
    upTo: RiskSchema,
  },
  closed,
);
/**
 * What an approver may decide. A line that cannot be read counts as critical.
 * @property requesters ids; null: every one
 * @property hosts      as their requests name them; null: every one
 */
export type Limits = Shape<typeof LimitsSchema>;
